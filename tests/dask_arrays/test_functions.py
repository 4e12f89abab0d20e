"""The functions are made from declarations: all there, with real signatures, documentation and types."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import acltwin
from acltwin.ops import PLANEWISE as OPERATORS
from support.lazy import acltwin_dask, da
from support.sdk_tree import ROOT

EVERY_FUNCTION = pytest.mark.parametrize("name", OPERATORS)


def test_every_operator_has_its_function() -> None:
    assert set(dir(acltwin_dask)) == set(OPERATORS)


@EVERY_FUNCTION
def test_the_signature_is_that_of_the_array_function(name: str) -> None:
    whole = inspect.signature(getattr(acltwin, name)).parameters
    chunked = inspect.signature(getattr(acltwin_dask, name)).parameters
    assert list(chunked) == [*(parameter for parameter in whole if parameter != "out"), "spatial_chunks"]
    for parameter in chunked.keys() & whole.keys():
        assert (chunked[parameter].default, chunked[parameter].kind) == (
            whole[parameter].default,
            whole[parameter].kind,
        )


@EVERY_FUNCTION
def test_the_documentation_tells_what_every_argument_means(name: str) -> None:
    function = getattr(acltwin_dask, name)
    text = inspect.getdoc(function) or ""
    assert f"acltwin.{name}" in text
    assert all(parameter in text for parameter in inspect.signature(function).parameters)
    assert "out:" not in text.replace("_out:", "")
    assert ">>>" not in text, "the examples of the array function are not about Dask arrays"


@EVERY_FUNCTION
def test_functions_can_be_sent_to_workers(name: str) -> None:
    function = getattr(acltwin_dask, name)
    assert pickle.loads(pickle.dumps(function)) is function


def test_a_wrong_number_of_arguments_is_a_sentence() -> None:
    tensor = da.zeros((1, 1, 2, 2, 2), dtype=np.float32)
    with pytest.raises(
        TypeError, match=r"upsample_nearest3d_backward: missing a required argument: 'output_size'.*scales_d"
    ):
        acltwin_dask.upsample_nearest3d_backward(tensor)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"upsample_nearest3d: got an unexpected keyword argument 'out'"):
        acltwin_dask.upsample_nearest3d(tensor, (4, 4, 4), out=tensor)  # type: ignore[call-arg]


def test_type_checkers_know_the_functions(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import dask.array as da\n"
        "import acltwin.dask\n"
        "volume = da.Array()\n"
        "reveal_type(acltwin.dask.max_pool3d_with_argmax(volume, 2, 2, 0, 1, False, index_dtype='int64'))\n"
        "acltwin.dask.upsample_nearest3d(volume, 'x', rule='nobody', spatial_chunks='rechunk')\n"
        "acltwin.dask.no_such_function\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", program], cwd=ROOT, text=True, capture_output=True, timeout=600
    )
    assert "dask.array.core.Array, dask.array.core.Array]" in done.stdout, done.stdout
    assert all(word in done.stdout for word in ("Sequence[int]", "'device', 'torch'", '"no_such_function"'))
