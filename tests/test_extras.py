"""Parts of the package that need a library say which one, and how to get it, where it is missing."""

from __future__ import annotations

import pytest

from support.processes import run_python


@pytest.mark.parametrize("library", ["dask", "jax", "torch"])
def test_a_missing_library_is_named_with_the_command_that_installs_it(library: str) -> None:
    done = run_python(f"import sys; sys.modules[{library!r}] = None; import acltwin.{library}")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"ImportError: acltwin.{library} needs {library}, which cannot be imported (")
    assert last.endswith(f"in a clone of acltwin's repository: pip install '.[{library}]'")


def test_a_part_that_is_not_imported_says_how_to_import_it() -> None:
    done = run_python("import acltwin; acltwin.golden")
    assert done.stderr.splitlines()[-1] == (
        "AttributeError: acltwin.golden is not imported; write 'import acltwin.golden' first"
    )
