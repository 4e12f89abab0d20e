"""What upsampling and its gradient can get wrong about scales and positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from acltwin.golden.causes.index_rule import apply, documented_rule
from acltwin.golden.causes.model import Catalogue, Model, Prediction, Step, models_from
from acltwin.golden.causes.view import View
from acltwin.ops.spec import OpSpec
from acltwin.reference.source_table import scale_given

upsample = Catalogue("upsample")


@upsample.cause(
    "Nearest and nearest-exact are confused",
    looks="Integer factors pass, fractional ones fail: sources near the border of an interval are added to its "
    "neighbour.",
    arises="The two operators differ by half a cell, which a test with factor 2 cannot show.",
    wrong="begin = ceil(i * scale)",
    right="begin = ceil(i * scale - 0.5)  # nearest-exact; plain nearest has no half",
    fix="Use the index rule of the requested operator, and test with sizes such as 4 -> 7.",
)
def confused_centres(spec: OpSpec) -> Iterator[Step]:
    intervals = {True: "b(i) = ceil(i*s - 0.5)", False: "b(i) = ceil(i*s)"}
    sources = {True: "src(o) = floor((o + 0.5)*t)", False: "src(o) = floor(o*t)"}
    formulas = intervals if spec.is_gradient else sources
    yield Step(
        "plain nearest" if spec.is_exact else "nearest-exact",
        "nearest and nearest-exact are confused",
        {"exact": not spec.is_exact},
        documented=formulas[spec.is_exact],
        observed=formulas[not spec.is_exact],
        note="both agree for integer factors" if spec.is_gradient else "",
    )


@upsample.cause(
    "Another offset than the documented one is added to positions",
    looks="Sources are shifted by up to one cell, in most cells of most sizes.",
    arises="One formula adds half a cell before scaling, another one after it; linear interpolation subtracts half a "
    "cell again, nearest does not.",
    wrong="src = floor((o + 0.5) * step - 0.5)",
    right="src = floor((o + 0.5) * step)",
    fix="Compare the code with the documented formula, term by term.",
)
def offset(spec: OpSpec) -> Iterator[Step]:
    documented = (-0.5 if spec.is_gradient else 0.5) if spec.is_exact else 0.0
    confused = 0.0 if spec.is_exact else -0.5 if spec.is_gradient else 0.5  # another cause
    for offset in (-1.0, -0.5, -0.25, 0.25, 0.5, 1.0):
        if offset not in (documented, confused):
            yield Step(
                f"offset {offset:+g}",
                f"positions are shifted by {offset:+g}",
                {"offset": offset},
                documented=f"offset {documented:+g}",
                observed=f"offset {offset:+g}",
                cost=1.2,
                along_some=False,
            )
    place = "(o + 0.5)*t" if spec.is_exact else "o*t"
    for after in (-1.0, -0.5, 0.5, 1.0):
        yield Step(
            f"offset {after:+g} after scaling",
            f"{after:+g} is added after scaling",
            {"after": after, **({"form": "source"} if spec.is_gradient else {})},
            documented=f"src(o) = floor({place})",
            observed=f"src(o) = floor({place} {after:+g})",
            cost=1.1,
            along_some=False,
        )


@upsample.cause(
    "Positions are rounded the wrong way",
    looks="Integer factors pass; with fractional ones, the sources of many cells are off by one.",
    arises="A conversion from float to integer has its own rounding mode, and the default is rarely the documented "
    "one.",
    wrong="begin = int(i * scale)          # truncates",
    right="begin = ceil(i * scale)",
    fix="Use an explicit rounding mode in the conversion, and test with sizes such as 4 -> 7.",
)
def rounding_of_places(spec: OpSpec) -> Iterator[Step]:
    documented = "ceil" if spec.is_gradient else "floor"
    for how, words in (
        ("floor", "rounded down"),
        ("ceil", "rounded up"),
        ("even", "rounded to nearest"),
        ("away", "rounded half up"),
    ):
        if how != documented:
            sentence = f"positions are {words} where the document has {documented}"
            yield Step(f"positions {words}", sentence, {"rounding": how}, documented, words)


@upsample.cause(
    "The scale or a position is computed in another precision, or by another formula",
    looks="A few cells of a few sizes are wrong, each by one source: those where a position falls on a border.",
    arises="Mathematically `o / s`, `o * (1 / s)` and `o * in / out` are the same. In floating point they differ where "
    "the result is an integer, and there a cell gets another source.",
    wrong="src = floor(o / scale)           # or float64, or a fused multiply-add",
    right="step = float32(in) / float32(out); src = floor(float32(o) * step)",
    fix="Compute in float32, in the documented order, rounding after every operation; test with the sizes of the "
    "failing cases.",
)
def scale_precision(spec: OpSpec) -> Iterator[Step]:
    documented, float64 = "float32 throughout", {"precision": "float64", "places": "float64"}
    sentence = "the scale is computed in float64 instead of float32"
    yield Step("float64 scale", sentence, float64, documented, "float64")
    sentence, change = "the scale is computed in float64 as a reciprocal", {**float64, "through_reciprocal": True}
    yield Step("float64 scale, reciprocal", sentence, change, documented, "1 / scale in float64", cost=1.05)
    sentence = "the scale is rounded to float32, but multiplied in float64"
    yield Step("float64 positions", sentence, {"places": "float64"}, documented, "float64 products", cost=1.05)
    for name in ("float16", "bfloat16"):
        yield Step(f"{name} scale", f"the scale is rounded to {name}", {"precision": name}, documented, name)
    for name in ("float16", "bfloat16"):
        sentence, change = f"positions are computed in {name}", {"precision": name, "places": name}
        yield Step(f"{name} positions", sentence, change, documented, f"{name} throughout", cost=1.05)
    yield Step(
        "reciprocal of the reciprocal",
        "the scale is the rounded reciprocal of another rounded number",
        {"through_reciprocal": True},
        "in / out, rounded once",
        "1 / (out / in), rounded twice",
    )
    source, cost = ({"form": "source"}, 1.15) if spec.is_gradient else ({}, 1.0)
    sentence = "the step is a fixed-point number with 16 bits behind the point"
    change = {"precision": "fixed16", "places": "float64", **source}
    yield Step("fixed-point step", sentence, change, documented, "o * round(65536 * in / out) >> 16", cost=cost)
    sentence = "positions are not multiplied: the step is added from cell to cell, and every addition rounds"
    yield Step("running position", sentence, {"formula": "running", **source}, "o * t", "position += t", cost=cost)
    sentence = "positions are computed with integers, which do not round"
    yield Step("integer arithmetic", sentence, {"formula": "integers"}, "float32 products", "o * in // out")
    if spec.is_exact and spec.is_gradient:
        yield Step(
            "fused multiply-add",
            "product and subtraction are one fused operation, which rounds once instead of twice",
            {"fused": True},
            "float32(float32(i*s) - 0.5)",
            "float32(i*s - 0.5)",
        )
    quotient = {"formula": "quotient", **({"form": "source"} if spec.is_gradient else {})}
    cost = 1.1 if spec.is_gradient else 1.0
    yield Step("quotient", "a position is divided by the scale", quotient, "o * t", "o / s", cost=cost)
    if spec.is_exact and not spec.is_gradient:
        sentence = "the half is scaled on its own and added"
        yield Step("half distributed", sentence, {"formula": "distributed"}, "(o + 0.5)*t", "o*t + 0.5*t")


@upsample.cause(
    "The ratio of the sizes is computed in another way",
    looks="Only equal sizes, or only integer factors, pass; in all other cases nearly every cell is wrong.",
    arises="The ratio is inverted, or is an integer division, which truncates 7 / 4 to 1.",
    wrong="scale = out_size // in_size",
    right="scale = float32(out_size) / float32(in_size)",
    fix="Divide floats: output by input for intervals, input by output for sources.",
)
def scale_ratio(spec: OpSpec) -> Iterator[Model]:
    found = [model for step in _ratios(spec) for model in models_from(spec, step)]
    yield from found
    yield from (_without_scales(model) for model in found if model.in_pairs)


def _ratios(spec: OpSpec) -> Iterator[Step]:
    for name, ratio, sentence, observed in (
        ("ratio inverted", "inverted", "is inverted", "in / out"),
        ("whole ratio", "floor", "is an integer division", "out // in"),
        ("ratio rounded up", "ceil", "is rounded up", "ceil(out / in)"),
        ("ratio rounded", "round", "is rounded to an integer", "round(out / in)"),
        ("ratio of the corners", "corners", "counts one cell less on both sides", "(in - 1) / (out - 1)"),
    ):
        yield Step(name, f"the ratio of the sizes {sentence}", {"ratio": ratio}, "out / in", observed)
    sentence = "the factor is inverted, whether it is given or computed"
    yield Step("factor inverted", sentence, {"ratio": "inverted", "given": "inverted"}, "s", "1 / s", cost=1.05)
    sentence = "a position is divided by the factor, truncated to an integer"
    change = {"formula": "quotient", "whole": True, **({"form": "source"} if spec.is_gradient else {})}
    yield Step("whole factor", sentence, change, "o * in / out", "o // (out // in)", cost=1.05)
    sentence = "every cell is repeated as often as the factor, rounded up, says, and the rest is cut off"
    change = {
        "formula": "quotient",
        "ratio": "ceil",
        "given": "ignored",
        **({"form": "source"} if spec.is_gradient else {}),
    }
    yield Step("repeated and cut", sentence, change, "o * in / out", "o // ceil(out / in)", cost=1.05)
    tails = (("documented", "the last cell takes the rest"), ("drop", "the rest is lost"))
    for tail, words in tails if spec.is_gradient else ():
        yield Step(
            f"ratio inverted, {words}",
            f"every source looks for its cell with the inverted ratio of the sizes; {words}",
            {"form": "source", "ratio": "inverted", "tail": tail},
            "in / out",
            "out / in",
            cost=1.05,
            along_some=False,
        )


def _without_scales(model: Model) -> Model:
    """A kernel that goes another way as soon as one scale is given."""
    deviate = model.deviate
    assert deviate is not None

    def predict(view: View) -> Prediction:
        if any(scale_given(scale) for scale in view.scales):
            return None
        matrices = deviate(documented_rule(view)).matrices(view)
        return view.sums(lambda x: apply(matrices, x))

    return replace(
        model,
        name=f"{model.name}, without scales",
        sentence=f"where no scale is given at all, {model.sentence}",
        predict=predict,
        deviate=None,
        cost=model.cost + 0.02,
    )


@upsample.cause(
    "Given scales are used where they should be ignored, or ignored where they should be used",
    looks="Cases without scales pass; those with all, or only some, of the scales fail.",
    arises="Operators use scales differently: some all or none of them, others each one on its own; and a scale of 0 "
    "means that none is given.",
    wrong="s = scales_h if scales_h > 0 else out_h / in_h    # of all or none, though scales_w is missing",
    right="given = all(s > 0 for s in scales); s = scales_h if given else out_h / in_h",
    fix="Decide once, for all axes, which scales are used; test with all, some and none of them.",
)
def scale_use(spec: OpSpec) -> Iterator[Step]:
    each, all_or_none = "each scale on its own", "all scales or none"
    rule_now, rule_then = (all_or_none, each) if spec.scales_together else (each, all_or_none)
    order = ", ".join(spec.axes), ", ".join(spec.axes[::-1])
    equal = "equal sizes are copied"
    rows: tuple[tuple[str, str, dict[str, object], str, str], ...] = (
        ("scales ignored", "the given scales are ignored", {"given": "ignored"}, "the given scales", "out / in"),
        (
            rule_then,
            f"scales are used by the wrong rule: {rule_then}",
            {"given": "each" if spec.scales_together else "all"},
            rule_now,
            rule_then,
        ),
        (
            "given scales inverted",
            "the reciprocal of a given scale is used",
            {"given": "inverted"},
            "s = scale",
            "s = 1 / scale",
        ),
        (
            "first scale everywhere",
            "the first axis's scale is used along every axis",
            {"given": "first"},
            f"scales of {order[0]}",
            f"the scale of {spec.axes[0]}",
        ),
        (
            "equal sizes scaled",
            "a given scale is used even where the sizes are equal",
            {"equal_sizes": "scaled"},
            equal,
            "the scale",
        ),
        (
            "equal sizes copied",
            "a given scale is not used where the sizes are equal",
            {"equal_sizes": "copied"},
            "the scale",
            equal,
        ),
        (
            "all sizes equal copied",
            "the given scales are not used where all sizes are equal",
            {"equal_sizes": "all"},
            "the scales",
            "a copy",
        ),
        (
            "scales in the wrong order",
            "the scales are applied to the axes in the wrong order",
            {"swapped_scales": True},
            f"scales of {order[0]}",
            f"scales of {order[1]}",
        ),
    )
    if spec.scales_fit:
        sentence = "a given scale is used even where it does not give the size of the output"
        yield Step("misfitting scale used", sentence, {"fits": False}, "floor(in * scale) = out", "any scale")
    for name, sentence, change, documented, observed in rows:
        yield Step(name, sentence, change, documented, observed, either_rule=True)
