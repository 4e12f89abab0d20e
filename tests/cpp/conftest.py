"""One SDK tree for all tests here."""

from __future__ import annotations

from pathlib import Path

import pytest

from acltwin import sdk


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("sdk")
    sdk.write_tree(directory)
    return directory
