"""How often the golden tools name the cause of a failure, over all built-in wrong implementations. Prints a table.

    python benchmarks/golden_causes.py [OPERATOR...]

Every wrong implementation is run over the default cases, and its failures are explained. ``right``: the class of the
fault is named, and no other; ``wrong``: only others; ``open``: not known, or several that differ. The odd ones, which
no catalogue of mistakes is expected to know, should stay open.
"""

from __future__ import annotations

import sys
from collections import Counter

from acltwin import golden
from acltwin.golden.explain import Cause, explain
from acltwin.golden.mutants import Mutant
from acltwin.golden.run import Record
from acltwin.golden.score import RememberedCase, wrong_implementations
from acltwin.ops import OPERATORS

SECONDS = 20.0


def cause_of(mutant: Mutant, cases: list[RememberedCase]) -> Cause | None:
    records = []
    for case in cases:
        output = case.answer(mutant)
        verdict = golden.judge(case, output)
        kept = output if isinstance(output, tuple) else (output,)
        records.append(Record(case, verdict, output=None if verdict.passed else kept))
    return explain(records, SECONDS)


def word(mutant: Mutant, cause: Cause | None) -> str:
    named = {model.cause for model in cause.models} if cause and cause.kind in ("known", "several") else set()
    answer = "right" if named == {mutant.cause} else "open" if not named or mutant.cause in named else "wrong"
    return f"odd, {'open' if answer == 'open' else 'named'}" if mutant.held_out else answer


def main() -> None:
    words = ("right", "wrong", "open", "odd, named", "odd, open")
    print(f"{'':34}" + "".join(f"{each:>12}" for each in words))
    for operator in sys.argv[1:] or OPERATORS:
        cases = [RememberedCase.of_case(case) for case in golden.cases(operator)]
        counts: Counter[str] = Counter()
        for mutant in wrong_implementations(operator):
            cause = cause_of(mutant, cases)
            answer = word(mutant, cause)
            counts[answer] += 1
            if answer in ("wrong", "odd, named") and cause:
                print(f"  {mutant.name} ({mutant.cause}): {', '.join(f'{m.name} ({m.cause})' for m in cause.models)}")
        print(f"{operator:34}" + "".join(f"{counts[each]:>12}" for each in words), flush=True)


if __name__ == "__main__":
    main()
