"""Draws the pictures of the documentation from the library's own tables and results.

``python docs/pictures.py`` writes them; ``python docs/pictures.py --check`` says whether they are up to date.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from speed_picture import times_pytorch
from svg import COLOURS, INK, PLAIN, SOFT_INK, WARNING, Colour, Drawing, number

import acltwin
from acltwin._core import interval_table

FOLDER = Path(__file__).parent / "pictures"
PANEL_WIDTH, PANEL_HEIGHT, MARGIN = 344, 212, 22
LABEL_WIDTH = 82
SIDE = 40


def colour_of(cell: int) -> Colour:
    return COLOURS[cell % len(COLOURS)]


def axis_panel(drawing: Drawing, x: float, y: float, in_size: int, out_size: int, scale: float, *, exact: bool) -> None:
    """One axis: gradOut cells above, gradInput cells below, each `s` gradOut cells wide."""
    begin = interval_table(in_size, out_size, scale, exact, "device")
    s = scale or out_size / in_size
    unit = (PANEL_WIDTH - LABEL_WIDTH) / max(out_size, in_size * s)
    left, out_top, in_top, height = x + LABEL_WIDTH, y + 58, y + 136, 32

    drawing.text(x, y + 16, "nearest-exact" if exact else "nearest", size=16, bold=True)
    given = f"scale {number(scale)} given" if scale else "no scale given"
    drawing.text(x, y + 37, f"{in_size} → {out_size} cells, {given}: s = {number(s)}", colour=SOFT_INK)
    drawing.text(x, out_top + 21, "grad_out", colour=SOFT_INK)
    drawing.text(x, in_top + 21, "grad_input", colour=SOFT_INK)

    for i, (first, last) in enumerate(pairwise(begin)):
        colour = colour_of(i)
        drawing.cell(left + i * s * unit, in_top, s * unit, height, colour, str(i))
        collected = " + ".join(map(str, range(first, last))) or "nothing: 0"
        words_colour = INK if last > first else WARNING
        middle = left + (i + 0.5) * s * unit
        drawing.text(middle, in_top + height + 20, collected, size=12, anchor="middle", colour=words_colour)
        for o in range(first, last):
            drawing.cell(left + o * unit, out_top, unit, height, colour, str(o))
            # The point that decides: a cell's centre, or its left edge (drawn just inside the cell).
            point = left + o * unit + (unit / 2 if exact else 5)
            drawing.dot(point, out_top + height, colour.line)
            drawing.arrow(point, out_top + height, point, in_top, colour.line)
    for o in range(begin[-1], out_size):
        drawing.dropped_cell(left + o * unit, out_top, unit, height, str(o))
        middle = left + (o + 0.5) * unit
        drawing.text(middle, out_top + height + 18, "dropped", size=12, colour=WARNING, anchor="middle")


def axis_picture(title: str, *panels: tuple[int, int, float, bool]) -> str:
    """Panels one above the other, so that a phone shows them as large as a desk's screen does."""
    drawing = Drawing(PANEL_WIDTH + 2 * MARGIN, 2 * MARGIN + len(panels) * PANEL_HEIGHT - 14, title)
    for row, (in_size, out_size, scale, exact) in enumerate(panels):
        axis_panel(drawing, MARGIN, MARGIN + row * PANEL_HEIGHT, in_size, out_size, scale, exact=exact)
    return drawing.render()


def nearest_beside_exact() -> str:
    return axis_picture(
        "Which grad_out cells flow into which grad_input cell: 4 cells enlarged to 6, nearest and nearest-exact",
        (4, 6, 0, False),
        (4, 6, 0, True),
    )


def upsample3d_picture(*, exact: bool) -> str:
    return axis_picture(
        "Size ratio and a given scale, with a dropped cell; shrinking; an empty cell",
        (4, 7, 0, exact),
        (4, 7, 1.5, exact),
        (4, 2, 0, exact),
        (3, 4, 1.6, exact),
    )


def grid(
    drawing: Drawing, x: float, y: float, values: np.ndarray, side: float, colour: Callable[[int, int], Colour]
) -> None:
    for (row, column), value in np.ndenumerate(values):
        drawing.cell(x + column * side, y + row * side, side, side, colour(row, column), str(value))


