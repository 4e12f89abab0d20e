"""Intervals that cross the end of a block are wrong."""

from __future__ import annotations

from acltwin.golden.models.model import Model, Page
from acltwin.golden.models.steps import Step, models_from
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Small sizes pass. In larger ones, single cells are wrong: those whose interval continues in the next block.",
    arises="Sources are read block by block, but an interval need not end where a block ends.",
    wrong="grad_input[i] = block_sum         # the part from the block before is gone",
    right="grad_input[i] += block_sum        # and cleared once, before the first block",
    fix="Carry the partial sum over to the next block, or align blocks with intervals; test with sizes just above a "
    "block and with a factor that does not divide it.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    if not spec.is_gradient:
        return ()
    found = []
    for block in (4, 8, 16, 32, 64, 128, 256):
        for keeps, words in (
            ("first", "behind its first block is lost"),
            ("last", "before its last block is overwritten"),
        ):
            step = Step(
                f"interval cut at blocks of {block}, {keeps} kept",
                f"the part of an interval that lies {words} (blocks of {block} sources)",
                {"seam": block, "seam_keeps": keeps},
                cause="tiling",
                cost=1.1,
                in_pairs=False,
            )
            found.append(step)
    return models_from(spec, found)
