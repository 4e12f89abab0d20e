"""How often the golden tools name the cause of a failure, over all built-in wrong implementations. Prints tables.

    python benchmarks/golden_causes.py [--list] [--save FILE] [OPERATOR...]

Every wrong implementation is run over the default cases, and its failures are explained. ``right``: the class of the
fault is named, and no other; ``not known``: no cause is named, or several whose classes differ; ``wrong``: only
others. Those that are held out are so odd that no catalogue of mistakes is expected to know them: they must stay
unnamed. ``--list`` shows what was said of each, to be read; ``--save`` keeps the results of a count, so that one that
was interrupted, or made operator by operator, goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from acltwin import golden
from acltwin.golden.causes.cause import Cause, cause_lines
from acltwin.golden.causes.explain import explain
from acltwin.golden.causes.seen import FROM_OUTPUTS
from acltwin.golden.judge import decode
from acltwin.golden.wrong import Mutant
from acltwin.golden.wrong.score import RememberedCase, wrong_implementations
from acltwin.ops import OPERATORS

decode.read = lambda *_: None  # which sources of a cell are wrong is not asked here, and takes most of the time
SECONDS = 140.0  # enough on a busy machine: a count must not depend on its speed
WORDS = ("wrong implementations", "right", "not known", "wrong", "held out", "held out, named")
SAME = {
    "index_from_tile": ("index rule", "an index modulo 256 is what a tile of 256 gives, and what 8 bits give"),
}
"""Another class than the mutant's own that is right as well, and why: no output could tell the two apart."""


def word(mutant: Mutant, cause: Cause | None) -> str:
    named = {model.cause for model in cause.models} if cause and cause.kind in ("known", "several") else set()
    if mutant.held_out:  # the place and content of wrong cells, read from the outputs, are no name
        return "held out, named" if cause and named and cause.models[0].cost < FROM_OUTPUTS else "held out"
    right = {mutant.cause, SAME.get(mutant.name, (mutant.cause,))[0]}
    if named and named <= right:
        return "right"
    return "not known" if not named or named & right else "wrong"


def counted(operators: Iterable[str], save: Path | None) -> list[dict[str, Any]]:
    """What is said of each; those of ``save`` are not asked for again."""
    results = [json.loads(line) for line in save.read_text().splitlines()] if save and save.exists() else []
    done = {(result["operator"], result["mutant"]) for result in results}
    for operator in operators:
        todo = [mutant for mutant in wrong_implementations(operator) if (operator, mutant.name) not in done]
        cases = [RememberedCase.of_case(case) for case in golden.cases(operator)] if todo else []
        for mutant in todo:
            cause = explain([case.record(mutant) for case in cases], SECONDS)
            result = {
                "operator": operator,
                "family": mutant.family,
                "mutant": mutant.name,
                "cause": mutant.cause,
                "sentence": mutant.sentence,
                "word": word(mutant, cause),
                "said": cause_lines(cause) if cause else ["every case passed"],
            }
            results.append(result)
            if save:
                with save.open("a") as file:
                    file.write(json.dumps(result) + "\n")
    return [result for result in results if result["operator"] in set(operators)]


def table(results: list[dict[str, Any]], by: str) -> str:
    lines = [f"| {by} | {' | '.join(WORDS)} |", f"|---|{'---:|' * len(WORDS)}"]
    for group in dict.fromkeys(result[by] for result in results):
        lines.append(_line(group, [result for result in results if result[by] == group]))
    return "\n".join([*lines, _line("together", results)])


def _line(name: str, results: list[dict[str, Any]]) -> str:
    counts = Counter(result["word"] for result in results)
    held_out = counts["held out"] + counts["held out, named"]
    numbers = [sum(counts.values()) - held_out, counts["right"], counts["not known"], counts["wrong"], held_out]
    return f"| {name} | {' | '.join(map(str, [*numbers, counts['held out, named']]))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="show what was said of each")
    parser.add_argument("--save", type=Path, help="a file that keeps the results")
    parser.add_argument("operators", nargs="*", default=list(OPERATORS))
    arguments = parser.parse_args()
    results = counted(arguments.operators, arguments.save)
    for result in results:
        if arguments.list or result["word"] in ("wrong", "held out, named"):
            print(
                f"{result['operator']} {result['mutant']} ({result['cause']}; {result['word']}): {result['sentence']}"
            )
            print("\n".join(f"    {line}" for line in result["said"]))
    print(table(results, "operator"), table(results, "family"), sep="\n\n")


if __name__ == "__main__":
    main()
