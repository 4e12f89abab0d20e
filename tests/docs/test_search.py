"""The built documentation: no warnings, every public name, and a search that finds what people type."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sphinx.search.en import SearchEnglish

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    plain = ["-D", "html_theme=basic"]  # the navigation of the real theme takes a quarter of the time
    words = [
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        *plain,
        "-d",
        str(folder / "trees"),
        "docs",
        str(folder / "html"),
    ]
    done = subprocess.run([sys.executable, *words], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def index(built: Path) -> Any:
    text = (built / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").rstrip(";\n").removesuffix(")"))


def found(index: Any, word: str) -> set[str]:
    """The pages that the search shows for a word: from the texts, the titles and the index, as its script does."""
    numbers: set[int] = set()
    stem = SearchEnglish({}).stem(word.lower())
    for table in ("terms", "titleterms"):
        pages = index[table].get(stem, [])
        numbers.update(pages if isinstance(pages, list) else [pages])
    for entry, places in index["indexentries"].items():
        if word.lower() in entry and 2 * len(word) >= len(entry):
            numbers.update(place[0] for place in places)
    return {index["docnames"][number] for number in numbers}


@pytest.mark.parametrize(
    ("word", "page"),
    [
        *(
            (word, "faq")
            for word in ("GPU", "CUDA", "trilinear", "bilinear", "golden", "macOS", "Windows", "NPU", "PyPI")
        ),
        *((word, "faq") for word in ("deterministic", "threads", "507018", "EZ1001", "161002", "PyPI", "WSL")),
        *((code, "acl/status-codes") for code in ("161001", "161002", "361001", "507015", "107002", "561103")),
        ("ACLNN_ERR_PARAM_INVALID", "acl/status-codes"),
        ("ACLTWIN_NUM_THREADS", "reference/environment"),
        ("explain_seconds", "reference/python"),
        ("deterministic", "reference/commands"),
        ("replaced", "frameworks/pytorch"),
        ("pyACL", "acl/python-binding"),
        ("rechunk", "frameworks/dask"),
        ("upsample_nearest2d", "operators/upsample"),
        ("aclnnMaxPool3dWithArgmax", "operators/pool"),
        ("bicubic", "operators/linear"),
        ("Triton", "golden/tutorial"),
    ],
)
def test_the_search_finds(index: Any, word: str, page: str) -> None:
    assert page in found(index, word)


@pytest.mark.parametrize("module", ["torch", "jax", "golden", "testing"])
def test_the_python_reference_has_every_public_function(built: Path, module: str) -> None:
    package = importlib.import_module(f"acltwin.{module}")
    page = (built / "reference" / "python.html").read_text(encoding="utf-8")
    functions = [name for name in package.__all__ if name[0].islower() and callable(getattr(package, name))]
    assert [name for name in functions if f'id="acltwin.{module}.{name}"' not in page] == []
