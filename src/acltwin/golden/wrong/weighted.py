"""Wrong averages, wrong linear and cubic resampling, and wrong gradients of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.family import takes_windows
from acltwin.golden.cases.resampling import Resampling
from acltwin.golden.cases.weights import Averaging, Rule
from acltwin.golden.cases.windows import Window
from acltwin.golden.wrong import faults
from acltwin.golden.wrong.basics import Array, parse, through
from acltwin.golden.wrong.catalogue import Catalogue, Result, forward, gradient, has_rows
from acltwin.golden.wrong.weighted_kernel import Change, largest, weighted
from acltwin.ops import OpSpec
from acltwin.reference import FUNCTIONS

# ---- of both ----
both = Catalogue("average", "linear")

rounding = both.of("rounding")
rounding(
    "odd_thirteenth_bit_flipped",
    "Flips the third lowest bit of every thirteenth element.",
    alter=faults.bit_flipped(4),
    held_out=True,
)


@rounding.whole(when=has_rows)
def rounded_after_every_axis(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    """Rounds to the dtype of the result after every axis."""
    kind = parse(operator, tensors, arguments).raw.dtype
    return weighted(operator, tensors, arguments, between=lambda sums: through(sums, kind))


accumulation = both.of("accumulation")


@accumulation.whole()
def accumulated_in_16_bits(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    """Rounds every partial sum to the 16 bits of the result."""
    kind = parse(operator, tensors, arguments).raw.dtype
    return weighted(operator, tensors, arguments, by_cells=True, add=lambda old, new: through(old + new, kind))


accumulation("last_source_stays", "Overwrites a cell with each source.", add=lambda old, new: new, by_cells=True)


def without_last(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows of several weights lose their last one."""
    changed = weights.copy()
    for row in changed:
        used = np.flatnonzero(row)
        row[used[1:][-1:]] = 0.0
    return changed


border = both.of("border")
border("last_source_lost", "Leaves out the last source of every cell along each axis.", weights=without_last)
border("last_column_unread", "Never reads the last column.", read=faults.zeroed(np.s_[..., -1:]))

both.of("layout")(
    "tables_h_and_w_swapped", "Takes the weights along H for W, and those along W for H.", swapped=True, when=has_rows
)
both.of("special values")("inf_to_zero", "Treats infinities as 0.", read=faults.inf_to_zero)


