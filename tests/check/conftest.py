"""The C++ programs of the gallery, compiled once."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.gallery import compile_gallery


@pytest.fixture(scope="session")
def binary(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gallery") / "gallery"
    compile_gallery(tree, path)
    return path
