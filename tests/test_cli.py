"""The command as a whole; its subcommands are tested with what they do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from acltwin import cli


@pytest.mark.parametrize("words", [("explain",), ("info", "--json"), ("run",)])
def test_a_reader_that_leaves_early_is_no_error(words: tuple[str, ...]) -> None:
    """As in ``acltwin explain | head -1``."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "acltwin", *words], stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (cli.READER_LEFT, "")
