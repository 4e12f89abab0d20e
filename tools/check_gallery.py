"""Runs every program of the gallery of check mode many times, and says how often it gave its findings and nothing else.

    python tools/check_gallery.py [--runs 20] [WORD ...]

Words choose programs: those whose name, language or findings have one of them. Wrong programs run once more with
their mistake fixed, which must give nothing. Status 1 if any run was different. ``make check-gallery`` runs all.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from acltwin import sdk
from support.gallery import Program, command_of, compile_gallery, programs, run_checked


def good_runs(program: Program, binary: Path, folder: Path, fixed: bool, runs: int) -> tuple[int, str]:
    """How many runs gave the expected findings, all with the same story; and what the first other one printed."""
    expected = () if fixed else program.finds
    good, other, story = 0, "", None
    for _ in range(runs):
        run = run_checked(command_of(program, binary, fixed), folder)
        story = run.story if story is None else story
        if run.ids == expected and run.story == story:
            good += 1
        elif not other:
            other = run.printed
    return good, other


def chosen(words: list[str]) -> list[Program]:
    """Those with one of the words in their name, language or findings; ``nothing`` chooses the right ones."""
    texts = {program: f"{program.label} {' '.join(program.finds) or 'nothing'}" for program in programs()}
    return [program for program, text in texts.items() if not words or any(word in text for word in words)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    runs, bad, total = arguments.runs, 0, 0
    with tempfile.TemporaryDirectory(prefix="acltwin-gallery-") as name:
        folder = Path(name)
        selection = chosen(arguments.words)
        if any(program.language == "C++" for program in selection):
            sdk.write_tree(folder / "sdk")
            compile_gallery(folder / "sdk", folder / "gallery")
        for program in selection:
            for fixed in (False, True) if program.is_wrong else (False,):
                good, other = good_runs(program, folder / "gallery", folder, fixed, runs)
                what = "nothing" if fixed or not program.is_wrong else " ".join(program.finds)
                print(f"{good} of {runs}  {program.label}{' fixed' if fixed else ''}: {what}", flush=True)
                total, bad = total + 1, bad + (good != runs)
                if good != runs:
                    print(other)
    print(f"{total - bad} of {total} programs gave what they must in {runs} of {runs} runs")
    return int(bad > 0 or total == 0)


if __name__ == "__main__":
    sys.exit(main())
