"""What upsampling and its gradient can get wrong about which cells belong together: ends, lengths, seams, mirrors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from acltwin.golden.causes.index_rule import apply, documented_rule, from_sources
from acltwin.golden.causes.model import Catalogue, Model, Prediction, Step, model
from acltwin.golden.causes.view import View
from acltwin.ops.spec import OpSpec

upsample = Catalogue("upsample")


@upsample.cause(
    "First and last cells are aligned, as in linear interpolation",
    looks="Cells near both ends of an axis have the right sources; those in between are off by up to one.",
    arises="`align_corners` is an option of linear and cubic interpolation; nearest does not have it.",
    wrong="src = round(o * (in_size - 1) / (out_size - 1))",
    right="src = floor(o * in_size / out_size)",
    fix="Use the ratio of the sizes themselves.",
)
def aligned_corners(spec: OpSpec) -> Iterator[Model]:
    yield model(
        "corners aligned",
        "index rule",
        "first and last cells are matched with each other (align_corners)",
        _aligned,
        documented="o * in / out",
        observed="o * (in - 1) / (out - 1)",
    )


def _aligned(view: View) -> Prediction:
    inner, outer = (view.result, view.source) if view.spec.is_gradient else (view.source, view.result)
    matrices = []
    for small, large in zip(inner, outer, strict=True):
        step = (small - 1) / (large - 1) if large > 1 else 0.0
        source = np.floor(np.arange(large) * step + 0.5).astype(np.int64)
        matrices.append(from_sources(np.clip(source, 0, small - 1), small, view.spec.is_gradient))
    return view.sums(lambda x: apply(matrices, x))


@upsample.cause(
    "PyTorch's map instead of the device's, or the forward map in a gradient",
    looks="Nearly everything passes; some fractional factors, and given scales that do not match the sizes, fail at "
    "single cells.",
    arises="In exact arithmetic the forward map and the gradient's intervals agree. In float32 they do not: a gradient "
    "that scatters through the forward map differs from the documented one at some borders.",
    wrong="src = min(floor(o * in / out), in - 1); grad_input[src] += grad_output[o]",
    right="grad_input[i] = sum(grad_output[ceil(i * s) : ceil((i + 1) * s)])",
    fix='Use the documented interval table; or, if PyTorch is the reference, verify with `rule="torch"` cases.',
)
def forward_map(spec: OpSpec) -> Iterator[Model | Step]:
    intervals, sources = "b(i) = ceil(i*s)", "src(o) = min(floor(o*t), in - 1)"
    yield Model(
        "PyTorch's map",
        "index rule",
        "borders are rounded by PyTorch's rule instead of the device's, or by the device's instead of PyTorch's",
        deviate=lambda rule: replace(rule, torch=not rule.torch),
        documented="the table of the rule that is asked for",
        observed="that of the other rule",
    )
    if not spec.is_gradient:
        sentence = "the forward pass uses the gradient's intervals"
        yield Step("intervals, not sources", sentence, {"form": "interval"}, sources, intervals, cost=1.1)
        return
    for tail, words in (
        ("documented", "what lies beyond the input is added to the last cell"),
        ("drop", "the rest is lost"),
    ):
        sentence = f"the gradient uses the forward map; {words}"
        change = {"form": "source", "tail": tail}
        yield Step(f"forward map, {words}", sentence, change, intervals, sources, cost=1.1)


@upsample.cause(
    "Intervals have another length than their ends imply",
    looks="Integer factors pass. With others, sources are lost or counted twice, or cells that should be empty are "
    "not.",
    arises="A kernel with a fixed loop count uses the factor as the length of every interval. With a fractional factor "
    "lengths differ, and when sizes shrink some intervals are empty.",
    wrong="for k in range(floor(scale)): total += grad[begin + k]",
    right="for o in range(b(i), b(i + 1)): total += grad[o]",
    fix="Loop from the start of this interval to the start of the next; the two may be equal.",
)
def interval_length(spec: OpSpec) -> Iterator[Step]:
    if not spec.is_gradient:
        return
    documented, same = "b(i+1) - b(i) cells", "every interval has the same length, the factor rounded"
    for name, sentence, length, observed in (
        ("fixed length, rounded down", f"{same} down", "floor", "floor(s)"),
        ("fixed length, at least 1", "every interval has the length of the factor, or 1", "floor1", "max(1, floor(s))"),
        ("fixed length, rounded up", f"{same} up", "ceil", "ceil(s)"),
        ("never empty", "an empty interval takes one cell instead of none", "least1", "max(1, b(i+1) - b(i))"),
        ("last of several lost", "the last cell of every interval that has several is lost", "short", "one less"),
        (
            "adaptive windows",
            "intervals are the windows of adaptive pooling, which overlap",
            "adaptive",
            "floor(i*out/in) to ceil((i+1)*out/in)",
        ),
    ):
        yield Step(name, sentence, {"length": length}, documented, observed, "border")
    for which in ("first", "last"):
        yield Step(
            f"{which} source of an interval",
            f"only the {which} cell of an interval counts",
            {"length": which},
            documented,
            f"its {which} cell",
            "accumulation",
            along_all=False,  # then the cell keeps one of its sources
        )


@upsample.cause(
    "An axis is read backwards",
    looks="Along one axis every source comes from the other end; the middle cell of an odd size is right.",
    arises="A loop counts down, or a copy has a negative stride.",
    wrong="row = height - 1 - y",
    right="row = y",
    fix="Read the axis in the order in which it is stored.",
)
def mirrored(spec: OpSpec) -> Iterator[Model]:
    for number, axis in enumerate(spec.axes):
        yield model(f"{axis} mirrored", "layout", f"{axis} runs backwards", _mirrored, number)


def _mirrored(view: View, axis: int) -> Prediction:
    matrices = documented_rule(view).matrices(view)
    matrices[axis] = matrices[axis][:, ::-1]
    return view.sums(lambda x: apply(matrices, x))


@upsample.cause(
    "Intervals or sources are off by one cell",
    looks="Every interval has one source too many or too few at one end; equal sizes fail too.",
    arises="An end that should be excluded is included, or a counter starts at 1.",
    wrong="for o in range(b(i), b(i + 1) + 1): ...",
    right="for o in range(b(i), b(i + 1)): ...",
    fix="Include the start of an interval and exclude its end; with equal sizes, each has exactly one source.",
)
def moved_ends(spec: OpSpec) -> Iterator[Step]:
    gradient = (
        ("starts one late", "every interval starts one cell late", 1, 0),
        ("starts one early", "every interval starts one cell early", -1, 0),
        ("ends one short", "every interval ends one cell short", 0, -1),
        ("ends one long", "every interval ends one cell late, so that neighbours overlap", 0, 1),
        ("moved by +1", "every interval is moved by one cell", 1, 1),
        ("moved by -1", "every interval is moved back by one cell", -1, -1),
    )
    forward = (
        ("source moved by +1", "every source is the next cell", 1, 0),
        ("source moved by -1", "every source is the cell before", -1, 0),
    )
    for name, sentence, begin, end in gradient if spec.is_gradient else forward:
        yield Step(name, sentence, {"begin": begin, "end": end}, cause="border")


@upsample.cause(
    "Intervals that cross the end of a block are wrong",
    looks="Small sizes pass. In larger ones, single cells are wrong: those whose interval continues in the next block.",
    arises="Sources are read block by block, but an interval need not end where a block ends.",
    wrong="grad_input[i] = block_sum         # the part from the block before is gone",
    right="grad_input[i] += block_sum        # and cleared once, before the first block",
    fix="Carry the partial sum over to the next block, or align blocks with intervals; test with sizes just above a "
    "block and with a factor that does not divide it.",
)
def seams(spec: OpSpec) -> Iterator[Step]:
    for block in (4, 8, 16, 32, 64, 128, 256) if spec.is_gradient else ():
        for keeps, words in (
            ("first", "behind its first block is lost"),
            ("last", "before its last block is overwritten"),
        ):
            yield Step(
                f"interval cut at blocks of {block}, {keeps} kept",
                f"the part of an interval that lies {words} (blocks of {block} sources)",
                {"seam": block, "seam_keeps": keeps},
                cause="tiling",
                cost=1.1,
                in_pairs=False,
            )


@upsample.cause(
    "The numbers of sources are shared by a block, or kept in too few bits",
    looks="Small sizes pass; in larger ones rows or columns repeat, or start again from the first.",
    arises="A source is computed once for a block of cells, as if all of them had the same; or its number is kept in "
    "8 bits.",
    wrong="src = source_of(block_begin)       # for every cell of the block",
    right="src = source_of(o)",
    fix="Compute the source of every cell, in 32 bits; test with a fractional factor and with more than 256 cells.",
)
def source_numbers(spec: OpSpec) -> Iterator[Step]:
    if spec.is_gradient:
        return
    for block in (2, 4, 8, 16, 32):
        sentence = f"{block} neighbouring cells share the source of the first of them"
        yield Step(f"sources shared by {block}", sentence, {"shared": block}, cause="tiling", in_pairs=False)
    for bits in (7, 8):
        sentence = f"the numbers of sources are cut to {bits} bits"
        yield Step(f"sources of {bits} bits", sentence, {"bits": bits}, in_pairs=False)


@upsample.cause(
    "Cells beyond the last interval, or beyond the input, are wrong",
    looks="Only cases with given scales fail, and only in cells at the end of an axis.",
    arises="A given scale need not match the sizes. In the forward pass, positions beyond the input copy its last "
    "cell; in the gradient, the device drops what lies beyond the last interval.",
    wrong="src = min(src, in_size - 1)      # in the gradient: adds them to the last cell",
    right="if src < in_size: grad_input[src] += grad_output[o]",
    fix="Test with scales slightly smaller and slightly larger than the ratio of the sizes.",
)
def tail(spec: OpSpec) -> Iterator[Step]:
    beyond, wraps = "gradients beyond the last interval", "they wrap around"
    gradient = (
        (
            "tail clamped",
            f"{beyond} are added to the last cell instead of dropped",
            "clamp",
            "they belong to the last cell",
        ),
        ("tail wrapped", f"{beyond} start again at the first cell", "wrap", wraps),
    )
    forward = (
        ("tail dropped", "cells beyond the input stay 0 instead of copying the last cell", "drop", "0"),
        ("tail wrapped", "cells beyond the input start again at the first one", "wrap", wraps),
        ("last source never read", "sources are clamped to the second-to-last cell", "short", "min(..., in - 2)"),
    )
    documented = "cells at or beyond b(in) are dropped" if spec.is_gradient else "min(..., in - 1)"
    for name, sentence, how, observed in gradient if spec.is_gradient else forward:
        yield Step(name, sentence, {"tail": how}, documented, observed, "border")
