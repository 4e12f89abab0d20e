"""The result is rounded in another way, or twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from acltwin.golden.dtypes import Array
from acltwin.golden.fills import adds
from acltwin.golden.models.model import Model, Page, Prediction
from acltwin.golden.models.roundings import directed, narrowed, to_tf32
from acltwin.golden.models.view import View
from acltwin.golden.rule import Limits
from acltwin.ops.spec import OpSpec

PAGE = Page(
    looks="Errors of one unit in the last place, in 16-bit dtypes, where sums are not exact; everything else passes.",
    arises="A conversion truncates, or rounds ties away from zero; or a value passes through a narrower type.",
    wrong="out = half(bits >> 13)                       # truncates",
    right="out = half(total)                            # to nearest, ties to even, once",
    fix="Convert once, at the end, with an explicit rounding mode; test with ties and with sums that the dtype cannot "
    "hold.",
)


def models(spec: OpSpec) -> tuple[Model, ...]:
    found = []
    if adds(spec):
        for name, words in (
            ("toward zero", "truncated"),
            ("ties away", "rounded with ties away from zero"),
            ("ties toward zero", "rounded with ties towards zero"),
            ("upward", "rounded up"),
            ("downward", "rounded down"),
            ("away from zero", "rounded away from zero"),
        ):
            found.append(
                Model(
                    f"rounds {name}",
                    "rounding",
                    f"results are {words} instead of rounded to nearest, ties to even",
                    _direction(name),
                    documented="nearest, ties to even",
                    observed=words,
                )
            )
            found.append(
                Model(
                    f"rounds {name}, float32 too",
                    "rounding",
                    f"float64 sums are {words} instead of rounded to nearest, ties to even, in every dtype",
                    _direction(name, widest=24),
                    documented="nearest, ties to even",
                    observed=words,
                    cost=1.05,
                )
            )
        found.append(
            Model(
                "rounds to either side",
                "rounding",
                "results are rounded to one of the two nearest numbers, but not always the nearer one",
                _either_side,
                documented="nearest, ties to even",
                observed="at random, or by an unknown rule",
                cost=1.6,
            )
        )
    for name in ("bfloat16", "float16", "tf32", "float32"):
        found.append(
            Model(
                f"result through {name}",
                "rounding",
                f"results pass through {name} before they reach their dtype",
                _through(name),
                documented="one rounding",
                observed=f"a rounding to {name} first",
            )
        )
        found.append(
            Model(
                f"values read as {name}",
                "rounding",
                f"the values are rounded to {name} before they are used",
                _read(name),
                documented="values as they are",
                observed=f"values rounded to {name}",
            )
        )
    return tuple(found)


def _direction(name: str, widest: int = 11) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        if view.dtype.bits > widest:  # such sums round on the way: there is no single rounding to look at
            return None
        if view.dtype.bits > 11:
            exact = directed(view.documented.value, view.dtype, name)
            limits = view.through(lambda sums: exact)
        else:
            limits = view.through(lambda sums: directed(sums, view.dtype, name))
        if limits is None:
            return None
        return _but_beyond(view, limits)

    return predict


def _but_beyond(view: View, limits: Limits) -> Limits:
    """Beyond the largest number some roundings stop there and some go to infinity; both have been seen."""
    value = view.documented.value
    beyond = np.isfinite(value) & (np.abs(value) > view.dtype.largest)
    return replace(limits, judged=np.asarray(limits.judged & ~beyond))


def _either_side(view: View) -> Prediction:
    """A sum that the dtype holds comes out as it is."""
    if not view.dtype.is_float:
        return None
    low = view.through(lambda sums: directed(sums, view.dtype, "downward"))
    high = view.through(lambda sums: directed(sums, view.dtype, "upward"))
    assert low is not None
    assert high is not None
    return _but_beyond(view, replace(low, high=high.high))


def _through(name: str) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        if name == view.dtype.name or not view.dtype.is_float:
            return None
        if name == "tf32":  # made by hand, so that ties go either way
            ways = [_tf32(view, ties) for ties in ("even", "away", "toward zero")]
            return view.any_of(*ways)
        return view.through(lambda sums: view.exactly_shaped(narrowed(sums, name)))

    return predict


def _tf32(view: View, ties: str) -> Callable[[Array], Array]:
    return lambda sums: view.exactly_shaped(to_tf32(sums, ties))


def _read(name: str) -> Callable[[View], Prediction]:
    def predict(view: View) -> Prediction:
        if name == view.dtype.name or not view.dtype.is_float:
            return None
        return view.documented_on(narrowed(view.x, name))

    return predict