def upsample_nearest_exact2d_backward() -> str:
    """Both axes at once: every grad_input cell collects a box."""
    in_size, out_size, side = 4, 6, 40
    begin = interval_table(in_size, out_size, 0, True, "device")
    wide = side * out_size / in_size
    drawing = Drawing(388, 660, "Each grad_input cell is the sum of one box of grad_output cells")
    left, top = 74, 70
    below = top + out_size * side + 76
    drawing.text(24, 36, "grad_output, 6 by 6 cells", bold=True)
    drawing.text(24, below - 16, "grad_input, 4 by 4 sums of boxes", bold=True)
    for (i_h, (first_h, last_h)), (i_w, (first_w, last_w)) in product(enumerate(pairwise(begin)), repeat=2):
        colour = colour_of(2 * i_h + i_w)
        for o_h, o_w in product(range(first_h, last_h), range(first_w, last_w)):
            drawing.cell(left + o_w * side, top + o_h * side, side, side, Colour(colour.fill, "#ffffff"))
        box_width, box_height = (last_w - first_w) * side, (last_h - first_h) * side
        box_x, box_y = left + first_w * side, top + first_h * side
        drawing.frame(box_x + 2, box_y + 2, box_width - 4, box_height - 4, colour.line)
        drawing.text(box_x + box_width / 2, box_y + box_height / 2 + 5, f"{i_h},{i_w}", anchor="middle")
        drawing.cell(left + i_w * wide, below + i_h * wide, wide, wide, colour, f"{i_h},{i_w}")
    for o in range(out_size):
        drawing.text(left + (o + 0.5) * side, top - 8, str(o), size=11, colour=SOFT_INK, anchor="middle")
        drawing.text(left - 14, top + (o + 0.5) * side + 4, str(o), size=11, colour=SOFT_INK, anchor="middle")
    cuts = " | ".join(" ".join(map(str, range(*interval))) for interval in pairwise(begin))
    drawing.text(24, top + out_size * side + 28, f"Rows and columns are cut alike: {cuts}", colour=SOFT_INK)
    return drawing.render()


