"""What linear and cubic resampling and the gradients can get wrong: positions, weights, ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from acltwin.golden.causes.model import Catalogue, Step, exchanges
from acltwin.ops.spec import OpSpec
from acltwin.reference import FUNCTIONS

linear = Catalogue("linear")


def _kind(spec: OpSpec) -> tuple[bool, bool]:
    """Whether it is cubic, and anti-aliased."""
    described: Any = FUNCTIONS[spec.name]
    return described.args[0].startswith("cubic"), spec.antialias


_CORNERS = (
    ("corners inverted", "(out - 1) / (in - 1)"),
    ("corners of the input", "(in - 1) / out"),
    ("corners of the output", "in / (out - 1)"),
)


def _aligns(spec: OpSpec) -> bool:
    return any(argument.python_name == "align_corners" for argument in spec.inputs)


@linear.cause(
    "Cells are matched at other places than documented",
    looks="The result is shifted or stretched: flat regions are right, edges move. With equal sizes everything passes.",
    arises="There are three ways to match cells: corners on corners, starts on starts, centres on centres.",
    wrong="x = o * t",
    right="x = (o + 0.5) * t - 0.5                # with align_corners: o * (n - 1) / (m - 1)",
    fix="Compare the code with the documented formula, with and without align_corners, for sizes such as 4 -> 7.",
)
def cell_places(spec: OpSpec) -> Iterator[Step]:
    plain = "x = (o + 0.5)*t - 0.5"
    for name, words, change, observed in (
        ("corners not aligned", "align_corners is ignored", {"align": False}, plain),
        ("corners always aligned", "corners are aligned though nobody asked for it", {"align": True}, "x = o*t"),
        ("no half cells", "positions lack the half cells", {"place": "cells"}, "x = o*t"),
        ("half not added", "the half cell is only subtracted", {"place": "late"}, "x = o*t - 0.5"),
        ("half not subtracted", "the half cell is not subtracted again", {"place": "centres"}, "x = (o + 0.5)*t"),
        ("positions rounded down", "positions are rounded down to cells", {"place": "whole"}, "floor(x)"),
        ("positions to nearest", "positions are rounded to the nearest cell", {"place": "half up"}, "floor(x + 0.5)"),
    ):
        yield Step(name, words, change, plain, observed)
    words = "half cells count where corners are aligned"
    yield Step("half cells with corners", words, {"place": "halves"}, "x = o*t", plain)
    for name, words, ratio, observed in (
        ("ratio inverted", "the ratio of the sizes is inverted", "inverted", "out / in"),
        ("ratio of the corners", "the ratio counts one cell less on both sides", "corners", "(in - 1) / (out - 1)"),
        ("whole factor", "the factor is rounded down", "floor", "1 / (out // in)"),
        ("factor rounded up", "the factor is rounded up", "ceil", "1 / ceil(out / in)"),
        ("factor rounded", "the factor is rounded to an integer", "round", "1 / round(out / in)"),
        *((f"{how} as ratio", f"the ratio of the sizes is {formula}", how, formula) for how, formula in _CORNERS),
    ):
        yield Step(name, words, {"ratio": ratio}, "in / out", observed, cost=1.05)
    corners = "(in - 1) / (out - 1)"
    for how, formula in (("sizes", "in / out"), ("inverted", "out / in"), *_CORNERS) if _aligns(spec) else ():
        words = f"where corners are aligned, the ratio is {formula}"
        yield Step(f"{how} with aligned corners", words, {"aligned_ratio": how}, corners, formula, cost=1.05)
    if _aligns(spec):
        words, both = "ratios are inverted, with aligned corners too", ("inverted", "corners inverted")
        yield Step("every ratio inverted", words, {"ratio": both[0], "aligned_ratio": both[1]}, cost=1.06)
    axes = len(spec.axes)
    orders = [("first axis everywhere", (0,) * axes), ("last axis everywhere", (axes - 1,) * axes), *exchanges(spec)]
    for name, order in orders if axes > 1 else ():
        words = f"ratios and scales belong to the wrong axes: {name}"
        yield Step(f"ratios: {name}", words, {"order": order}, cause="layout", along_some=False, cost=1.05)


_POLICIES = {
    "each": "every given scale is used, whatever the others are",
    "fit": "every scale that fits its sizes is used, whatever the others are",
    "all": "scales are used if all of them are given, and only then",
    "all fit": "scales are used if all of them fit their sizes, and only then",
}


@linear.cause(
    "Given scales are ignored, or used where they should not be",
    looks="Cases without scales pass; those with all, or only some, of the scales fail.",
    arises="Operators use scales differently: each on its own, all or none, or only those that fit the sizes.",
    wrong="t = in / out",
    right="t = 1 / scale if scale > 0 else in / out",
    fix="Decide once, for all axes, which scales are used; test with all, some and none of them, and with odd ones.",
)
def scales(spec: OpSpec) -> Iterator[Step]:
    for name, words, change, observed in (
        ("scales ignored", "given scales are ignored", {"given": "ignored"}, "in / out"),
        ("scales inverted", "the reciprocal of a given scale is used", {"given": "inverted"}, "t = scale"),
        ("scales with corners", "scales are used where corners are aligned", {"given": "aligned"}, "t = 1 / scale"),
        *((f"scales used: {how}", words, {"given": how}, "t = 1 / scale") for how, words in _POLICIES.items()),
        ("scales in the wrong order", "scales belong to the axes in the wrong order", {"given": "swapped"}, "others"),
        ("first scale everywhere", "the first scale is used along every axis", {"given": "first"}, "the first"),
        ("equal sizes computed", "a scale is used where the sizes are equal", {"equal": "computed"}, "t = 1 / scale"),
        ("equal sizes copied", "equal sizes are copied, whatever the scale", {"equal": "copied"}, "a copy"),
    ):
        cause = "layout" if "order" in name else "index rule"
        yield Step(name, words, change, "t = 1 / scale", observed, cause, along_some=False)  # type: ignore[arg-type]


@linear.cause(
    "Another filter is used",
    looks="Positions are right, but values between cells are too smooth, too sharp, or jump.",
    arises="Interpolations differ in the number of cells and in one constant: a = -0.75, but -0.5 where the result is "
    "anti-aliased, whose support also grows where the tensor shrinks.",
    wrong="a = -0.5; support = 2",
    right="a = -0.75                       # anti-aliased: a = -0.5; support = 2 * max(1, in / out)",
    fix="Use the documented weights; test enlarging, shrinking slightly, and shrinking by more than 2.",
)
def filters(spec: OpSpec) -> Iterator[Step]:
    cubic, antialias = _kind(spec)
    rows: list[tuple[str, str, dict[str, Any]]] = [
        ("spline", "a B-spline is used", {"mode": "spline"}),
        ("linear", "linear weights are used", {"mode": "linear"}),
        ("cubic", "cubic weights are used", {"mode": "cubic"}),
        ("antialiased", "the result is anti-aliased", {"antialias": True}),
        ("not antialiased", "the result is not anti-aliased", {"antialias": False}),
        ("support not scaled", "the support does not grow where the tensor shrinks", {"scaled": False}),
        ("not normalised", "weights are not divided by their sum", {"normalised": False}),
        ("nearest", "the nearest cell is copied", {"mode": "nearest"}),
        ("mean of both sides", "both sides have the same weight", {"mode": "mean"}),
        ("fraction swapped", "the weights of both sides are swapped", {"fraction": "swapped"}),
        ("fraction squared", "the fraction of a position is squared", {"fraction": "squared"}),
        ("fraction smoothed", "the fraction t of a position becomes t^2 (3 - 2 t)", {"fraction": "smooth"}),
        *(_SMOOTHED if antialias else ()),
    ]
    unlike = {"cubic"} if cubic else {"linear"}
    of_points = {"nearest", "mean of both sides", *(name for name, *_ in rows if name.startswith("fraction"))}
    of_areas = {"not antialiased", "support not scaled", "not normalised"}
    unlike |= {"antialiased", *of_points} if antialias else of_areas
    unlike |= {"nearest", "mean of both sides"} if cubic else set()
    for name, words, change in rows:
        if name not in unlike:
            cause = "accumulation" if "normalised" in change or "total" in change else "index rule"
            yield Step(name, words, change, cause=cause)  # type: ignore[arg-type]
    for a in (-0.5, -0.75, -1.0, -0.6) if cubic else ():
        if a != (-0.5 if antialias else -0.75):
            words = f"a = {-0.5 if antialias else -0.75:g}"
            yield Step(f"a = {a:g}", f"the cubic has a = {a:g}", {"a": a}, words, f"a = {a:g}")


_SMOOTHED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("box", "all cells nearer than half a step have the same weight", {"mode": "box"}),
    ("mean of the support", "all cells of the support have the same weight", {"mode": "mean"}),
    ("support shrinks", "the support becomes smaller where the tensor grows", {"support": "shrinks"}),
    ("distances not scaled", "the support grows, but distances are not divided by the ratio", {"support": "alone"}),
    ("support halved", "the support is half as wide", {"support": "halved"}),
    ("support cut off", "the support is rounded down to whole cells", {"support": "whole"}),
    ("divided by the ratio", "weights are divided by the ratio, not by their sum", {"total": "scale"}),
    ("divided by the number", "weights are divided by their number, not by their sum", {"total": "count"}),
    ("divided by the magnitudes", "weights are divided by the sum of their magnitudes", {"total": "magnitudes"}),
    *(
        (f"distances {moved:+g}", f"distances from cells are {abs(moved):g} too {word}", {"moved": moved})
        for moved, word in ((0.5, "large"), (-0.5, "small"), (1.0, "large"), (-1.0, "small"))
    ),
    *(
        (
            f"support from {halves[0]:+g} to {halves[1]:+g}",
            f"{words}, and the others divided by their sum",
            {"halves": halves},
        )
        for halves, words in (
            ((0.0, 0.0), "the ends of a support are cut off instead of rounded"),
            ((1.0, 0.0), "the support is half a cell short on both sides"),
            ((1.5, 0.5), "the first cell of a support is left out"),
            ((0.5, -0.5), "the last cell of a support is left out"),
            ((1.5, -0.5), "the first and last cells of a support are left out"),
        )
    ),
)


@linear.cause(
    "Cells beyond the ends are wrong",
    looks="Only the first and last cells along an axis are wrong; of a gradient, the sums of the border cells.",
    arises="Positions near the ends need cells outside: they stand for the nearest cell inside, and the gradient adds "
    "their share there.",
    wrong="weight = 0 if outside else w(x - i)",
    right="i = clamp(i, 0, n - 1)              # anti-aliased: divide by the sum of the weights inside",
    fix="Clamp positions and cells as documented, and add to the clamped cells in the gradient.",
)
def ends(spec: OpSpec) -> Iterator[Step]:
    cubic, antialias = _kind(spec)
    rows = [
        ("outside is 0", "cells outside count as 0", "zero"),
        ("extrapolated", "lines go on beyond the first and last cells", "extrapolated"),
        ("wrapped", "cells outside are those of the other end", "wrapped"),
        ("mirrored", "cells outside are mirrored", "mirrored"),
        ("mirrored at edges", "cells outside are mirrored, the last one too", "repeated"),
        ("last cell never taken", "cells are clamped to the second-to-last", "short"),
    ]
    if antialias:
        unlike = {"extrapolated", "last cell never taken", "mirrored at edges"}
        rows = [("weights of the nearest", "cells outside stand for the nearest one inside", "clamped"), *rows]
    else:
        unlike = {"extrapolated"} if cubic else set()
    for name, words, border in rows:
        if name not in unlike:
            yield Step(name, words, {"border": border}, "divided" if antialias else "clamped", words, "border")
    if antialias:
        return
    for name, words, change in (
        ("truncated", "positions are cut off towards 0", {"truncated": True}),
        ("truncated, fraction too", "positions are cut off towards 0: fractions may be negative", _FREELY),
        ("not clamped", "neither positions nor their fractions are clamped", {"free": True}),
    ):
        if cubic or name != "truncated":
            yield Step(name, words, change, "floor(x)", "int(x)", "border", cost=1.0 if name == "truncated" else 1.02)


_FREELY = {"truncated": True, "free": True}


@linear.cause(
    "Positions or weights have too few bits",
    looks="Errors of a few units in the last place, more of them far from the beginning; exact factors pass.",
    arises="Positions or weights are computed in the 16 bits of the tensor, or as fixed-point numbers.",
    wrong="weight = half(x - floor(x))",
    right="weight = float(x) - floor(x)",
    fix="Compute positions and weights in float32, whatever the dtype of the tensor.",
)
def bits(spec: OpSpec) -> Iterator[Step]:
    _, antialias = _kind(spec)
    early = "weights before they are divided" if antialias else "fractions of positions"
    for name, words in (("float16", "float16"), ("bfloat16", "bfloat16"), ("dtype", "the dtype, if it has 16 bits")):
        cost = 1.05 if name == "dtype" else 1.0
        for what, change in (
            ("weights", {"precision": name}),
            ("positions", {"places": name}),
            (early, {"precision": name, "early": True}),
            (f"positions and {early}", {"places": name, "precision": name, "early": True}),
            ("positions and weights", {"places": name, "precision": name}),
        ):
            given = f"{what} in {name}", f"{what} are rounded to {words}", change, "float32", words
            extra = 0.02 * len(change)
            yield Step(*given, "rounding", along_some=False, cost=cost + extra, in_pairs=False)
    for bits in () if antialias else (4, 5, 7, 8, 10, 11, 12, 15, 16):
        for how, verb in (("bits", "kept"), ("round", "left after rounding")):
            words = f"only {bits} bits of a position's fraction are {verb}"
            name, change = f"fractions of {bits} bits, {verb}", {"fraction": f"{how}{bits}"}
            yield Step(name, words, change, "float32", f"{bits} bits", "rounding", along_some=False, in_pairs=False)


@linear.cause(
    "The gradient is not the transposed map",
    looks="The forward pass is right, and so is the gradient of constants; other gradients are not.",
    arises="The gradient is computed by resampling it to the input's size, or is divided by the sum of its weights.",
    wrong="grad_input = resample(grad_output, input_size)",
    right="grad_input[i] += weight(o, i) * grad_output[o]",
    fix="Give every cell of the input the gradients of all cells that it is part of, with the same weights.",
)
def gradients(spec: OpSpec) -> Iterator[Step]:
    if spec.is_gradient:
        for name, words, change in (
            ("gradient resampled", "the gradient is resampled instead of added up", {"gradient": False}),
            ("gradient shared", "sums of gradients are divided by the sum of their weights", {"shared": True}),
        ):
            yield Step(name, words, change, cause="accumulation", along_some=False)
