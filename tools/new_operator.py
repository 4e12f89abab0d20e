"""Start a new operator from its nearest relative: two files, which say what to change.

    python tools/new_operator.py max_pool2d_again --like max_pool2d_with_indices --aclnn aclnnMaxPool2dAgain

The declaration and the reference are copies of the relative's; the new names follow at the end of the declaration, so
that the tree builds and every test passes before the first line is changed. Then edit them, and run
tools/generate_operators.py, tools/generate_stubs.py and tools/generate_status_pages.py. Nothing else needs a change.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from declarations import import_from_tree

ROOT = Path(__file__).resolve().parent.parent
OPERATORS = import_from_tree("acltwin.ops").OPERATORS
PLACES = ("src/acltwin/ops/{}.py", "src/acltwin/reference/{}.py")


def declaration(text: str, name: str, like: str, c_name: str) -> str:
    """The relative's, and after it the new names: its partner and its kernels stay until the call itself is changed."""
    names = {"name": f'"{name}"', "c_name": f'"{c_name}"', "header": f'"aclnn_{name}.h"'}
    names["doc"] = f'SPEC.doc.replace("{like}", "{name}")'
    fields = "".join(f"    {field}={value},\n" for field, value in names.items())
    docstring, _, rest = text.partition("\n\n")
    imports = "import dataclasses\n" if rest.startswith("from dataclasses") else "import dataclasses\n\n"
    return f"{docstring}\n\n{imports}{rest}SPEC = dataclasses.replace(\n    SPEC,\n{fields})\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the array function and of all files")
    parser.add_argument(
        "--like", required=True, choices=OPERATORS, metavar="NAME", help="one that does nearly the same"
    )
    parser.add_argument("--aclnn", required=True, help="the name of the C function")
    chosen = parser.parse_args()
    sources, targets = ([ROOT / place.format(name) for place in PLACES] for name in (chosen.like, chosen.name))
    for target in targets:
        if target.exists():
            parser.error(f"{target.relative_to(ROOT)} exists; choose another name, or edit that file")
    declared, reference = (source.read_text() for source in sources)
    texts = (
        declaration(declared, chosen.name, chosen.like, chosen.aclnn),
        re.sub(rf"\b{chosen.like}\b", chosen.name, reference),
    )
    for target, text in zip(targets, texts, strict=True):
        target.write_text(text)
        print(f"written: {target.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