@both.of("accumulation").weights(held_out=True)
def odd_rows_halved(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Halves the weights of every fourth cell along each axis."""
    changed = weights.copy()
    changed[3::4] /= 2
    return changed


# ---- averages ----
def averaging(**changes: Any) -> Change:
    def change(rule: Rule) -> Rule:
        assert isinstance(rule, Averaging)
        return replace(rule, **changes)

    return change


def windows(change: Callable[[Any], Any]) -> Change:
    def changed(rule: Rule) -> Rule:
        assert isinstance(rule, Averaging)
        return replace(rule, window=change(rule.window))

    return changed


def ones(numbers: tuple[int, ...], number: int = 1) -> tuple[int, ...]:
    return (number,) * len(numbers)


def turned(field: str, window: Window) -> Window:
    """The numbers along H and W exchanged."""
    numbers = getattr(window, field)
    return window.but(**{field: (*numbers[:-2], numbers[-1], numbers[-2])})


fixed, adaptive = (
    Catalogue("average", when=takes_windows),
    Catalogue("average", when=lambda spec: not takes_windows(spec)),
)
average = Catalogue("average")
divisor = fixed.of("accumulation")
divisor("padding_always_counted", "Divides by all cells of the padded window.", rule=averaging(count="padding"))
divisor("padding_never_counted", "Divides by the cells that are there alone.", rule=averaging(count="cells"))
divisor("kernel_divides", "Divides by the size of the kernel, whatever sticks out.", rule=averaging(count="kernel"))
divisor("divisor_ignored", "Divides by the size of the window, whatever divisor is given.", rule=averaging(divisor=0))
sums = average.of("accumulation")
sums("not_divided", "Divides nothing.", rule=averaging(count="none", divisor=0))
sums("largest", "Takes the largest source instead of the average.", whole=largest)
sums(
    "mean_of_gradients",
    "Divides by the number of gradients that arrive.",
    rule=averaging(count="gradients"),
    when=gradient,
)
for name in ("float16", "bfloat16"):
    average.of("rounding")(
        f"reciprocal_in_{name}", f"Multiplies by 1 / size, rounded to {name}.", rule=averaging(reciprocal=name)
    )

edges = fixed.of("border")
edges("ceil_windows_lost", "Computes as many windows as without ceil mode.", rule=averaging(lost="ceil"))
edges("overhanging_lost", "Leaves out windows that stick out at the end.", rule=averaging(lost="overhanging"))
edges("padding_ignored", "Begins at the first cell.", rule=windows(lambda w: w.but(padding=ones(w.padding, 0))))
edges("moved_back", "Moves windows that stick out back into the plane.", rule=windows(lambda w: w.but(inward=True)))
edges("kernel_one_long", "Takes a cell too many.", rule=windows(lambda w: w.but(kernel=tuple(k + 1 for k in w.kernel))))
edges(
    "kernel_one_short",
    "Takes a cell too few.",
    rule=windows(lambda w: w.but(kernel=tuple(max(k - 1, 1) for k in w.kernel))),
)
places = fixed.of("index rule")
places("stride_is_kernel", "Moves the window by its own size.", rule=windows(lambda w: w.but(stride=w.kernel)))
places("stride_one", "Moves windows by one cell.", rule=windows(lambda w: w.but(stride=ones(w.stride))))
places("adaptive_windows", "Shares the plane among the windows.", rule=windows(lambda w: w.but(adaptive=True)))
exchanged = Catalogue("average", when=lambda spec: takes_windows(spec) and has_rows(spec)).of("layout")
for field in ("kernel", "stride", "padding"):
    exchanged(f"{field}_h_and_w_swapped", f"Swaps the {field} along H and W.", rule=windows(partial(turned, field)))

shares = adaptive.of("index rule")
shares("windows_rounded_down", "Rounds ends down, too.", rule=windows(lambda w: w.but(rounding=("floor", "floor"))))
shares("windows_rounded_up", "Rounds beginnings up, too.", rule=windows(lambda w: w.but(rounding=("ceil", "ceil"))))
shares("windows_to_nearest", "Rounds both to nearest.", rule=windows(lambda w: w.but(rounding=("nearest", "nearest"))))
shares("windows_of_one_size", "Takes windows of one size and one step.", rule=windows(lambda w: w.but(adaptive=False)))
shares("windows_apart", "Begins every window where the one before ends.", rule=windows(lambda w: w.but(apart=True)))
adaptive.of("accumulation")("longest_divides", "Divides by the ratio, rounded up.", rule=averaging(count="kernel"))
adaptive.of("border")("window_end_lost", "Leaves out the last cell.", rule=windows(lambda w: w.but(longer=-1)))
adaptive.of("border")("window_end_included", "Takes one cell more.", rule=windows(lambda w: w.but(longer=1)))


# ---- linear and cubic ----
def resampling(**changes: Any) -> Change:
    def change(rule: Rule) -> Rule:
        assert isinstance(rule, Resampling)
        return replace(rule, **changes)

    return change


def kind(spec: OpSpec) -> str:
    described: Any = FUNCTIONS[spec.name]
    return str(described.args[0])


def is_cubic(spec: OpSpec) -> bool:
    return kind(spec).startswith("cubic")


def smooths(spec: OpSpec) -> bool:
    return spec.antialias


def two_taps(spec: OpSpec) -> bool:
    return kind(spec) == "linear"


def smooths_by_cubics(spec: OpSpec) -> bool:
    return kind(spec) == "cubic_aa"


def four_taps(spec: OpSpec) -> bool:
    return kind(spec) == "cubic"


def interpolates(spec: OpSpec) -> bool:
    return not smooths(spec)


linear = Catalogue("linear")
rule = linear.of("index rule")
rule("corners_ignored", "Does not align corners.", rule=resampling(align=False))
rule("corners_always", "Always aligns corners.", rule=resampling(align=True))
rule("half_missing", "Takes o * t for the position.", rule=resampling(place="cells"))
rule("half_not_subtracted", "Takes (o + 0.5) * t for the position.", rule=resampling(place="centres"))
rule("scales_ignored", "Ignores scales.", rule=resampling(given="ignored"))
rule("scales_inverted", "Takes 1 / scale.", rule=resampling(given="inverted"))
rule("ratio_inverted", "Inverts the ratio of the sizes.", rule=resampling(ratio="inverted"))
rule("ratio_whole", "Rounds the ratio of the sizes down.", rule=resampling(ratio="floor"))
rule("fraction_swapped", "Swaps the weights on both sides.", rule=resampling(fraction="swapped"), when=interpolates)
rule("nearest", "Copies the nearest cell.", rule=resampling(mode="nearest"), when=two_taps)
rule("mean_of_both", "Takes the mean of both sides.", rule=resampling(mode="mean"), when=two_taps)
rule("linear", "Interpolates linearly.", rule=resampling(mode="linear"), when=is_cubic)
rule("cubic", "Takes a cubic.", rule=resampling(mode="cubic"), when=lambda spec: not is_cubic(spec))
rule("cubic_of_a_half", "Takes the cubic of a = -0.5.", rule=resampling(a=-0.5), when=four_taps)
rule("cubic_of_three_quarters", "Takes the cubic of a = -0.75.", rule=resampling(a=-0.75), when=smooths_by_cubics)
rule("cubic_of_one", "Takes the cubic of a = -1.", rule=resampling(a=-1.0), when=is_cubic)
rule("antialiased", "Smooths, though nobody asked for it.", rule=resampling(antialias=True), when=interpolates)
rule("not_antialiased", "Does not smooth.", rule=resampling(antialias=False), when=smooths)
rule("support_fixed", "Smooths over a support that does not grow.", rule=resampling(scaled=False), when=smooths)
rule("equal_computed", "Uses the scale where sizes are equal.", rule=resampling(equal="computed"), when=forward)
linear.of("layout")(
    "scales_swapped", "Takes the scales in the wrong order.", rule=resampling(given="swapped"), when=has_rows
)

ends = linear.of("border")
ends("beyond_is_zero", "Takes 0 for cells outside.", rule=resampling(border="zero"), when=four_taps)
ends("extrapolated", "Goes on beyond the first and last cells.", rule=resampling(border="extrapolated"), when=two_taps)
ends("wrapped", "Takes cells from the other end.", rule=resampling(border="wrapped"), when=interpolates)
ends("mirrored", "Mirrors cells at the ends.", rule=resampling(border="mirrored"), when=four_taps)
ends("one_short", "Never takes the last cell.", rule=resampling(border="short"), when=interpolates)
ends("truncated", "Cuts positions off towards 0.", rule=resampling(truncated=True), when=four_taps)
ends(
    "not_normalised_at_ends",
    "Divides by the sum of all weights, also of cells outside.",
    rule=resampling(border="zero"),
    when=smooths,
)
linear.of("accumulation")(
    "not_normalised", "Does not divide by the sum of the weights.", rule=resampling(normalised=False), when=smooths
)

precise = linear.of("rounding")
for name in ("float16", "bfloat16"):
    precise(f"weights_in_{name}", f"Rounds weights to {name}.", rule=resampling(precision=name))
    precise(f"positions_in_{name}", f"Rounds positions to {name}.", rule=resampling(places=name), when=interpolates)
precise(
    "weights_of_8_bits", "Keeps 8 bits of a position's fraction.", rule=resampling(fraction="bits8"), when=interpolates
)

added = linear.of("accumulation")
added(
    "gradient_resampled",
    "Resamples the gradient instead of adding it up.",
    rule=resampling(gradient=False),
    when=gradient,
)
added("gradient_shared", "Divides by the sum of the weights.", rule=resampling(shared=True), when=gradient)
