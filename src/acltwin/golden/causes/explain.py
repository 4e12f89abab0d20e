"""Why a kernel fails: the simplest known mistake that reproduces every failing output and fits every passing one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, groupby

import numpy as np
from numpy.typing import NDArray

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import cases
from acltwin.golden.cases.family import adds, weighs
from acltwin.golden.cases.masks import NOWHERE, has_mask
from acltwin.golden.causes import models_of
from acltwin.golden.causes.cause import Cause, Named
from acltwin.golden.causes.evidence import PATHS, evidence_of
from acltwin.golden.causes.index_rule import documented_rule
from acltwin.golden.causes.model import Maxima, Model, Prediction
from acltwin.golden.causes.predictions import equal, exact_results, is_right, predicted, reproduces
from acltwin.golden.causes.seen import seen
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Bound
from acltwin.golden.judge.expected import Expected
from acltwin.golden.judge.verdict import Record

SECONDS = 10.0
FIRST = 3  # failing cases on which every model is tried first
NEAREST = 0.9  # a model that explains less of the failing cases is not worth a word


def explain(records: Iterable[Record], seconds: float = SECONDS) -> Cause | None:
    """The cause of the failures among these records, all of one operator; None if nothing failed.

    Records that failed without an output (a crash, another shape) say nothing here.
    """
    given = list(records)
    records = [_indexed(record) for record in given]
    failing = [
        record for record in records if not record.verdict.passed and record.output and not record.verdict.problem
    ]
    if not failing:
        return None
    deadline = time.process_time() + seconds
    failing = _varied(failing)
    passing = sorted((record for record in records if record.verdict.passed), key=_size)
    signs = bool(failing[0].verdict.options.get("zero_sign"))
    search = _Search([View(record.case, record.output) for record in failing], passing, deadline, signs)
    search.masked = has_mask(given[0].case.spec)
    found = Cause("unknown", failing=len(failing), passing=len(passing), evidence=evidence_of(records))
    if signs and all(record.case.judge(record.output).passed for record in failing):
        return replace(found, evidence=("only the signs of zeros are wrong", *found.evidence))
    models = models_of(given[0].case.spec)
    where, agreeing = "", len(passing)
    try:
        cheapest = search.cheapest(models)
        cheapest = cheapest or search.cheapest(seen(search.spec, search.views), seek_nearest=False)
        if not cheapest:
            cheapest, where, agreeing = search.among_some(failing)
        cheapest = cheapest or search.cheapest(_pairs(models), seek_nearest=False)
        if not cheapest and search.excuses_nan():
            cheapest = search.cheapest((SPREADS, *models), seek_nearest=False)
        if not cheapest:
            cheapest, where, agreeing = search.among_some(failing)
    except _TimeUpError:
        stopped = f"the search for a cause was stopped after {seconds:g} s; --explain-seconds gives it more"
        return replace(found, evidence=(*found.evidence, stopped))
    if cheapest:
        named = tuple(_named(model) for model in cheapest)
        if where:
            named = tuple(replace(one, sentence=f"{one.sentence}; only with {where}") for one in named)
        if search.excused and SPREADS not in cheapest:
            named = tuple(replace(one, sentence=f"{one.sentence}; and {SPREADS.sentence}") for one in named)
        agreeing = agreeing if where else len(passing)
        found = replace(found, kind="known", models=named, explained=len(failing), passing=agreeing, agreeing=agreeing)
        if len(cheapest) == 1:
            return found
        apart = _apart(cheapest, given[0].case, failing[0].case.dtype, deadline)
        return replace(found, kind="several", apart=apart)
    if search.best is None or search.best_share <= NEAREST:
        return found
    explained = round(search.best_share * len(failing))
    return replace(found, kind="nearest", models=(_named(search.best),), explained=explained)


class _TimeUpError(Exception):
    pass


SPREADS = Model(
    "NaN spreads",
    "special values",
    "NaN and infinities spread over their plane, as if weights of 0 were multiplied with them",
    lambda view: view.documented,
    cost=0.5,
    page="common/special_values",
)
"""Beside any other mistake: see `_Search.excuses_nan`."""


class _Search:
    """For models that reproduce every failing output and contradict no passing one.

    ``best`` is the one that came nearest, ``best_share`` its share of the failing outputs.
    """

    def __init__(self, failing: Sequence[View], passing: Sequence[Record], deadline: float, signs: bool) -> None:
        self._bound = Bound(zero_sign=signs)  # predictions have the signs of their zeros where those matter
        self._failing, self._passing, self._deadline = list(failing), passing, deadline
        self.views, self.spec = tuple(failing), failing[0].spec
        self._contradicted: list[Model] = []  # that reproduce every failing output, but would have failed elsewhere too
        self._looks = 0
        self.masked = False  # whether indices are seen in a mask, which has but a bit for a window of one cell
        self.excused: dict[int, NDArray[np.bool_]] = {}  # by the view: cells that another mistake explains
        self.best: Model | None = None
        self.best_share = 0.0

    def cheapest(self, models: Iterable[Model], seek_nearest: bool = True) -> list[Model]:
        """Of the models, which come by their cost, the cheapest that fit; none if none does."""
        reproduces_all = self._reproduces_nearly_all if seek_nearest else self._reproduces_all
        for _, group in groupby(models, key=lambda model: model.cost):
            fitting = [model for model in group if reproduces_all(model)]
            agreeing = self._agreeing(fitting, self._passing)
            if agreeing:
                return agreeing
            self._contradicted += fitting
        return []

    def among_some(self, failing: Sequence[Record]) -> tuple[list[Model], str, int]:
        """The cheapest that fit if all that failed has something in common, what that is, and what passed with it.

        A kernel may have another path for a dtype, a layout or an argument: what passed without it says nothing then.
        """
        for what, of in PATHS.items():
            common = {of(record.case) for record in failing}
            alike = [record for record in self._passing if of(record.case) in common]
            if len(alike) == len(self._passing):
                continue
            for _, group in groupby(self._contradicted, key=lambda model: model.cost):
                agreeing = self._agreeing(list(group), alike)
                if agreeing:
                    return agreeing, f"{what} {', '.join(sorted(common))}", len(alike)
        return [], "", 0

    def _reproduces_all(self, model: Model) -> bool:
        """An output that told one model is the first to be shown to the next."""
        self._watch_time()
        for number, view in enumerate(self._failing):
            if not self._fits(model, view):
                self._failing.insert(0, self._failing.pop(number))
                return False
        return True

    def _reproduces_nearly_all(self, model: Model) -> bool:
        """The same, but one that comes near is remembered. Tried on few outputs first."""
        self._watch_time()
        few, many = self._failing[:FIRST], self._failing[FIRST:]
        if not all(self._fits(model, view) for view in few):
            return False
        misses = 0
        for view in many:
            misses += not self._fits(model, view)
            if misses > (1 - NEAREST) * len(self._failing):
                return False
        share = 1 - misses / len(self._failing)
        if misses and share > self.best_share:
            self.best, self.best_share = model, share
        return not misses

    def _agreeing(self, models: list[Model], passing: Sequence[Record]) -> list[Model]:
        """Those that predict a right result wherever the kernel had one."""
        for record in passing:
            if not models:
                break
            self._watch_time()
            view = View(record.case)
            models = [
                m for m in models if _same_map(m, view) or is_right(self._predicted(m, view), record, view, self._bound)
            ]
        return models

    def _fits(self, model: Model, view: View) -> bool:
        assert view.observed_arrays is not None
        prediction, outputs = self._predicted(model, view), view.observed_arrays
        if id(view) in self.excused and (exact := exact_results(prediction, view)) is not None:
            outputs = (np.where(self.excused[id(view)], exact, outputs[0]), *outputs[1:])
        return reproduces(prediction, outputs, self._bound)

    def _predicted(self, model: Model, view: View) -> Prediction:
        prediction = predicted(model, view)
        if not isinstance(prediction, Maxima | Expected) or prediction.indices is None:
            return prediction
        if self.masked and np.all(np.asarray(view.arguments["kernel_size"]) == 1):
            right = prediction.indices == view.documented.indices
            indices = np.where(right, prediction.indices, NOWHERE)
            if isinstance(prediction, Maxima):
                return replace(prediction, indices=indices)
            prediction.indices = indices
        return prediction

    def excuses_nan(self) -> bool:
        """From now on, NaN may stand anywhere in a plane whose input has NaN or infinities; whether it does."""
        several = False
        for view in self.views if adds(self.spec) else ():
            planes = (~np.isfinite(view.x)).any(tuple(range(view.x.ndim - view.axes, view.x.ndim)), keepdims=True)
            excused = np.isnan(view.found) & planes
            if excused.any():
                self.excused[id(view)] = view.laid(excused)
                several |= bool((excused & view.wrong).any())
        return several

    def _watch_time(self) -> None:
        self._looks += 1  # a look at the clock can take as long as a small model
        if self._looks % 8 == 0 and time.process_time() > self._deadline:
            raise _TimeUpError


def _varied(records: list[Record]) -> list[Record]:
    """The smallest first, but one of every geometry before the second of any: a wrong model fails soon."""
    seen: Counter[str] = Counter()
    places: list[tuple[int, int, Record]] = []
    for record in sorted(records, key=_size):
        geometry = record.case.name.partition("/")[0]
        places.append((seen[geometry], len(places), record))
        seen[geometry] += 1
    return [record for *_, record in sorted(places, key=lambda place: place[:2])]


def _same_map(model: Model, view: View) -> bool:
    """Whether a model of the index rule changes nothing in a case: no data are needed to see that."""
    if model.deviate is None:
        return False
    if weighs(view.spec):
        changed = model.deviate(view.rule).tables(view.source, view.result)
        return all(np.array_equal(one.weights, other.weights) for one, other in zip(changed, view.tables, strict=True))
    rule = documented_rule(view)
    return all(map(np.array_equal, model.deviate(rule).matrices(view), rule.matrices(view)))


def _pairs(models: Iterable[Model]) -> Iterable[Model]:
    """Two steps in the grid of index rules."""
    steps = [model for model in models if model.deviate is not None and model.in_pairs]
    return sorted((_both(first, second) for first, second in combinations(steps, 2)), key=lambda model: model.cost)


def _both(first: Model, second: Model) -> Model:
    one, other = first.deviate, second.deviate
    assert one is not None
    assert other is not None
    return replace(
        first,
        name=f"{first.name}, and {second.name}",
        sentence=f"{first.sentence}; and {second.sentence}",
        documented="; ".join(filter(None, (first.documented, second.documented))),
        observed="; ".join(filter(None, (first.observed, second.observed))),
        deviate=lambda rule: other(one(rule)),
        cost=first.cost + second.cost,
        page=" ".join(dict.fromkeys((first.page, second.page))),
    )


def _apart(models: Sequence[Model], like: Case, dtype: str, deadline: float) -> str:
    """The smallest case of ours on which the models do not agree."""
    for case in sorted(cases(like.operator, dtypes=(dtype,), map_rule=like.map_rule), key=_cells):
        if time.process_time() > deadline:
            return "no time was left to look for a case that tells them apart"
        view = View(case)
        results = [exact_results(predicted(model, view), view) for model in models]
        known = [result for result in results if result is not None]
        if any(not equal(known[0], other) for other in known[1:]):
            return f"{case.name} tells them apart"
    return "they are the same on every case"


def _named(model: Model) -> Named:
    return Named(
        model.name, model.cause, model.sentence, model.documented, model.observed, model.note, model.cost, model.page
    )


def _indexed(record: Record) -> Record:
    """As models see it: with indices for a mask."""
    output = record.output
    if output and not record.verdict.problem:
        output = tuple(record.case.with_indices(list(output)))
    return replace(record, case=record.case.indexed, output=output)


def _size(record: Record) -> int:
    return _cells(record.case)


def _cells(case: Case) -> int:
    if case.geometry is None:
        return sum(tensor.size for tensor in case.inputs().values())
    sizes = (*case.batch, *case.geometry.source)
    return int(np.prod(sizes))
