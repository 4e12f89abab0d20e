"""How much a set of cases catches: every built-in wrong implementation is run over it, and judged by its rule.

Right implementations that add in other orders run along; a rule that rejects one of them rejects right results.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import cases as our_cases
from acltwin.golden.cases.checked import Count, checked, json_of
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.family import Level
from acltwin.golden.files import Choice, chosen_cases
from acltwin.golden.judge.bound import Bound, Limits, limits
from acltwin.golden.judge.expected import Expected
from acltwin.golden.judge.judge import is_right, judge
from acltwin.golden.judge.verdict import Record
from acltwin.golden.wrong import RIGHT, Mutant, Result, load
from acltwin.ops import OPERATORS

SHOWN = 5  # survivors of each cause that are named


@dataclass(frozen=True)
class Survivor:
    """A wrong implementation of an operator that every case lets pass."""

    operator: str
    name: str
    cause: str
    sentence: str


@dataclass(frozen=True)
class Rejection:
    """A right implementation that the rule rejects."""

    operator: str
    name: str
    sentence: str
    case: str  # the first one
    cases: Count  # how many


@dataclass(frozen=True)
class Score:
    """What came of it: one for every wrong implementation of every operator that the cases call."""

    cases: Count
    rule: str
    caught: Count
    total: Count
    survivors: tuple[Survivor, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    to_add: tuple[str, ...] = ()  # "operator case": the fewest cases of ours that were found to catch the survivors
    beyond: tuple[Survivor, ...] = ()  # survivors that no case of ours catches either
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rejects_right_results(self) -> bool:
        return bool(self.rejections)

    @property
    def survivors_by_cause(self) -> dict[str, int]:
        return dict(Counter(survivor.cause for survivor in self.survivors).most_common())

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "survivors_by_cause": self.survivors_by_cause}

    @staticmethod
    def load(path: str | Path) -> Score:
        """A score that ``acltwin score --json`` wrote; ValueError if the file is none."""
        try:
            score: Score = checked(Score, json_of(Path(path)), str(path))
        except ValueError as error:
            raise ValueError(
                f"{path} is not a score that can be read: {error}; make it again with acltwin score --json"
            ) from error
        return score

    def text(self) -> str:
        """For people."""
        return _text(self)


class RememberedCase(Case):
    """A case whose data and expected results are made once, since many outputs are judged by it."""

    @staticmethod
    def of_case(case: Case) -> RememberedCase:
        return RememberedCase(**{part.name: getattr(case, part.name) for part in fields(case)})

    @cached_property
    def _made(self) -> dict[str, Array]:
        return super()._tensors()

    @cached_property
    def _expected(self) -> Expected:
        return super().expected()

    def _tensors(self) -> dict[str, Array]:
        return dict(self._made)

    def expected(self) -> Expected:
        return self._expected

    @cached_property
    def allowed(self) -> Limits:
        """What ``bound`` allows."""
        return limits(self.expected(), Bound(self.accumulate))

    def answer(self, mutant: Mutant) -> Result:
        """What an implementation makes of the case."""
        arguments = {**self.arguments, **({"rule": self.map_rule} if self.spec.has_map_rule else {})}
        return mutant.run(self.operator, self.inputs(), arguments)

    def record(self, mutant: Mutant) -> Record:
        """The verdict on it, with the output if that is wrong."""
        output = self.answer(mutant)
        verdict = judge(self, output)
        kept = output if isinstance(output, tuple) else (output,)
        return Record(self, verdict, output=None if verdict.passed else kept)


def passes(mutant: Mutant, case: RememberedCase, rule: str, options: Mapping[str, Any]) -> bool:
    """Whether a case and a rule let an implementation pass."""
    output = case.answer(mutant)
    if rule == "bound" and not options and not case.asks:
        return is_right(case, output, case.allowed)
    return judge(case, output, rule, **options).passed


def wrong_implementations(operator: str) -> list[Mutant]:
    """Those of an operator whose results count as wrong."""
    spec = OPERATORS[operator]
    return [mutant for mutant in load(spec.family) if mutant.applies(spec) and not mutant.tolerated]


def right_implementations(operator: str) -> list[Mutant]:
    return [mutant for mutant in load(RIGHT) if mutant.applies(OPERATORS[operator])]


def score(
    cases: Iterable[Case] | str | Path,
    *,
    rule: str = "bound",
    level: Level = "default",
    advise: bool = True,
    progress: Callable[[], None] = lambda: None,
    **options: Any,
) -> Score:
    """The score of a set of cases under a rule.

    Args:
        cases: of one or several operators, with data of any origin; or a file or directory of cases.
        rule: the rule that judges, with its ``options`` as in ``golden.judge``.
        level: of our cases, among which those are looked for that catch the survivors.
        advise: whether to look for them at all, which takes longer than the rest.
        progress: is called after every case.
    """
    by_operator: dict[str, list[Case]] = {}
    for case in _read(cases) if isinstance(cases, str | Path) else cases:
        by_operator.setdefault(case.operator, []).append(case)
    total, survivors, rejections, to_add, beyond = 0, [], [], [], []
    for operator, theirs in by_operator.items():
        wrong = wrong_implementations(operator)
        left, rejected = _run_over(operator, theirs, wrong, rule, options, progress)
        total += len(wrong)
        survivors += [_survivor(operator, mutant) for mutant in left]
        rejections += rejected
        if advise and left:
            names, uncaught = cover(operator, left, level)
            to_add += [f"{operator} {name}" for name in names]
            beyond += [_survivor(operator, mutant) for mutant in uncaught]
    return Score(
        cases=sum(map(len, by_operator.values())),
        rule=rule,
        caught=total - len(survivors),
        total=total,
        survivors=tuple(survivors),
        rejections=tuple(rejections),
        to_add=tuple(to_add),
        beyond=tuple(beyond),
        options=options,
    )


def _read(path: str | Path) -> list[Case]:
    choice = Choice()
    cases = chosen_cases([str(path)], choice)
    for note in choice.notes:
        print(note, file=sys.stderr)
    return cases


def _run_over(
    operator: str,
    cases: Sequence[Case],
    wrong: Sequence[Mutant],
    rule: str,
    options: Mapping[str, Any],
    progress: Callable[[], None],
) -> tuple[list[Mutant], list[Rejection]]:
    """The wrong ones that pass every case, and the right ones that do not."""
    left, rejected = list(wrong), {mutant.name: list[str]() for mutant in right_implementations(operator)}
    for plain in cases:
        case = RememberedCase.of_case(plain)
        for mutant in right_implementations(operator):
            if not passes(mutant, case, rule, options):
                rejected[mutant.name].append(case.name)
        left = [mutant for mutant in left if passes(mutant, case, rule, options)]
        progress()
    found = [
        Rejection(operator, mutant.name, mutant.sentence, rejected[mutant.name][0], len(rejected[mutant.name]))
        for mutant in right_implementations(operator)
        if rejected[mutant.name]
    ]
    return left, found


def cover(operator: str, mutants: Sequence[Mutant], level: Level = "default") -> tuple[list[str], list[Mutant]]:
    """Cases of ours that together catch these, few of them, and those that none catches.

    Greedy: the case that catches most of what is left comes next; in the end none stays that the others make needless.
    Quick cases are tried first, others only for what those let pass.
    """
    cases: dict[str, Case] = {}
    caught: dict[str, set[str]] = {}  # by the case of this name
    left = list(mutants)
    for stage in dict.fromkeys(("quick", level)):
        new = {case.name: case for case in our_cases(operator, level=stage) if left and case.name not in cases}
        cases.update(new)
        caught.update({name: _caught(case, left) for name, case in new.items()})
        found = set().union(*caught.values())
        left = [mutant for mutant in left if mutant.name not in found]
    todo = [mutant for mutant in mutants if mutant not in left]
    chosen = _greedy(caught, {mutant.name for mutant in todo})
    caught = {name: _caught(cases[name], todo) for name in chosen}
    for name in list(chosen):
        others = set().union(*(caught[other] for other in chosen if other != name))
        if caught[name] <= others:
            chosen.remove(name)
    return chosen, left


def _caught(case: Case, mutants: Sequence[Mutant]) -> set[str]:
    """The names of those that a case of ours catches under our rule."""
    remembered = RememberedCase.of_case(case)
    return {mutant.name for mutant in mutants if not passes(mutant, remembered, "bound", {})}


def _greedy(caught: Mapping[str, set[str]], names: set[str]) -> list[str]:
    """Keys whose sets hold all of these names."""
    chosen, left = [], set(names)
    while left:
        best = max(caught, key=lambda key: len(caught[key] & left))
        chosen.append(best)
        left -= caught[best]
    return chosen


def _survivor(operator: str, mutant: Mutant) -> Survivor:
    return Survivor(operator, mutant.name, mutant.cause, mutant.sentence)


def _text(score: Score) -> str:
    cases = "1 case" if score.cases == 1 else f"{score.cases} cases"
    lines = [f"{score.caught} of {score.total} wrong implementations caught by {cases} under {score.rule}"]
    if score.rejections:
        lines.append(f"{score.rule} rejects right results:")
    lines += [
        f"  {rejection.operator}  {rejection.sentence} Rejected in {rejection.cases} cases, first in {rejection.case}."
        for rejection in score.rejections
    ]
    for cause, count in score.survivors_by_cause.items():
        lines.append(f"not caught: {cause} ({count})")
        named = [survivor for survivor in score.survivors if survivor.cause == cause]
        lines += [f"  {survivor.operator}  {survivor.sentence}" for survivor in named[:SHOWN]]
        if count > SHOWN:
            lines.append(f"  and {count - SHOWN} more")
    if score.to_add:
        lines.append("the fewest cases of ours that catch them:")
        lines += [f"  {case}" for case in score.to_add]
    if score.beyond:
        lines.append("no case of ours catches:")
        lines += [f"  {survivor.operator}  {survivor.sentence}" for survivor in score.beyond]
    return "\n".join(lines)