def contradictory_sample() -> str:
    """The Exact2d document's sample: 4 x 2 gradients, 8 x 4 result, scales 2.0; beside it the same without scales."""
    grad_output = np.arange(8, dtype=np.float32).reshape(1, 1, 4, 2)
    output_size, input_size = (4, 2), (1, 1, 8, 4)
    side, top = 28, 94
    drawing = Drawing(388, 340, "The Exact2d document's sample: with the given scales of 2, and without scales")

    def source(row: int) -> Colour:
        return COLOURS[row // 2]

    drawing.text(20, 36, "grad_output", bold=True)
    drawing.text(20, 76, "4 by 2", colour=SOFT_INK)
    values = grad_output[0, 0].astype(int)
    grid(drawing, 20, top, values, side, lambda row, column: source(row))
    for x, scale, heading, meaning in ((120, 2.0, "scales 2.0", "the sample"), (256, 0.0, "scales 0.0", "not given")):
        result = acltwin.upsample_nearest_exact2d_backward(grad_output, output_size, input_size, scale, scale)
        row_begin = interval_table(8, 4, scale, True, "device")
        column_begin = interval_table(4, 2, scale, True, "device")

        def reached(
            row: int, column: int, row_begin: list[int] = row_begin, column_begin: list[int] = column_begin
        ) -> Colour:
            empty = row_begin[row] == row_begin[row + 1] or column_begin[column] == column_begin[column + 1]
            return PLAIN if empty else source(row_begin[row])

        drawing.text(x, 36, heading, bold=True)
        drawing.text(x, 56, meaning, colour=SOFT_INK)
        drawing.text(x, 76, "grad_input, 8 by 4", colour=SOFT_INK)
        grid(drawing, x, top, result[0, 0].astype(int), side, reached)
    return drawing.render()


def plane_cells(
    drawing: Drawing, x: float, y: float, values: list[int], colours: dict[int, Colour], side: float = SIDE
) -> None:
    """A flattened plane, with each cell's index above it."""
    for index, value in enumerate(values):
        left = x + index * side
        drawing.cell(left, y, side, side, colours.get(index, PLAIN), str(value))
        drawing.text(left + side / 2, y - 5, str(index), size=10, colour=SOFT_INK, anchor="middle")


def colours_of(indices: list[int]) -> dict[int, Colour]:
    """One colour per cell that an index names."""
    return {cell: COLOURS[position] for position, cell in enumerate(dict.fromkeys(indices))}


def max_unpool3d_backward() -> str:
    """A gather: every result cell fetches one gradient."""
    grad_output = np.array([5, 1, 8, 3, 9, 2, 7, 4], np.float32).reshape(1, 1, 2, 4)
    indices = [2, 4, 2, 7]
    shape = (1, 1, 1, len(indices))
    result = acltwin.max_unpool3d_backward(
        grad_output, np.zeros(shape, np.float32), np.array(indices).reshape(shape), (1, 2, 4), (1, 1, 1), (0, 0, 0)
    )
    drawing = Drawing(388, 300, "Gather: out[j] = grad_output[indices[j]]")
    left, top, bottom, gap = 34, 90, 196, 20
    drawing.text(24, 30, "A gather: out[j] = grad_output[indices[j]]", size=15, bold=True)
    drawing.text(left, top - 20, "grad_output", colour=SOFT_INK)
    for y, words in ((bottom, "indices"), (bottom + SIDE, "out")):
        drawing.text(left, y + 25, words, colour=SOFT_INK)
    colours = colours_of(indices)
    plane_cells(drawing, left, top, grad_output.astype(int).ravel().tolist(), colours)
    for j, cell in enumerate(indices):
        x, colour = left + 80 + j * (SIDE + gap), colours[cell]
        drawing.arrow(left + (cell + 0.5) * SIDE, top + SIDE, x + SIDE / 2, bottom, colour.line)
        drawing.cell(x, bottom, SIDE, SIDE, Colour("#ffffff", colour.line), str(cell))
        drawing.cell(x, bottom + SIDE, SIDE, SIDE, colour, str(int(result.ravel()[j])))
    return drawing.render()


def max_pool3d_with_argmax_backward() -> str:
    """A scatter: every window sends its gradient to its maximum; windows that share one add up."""
    plane = np.array([[1, 7, 2, 3], [4, 5, 9, 6], [8, 0, 1, 2]], np.float32)
    numbers = np.arange(plane.size).reshape(plane.shape)
    indices = []
    for row, column in product(range(2), range(3)):
        window = np.s_[row : row + 2, column : column + 2]
        indices.append(int(numbers[window].ravel()[plane[window].argmax()]))
    grad_output = np.arange(1, 7, dtype=np.float32).reshape(1, 1, 1, 2, 3)
    result = acltwin.max_pool3d_with_argmax_backward(
        grad_output,
        plane.reshape(1, 1, 1, 3, 4),
        np.array(indices, np.int32).reshape(grad_output.shape),
        (1, 2, 2),
        1,
        0,
        1,
        False,
    )
    drawing = Drawing(388, 510, "Scatter: grad_input[indices[j]] += grad_output[j]")
    left, top, bottom, gap, side = 24, 312, 440, 5, 28
    drawing.text(24, 30, "A scatter: grad_input[indices[j]] += grad_output[j]", size=12, bold=True)
    colours = colours_of(indices)
    grid(drawing, left + 76, 54, plane.astype(int), SIDE, lambda row, column: colours.get(row * 4 + column, PLAIN))
    drawing.text(left, 118, "input", colour=SOFT_INK)
    drawing.text(left, 204, "six windows of 2 by 2 cells, stride 1;", colour=SOFT_INK)
    drawing.text(left, 224, "coloured: the maxima, at the cells 1, 6 and 8", colour=SOFT_INK)
    for y, words in ((top - SIDE, "grad_output"), (top, "indices")):
        drawing.text(left, y + 25, words, size=12, colour=SOFT_INK)
    drawing.text(left, bottom + side + 20, "grad_input", colour=SOFT_INK)
    plane_cells(drawing, left, bottom, result.astype(int).ravel().tolist(), colours, side)
    for j, cell in enumerate(indices):
        x, colour = left + 82 + j * (SIDE + gap), colours[cell]
        drawing.cell(x, top - SIDE, SIDE, SIDE, colour, str(int(grad_output.ravel()[j])))
        drawing.cell(x, top, SIDE, SIDE, Colour("#ffffff", colour.line), str(cell))
        drawing.arrow(x + SIDE / 2, top + SIDE, left + (cell + 0.5) * side, bottom - 15, colour.line)
    return drawing.render()


PICTURES: dict[str, Callable[[], str]] = {
    "nearest-beside-exact": nearest_beside_exact,
    "upsample_nearest3d_backward": lambda: upsample3d_picture(exact=False),
    "upsample_nearest_exact3d_backward": lambda: upsample3d_picture(exact=True),
    "upsample_nearest_exact2d_backward": upsample_nearest_exact2d_backward,
    "contradictory-sample": contradictory_sample,
    "max_unpool3d_backward": max_unpool3d_backward,
    "max_pool3d_with_argmax_backward": max_pool3d_with_argmax_backward,
    "times-pytorch": times_pytorch,
}


def main(words: list[str]) -> int:
    pictures = {FOLDER / f"{name}.svg": draw() for name, draw in PICTURES.items()}
    stale = [path for path, text in pictures.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if words == ["--check"]:
        for path in stale:
            print(f"{path.name} is not what this script draws; run: python docs/pictures.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(pictures[path], encoding="utf-8")
        print(f"wrote {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
