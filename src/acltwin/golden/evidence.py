"""What can be said of failures that no model explains: where they lie, and what they have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.case import Case
from acltwin.golden.judge import impossible_cells

if TYPE_CHECKING:
    from acltwin.golden.run import Record

LOOKED_AT = 12  # of the smallest failing cases
TILES = (256, 128, 64, 32, 16, 8)


def evidence_of(records: Iterable[Record]) -> tuple[str, ...]:
    """Sentences, the most telling first; each is true of every failing case that was looked at."""
    records = list(records)
    failed = [record for record in records if not record.verdict.passed and not record.verdict.problem]
    if not failed:
        return ()
    found = [_fills(records), *_numbers(failed), *_sources(failed)]
    looked = sorted((record for record in failed if record.output), key=lambda record: record.verdict.census.cells)
    places = [place for record in looked[:LOOKED_AT] if (place := _wrong_places(record)) is not None]
    if places:
        found += _places(places)
    return tuple(sentence for sentence in found if sentence)


def _fills(records: Sequence[Record]) -> str:
    """Whether a kind of data, a dtype or a format fails, and no other."""
    words = []
    for what, of in (("data", _fill), ("dtype", lambda case: case.dtype), ("format", _format)):
        failed = {of(record.case) for record in records if not record.verdict.passed}
        right = {of(record.case) for record in records if record.verdict.passed}
        if failed and right and not failed & right:
            words.append(f"{what} {', '.join(sorted(failed))}")
    return f"only {' and '.join(words)} fail" if words else ""


def _fill(case: Case) -> str:
    return case.fill or "given"


def _format(case: Case) -> str:
    return str(case.arguments.get("data_format", "the default"))


def _numbers(failed: Sequence[Record]) -> list[str]:
    """What the wrong values look like."""
    found = []
    censuses = [record.verdict.census for record in failed]
    if all(census.zero_instead == census.wrong for census in censuses):
        found.append("every wrong cell is 0")
    if all(0 < census.largest_ulps <= 1 and census.nan_found == census.nan_expected for census in censuses):
        found.append("only rounding: no error is above one unit in the last place")
    if all(census.largest_error == 0 for census in censuses):
        found.append("only NaN and infinities are wrong")
    return found


def _sources(failed: Sequence[Record]) -> list[str]:
    """Lost, extra and doubled sources, and whether they are all moved by the same step."""
    cells = [cell for record in failed for cell in record.verdict.sources]
    if not cells:
        return []
    lost = sum(1 for cell in cells for source in cell.wrong if source.error < 0)
    extra = sum(1 for cell in cells for source in cell.wrong if source.error > 0)
    sentences = [f"of the first {len(cells)} decoded cells {lost} sources are lost, {extra} are too many"]
    moves = Counter(
        tuple(int(b - a) for a, b in zip(taken[0].index, given[0].index, strict=True))
        for cell in cells
        if len(taken := [one for one in cell.wrong if one.error < 0]) == 1
        and len(given := [one for one in cell.wrong if one.error > 0]) == 1
    )
    if len(moves) == 1 and sum(moves.values()) == len(cells):
        sentences.append(f"every source is moved by {next(iter(moves))}")
    return sentences


def _wrong_places(record: Record) -> tuple[NDArray[np.bool_], Record] | None:
    if record.case.geometry is None:
        return None
    assert record.output is not None
    wrong = impossible_cells(record.case, record.output[0], record.verdict.options)
    if not wrong.any():
        return None
    last = record.case.geometry.data_format.endswith("C")
    return np.moveaxis(wrong, -1, 1) if last else wrong, record


def _places(places: Sequence[tuple[NDArray[np.bool_], Record]]) -> list[str]:
    """Where the wrong cells lie, in every case alike."""
    axes = places[0][1].case.spec.axes
    found = []
    if all(wrong.all() for wrong, _ in places):
        found.append("every cell is wrong")
    for number, axis in enumerate(axes):
        lines = [_along(wrong, number - len(axes)) for wrong, _ in places]
        if all(line[-1] and not line[:-1].any() for line in lines if len(line) > 1) and any(
            len(line) > 1 for line in lines
        ):
            found.append(f"only the last cell along {axis} is wrong")
        if all(line[0] and not line[1:].any() for line in lines if len(line) > 1) and any(
            len(line) > 1 for line in lines
        ):
            found.append(f"only the first cell along {axis} is wrong")
        tile = next((tile for tile in TILES if all(_beyond(line, tile) for line in lines)), None)
        if tile:
            found.append(f"only cells beyond the last whole block of {tile} along {axis} are wrong")
    if all(_one_plane(wrong, len(axes)) for wrong, _ in places):
        found.append("only one plane is wrong")
    if all(_only_empty(wrong, record) for wrong, record in places):
        found.append("only cells to which nothing flows are wrong")
    return found


def _along(wrong: NDArray[np.bool_], axis: int) -> NDArray[np.bool_]:
    """Where along an axis something is wrong."""
    return np.asarray(np.moveaxis(wrong, axis, 0).reshape(wrong.shape[axis], -1).any(1))


def _beyond(line: NDArray[np.bool_], tile: int) -> bool:
    whole = len(line) // tile * tile
    return len(line) > tile and 0 < whole < len(line) and not line[:whole].any()


def _one_plane(wrong: NDArray[np.bool_], axes: int) -> bool:
    planes = np.asarray(wrong.reshape(int(np.prod(wrong.shape[:-axes])), -1).any(1))
    return len(planes) > 1 and int(planes.sum()) == 1


def _only_empty(wrong: NDArray[np.bool_], record: Record) -> bool:
    expected = record.case.expected()
    empty = np.asarray(expected.count == 0)
    if record.case.geometry is not None and record.case.geometry.data_format.endswith("C"):
        empty = np.moveaxis(empty, -1, 1)
    return bool(empty[wrong].all())
