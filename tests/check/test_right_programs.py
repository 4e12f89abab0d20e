"""Programs not written for check mode: the examples give no findings, the documents' samples their mistakes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acltwin.ops import OPERATORS
from acltwin.ops.spec import OpSpec
from support.documents import sample_of
from support.gallery import run_checked
from support.sdk_tree import ROOT, STRICT, compile_program

CPP = sorted((ROOT / "examples" / "cpp").glob("*.cpp"))
PYTHON = sorted((ROOT / "examples" / "python").glob("*.py"))
NONE = (0, (), "acltwin check: no findings\n")
# Arrays that are never destroyed, and an int32 index in a block of one byte.
MISTAKES = {
    "upsample_nearest3d_backward": ("leak.array",),
    "upsample_nearest_exact3d_backward": ("leak.array",),
    "upsample_nearest_exact2d_backward": ("leak.array",),
    "max_unpool3d_backward": (),
    "max_pool3d_with_argmax_backward": ("bounds.tensor-beyond-block", "leak.array"),
}


@pytest.fixture(scope="module")
def examples(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All C++ examples as one program, so that the compiler reads the headers once."""
    folder = tmp_path_factory.mktemp("examples")
    parts = [f'#define main example_{path.stem}\n#include "{path}"\n#undef main\n' for path in CPP]
    choices = [f'    if (name == "{path.stem}") return example_{path.stem}();\n' for path in CPP]
    main = (
        f"int main(int, char** words) {{\n    const std::string name = words[1];\n{''.join(choices)}    return 2;\n}}\n"
    )
    source = folder / "examples.cpp"
    source.write_text("#include <string>\n" + "".join(parts) + main)
    options = ("-std=c++11", *STRICT, "-g", f"-Wl,-rpath,{tree / 'lib64'}")
    compile_program(tree, source, folder / "examples", options)
    return folder / "examples"


@pytest.mark.parametrize("source", CPP, ids=lambda source: source.stem)
def test_cpp_example(examples: Path, tmp_path: Path, source: Path) -> None:
    run = run_checked([str(examples), source.stem], tmp_path)
    assert (run.status, run.ids, run.printed) == NONE


@pytest.mark.parametrize("source", PYTHON, ids=lambda source: source.stem)
def test_python_example(tmp_path: Path, source: Path) -> None:
    run = run_checked([sys.executable, str(source)], tmp_path)
    assert (run.status, run.ids, run.printed) == NONE


@pytest.mark.parametrize("name", MISTAKES)
def test_sample_of_a_document(tree: Path, tmp_path: Path, name: str) -> None:
    spec: OpSpec = OPERATORS[name]
    source = tmp_path / "sample.cpp"
    source.write_bytes(sample_of(spec))
    compile_program(tree, source, tmp_path / "sample", ("-std=c++11", "-g", f"-Wl,-rpath,{tree / 'lib64'}"))
    run = run_checked([str(tmp_path / "sample")], tmp_path)
    assert run.ids == MISTAKES[name], run.printed
    assert run.status == 0
