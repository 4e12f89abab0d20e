"""Start a new operator from its nearest relative: five files, which say what to change.

    python tools/new_operator.py max_unpool2d --like max_unpool3d --aclnn aclnnMaxUnpool2d

The new files are copies of the relative's with the names replaced, so that the tree builds and every test passes before
the first line is changed. Then edit them, and run tools/generate_operators.py, tools/generate_stubs.py and
tools/generate_status_pages.py. Nothing else needs to be touched.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACES = (
    "src/acltwin/ops/{}.py",
    "src/acltwin/reference/{}.py",
    "native/ops/{}.cpp",
    "docs/operators/{}.md",
    "tests/ops/test_{}.py",
)


def renamed(text: str, name: str, like: str, c_name: str) -> str:
    """The relative's text under the new names; the C header follows from the operator's name."""
    text = re.sub(rf"(?<!functional\.)(?<!F\.)\b{like}\b", name, text)  # PyTorch keeps its own
    text = re.sub(r'(\bc_name=")[^"]+"', rf'\g<1>{c_name}"', text)
    return re.sub(r'(\bheader=")[^"]+"', rf'\g<1>aclnn_{name}.h"', text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the array function and of all files")
    parser.add_argument("--like", required=True, help="an operator that does nearly the same")
    parser.add_argument("--aclnn", required=True, help="the name of the C function")
    chosen = parser.parse_args()
    for place in PLACES:
        source, target = (ROOT / place.format(name) for name in (chosen.like, chosen.name))
        if target.exists():
            parser.error(f"{target.relative_to(ROOT)} exists; choose another name, or edit that file")
        if not source.exists():
            parser.error(f"{source.relative_to(ROOT)} does not exist; choose another operator for --like")
    for place in PLACES:
        source, target = (ROOT / place.format(name) for name in (chosen.like, chosen.name))
        target.write_text(renamed(source.read_text(), chosen.name, chosen.like, chosen.aclnn))
        print(f"written: {target.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
