"""Which engine runs, that it says so, and that the native one fits the jaxlib that is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import acltwin.jax
from acltwin import _core
from acltwin.jax import _engine
from support.cases import NEAREST3D, small_case
from support.jax_calls import ALL_CALLS, as_function, on_jax
from support.values import assert_same_bits

NATIVE = Path(__file__).parents[2] / "native"


def program_text(function: object, *arguments: jax.Array) -> str:
    return str(jax.jit(function).lower(*arguments).as_text())  # type: ignore[call-overload]


def test_native_handlers_are_the_engine_here() -> None:
    assert acltwin.jax.engine().name == "xla_ffi"
    case = small_case(NEAREST3D)
    assert "acltwin_upsample_nearest3d_backward" in program_text(as_function(case), *on_jax(case))


def test_the_variable_forces_callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLTWIN_JAX_ENGINE", "pure_callback")
    chosen = acltwin.jax.engine()
    assert chosen.name == "pure_callback"
    assert "ACLTWIN_JAX_ENGINE" in chosen.reason
    case = small_case(NEAREST3D)
    text = program_text(as_function(case), *on_jax(case))
    assert "acltwin_upsample" not in text
    assert "callback" in text


def test_a_word_that_is_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLTWIN_JAX_ENGINE", "cuda")
    with pytest.raises(
        ValueError, match=r"ACLTWIN_JAX_ENGINE is 'cuda', expected xla_ffi or pure_callback; correct it"
    ):
        acltwin.jax.engine()


def test_a_jaxlib_that_refuses_the_handlers_gets_callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("the handler's API version\nis not ours")

    monkeypatch.setattr(jax.ffi, "register_ffi_target", refuse)
    _engine._register_handlers.cache_clear()
    jax.clear_caches()
    try:
        chosen = acltwin.jax.engine()
        assert chosen.name == "pure_callback"
        assert "refuses the native handlers: the handler's API version is not ours" in chosen.reason
        case = small_case(NEAREST3D)
        assert_same_bits(np.asarray(as_function(case)(*on_jax(case))), case.run())
    finally:
        _engine._register_handlers.cache_clear()
        jax.clear_caches()


def test_every_operator_has_a_handler() -> None:
    assert set(_core.xla_handlers()) == {operator for operator, _ in ALL_CALLS}


@pytest.mark.parametrize("engine", ["xla_ffi", "pure_callback"])
def test_info_names_the_engine(engine: str) -> None:
    command = [sys.executable, "-m", "acltwin", "info", "--json"]
    environment = {**os.environ, "ACLTWIN_JAX_ENGINE": engine}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["jax"].startswith(engine)


def test_importing_acltwin_does_not_import_jax() -> None:
    subprocess.run([sys.executable, "-c", "import sys, acltwin.info; assert 'jax' not in sys.modules"], check=True)


def call_handler(target: str, **attributes: object) -> jax.Array:
    shape = jax.ShapeDtypeStruct((1, 1, 1, 1, 1), jnp.float32)
    return jax.ffi.ffi_call(target, shape)(jnp.ones((1, 1, 1, 1, 2), jnp.float32), **attributes).block_until_ready()


def test_a_program_that_acltwin_did_not_write_is_refused() -> None:
    acltwin.jax.engine()
    good = {
        "array0": np.array([1, 1, 2]),
        "array1": np.array([1, 1, 1, 1, 1]),
        "scales": np.zeros(3),
        "flag": False,
        "channels_last": False,
        "torch_rule": False,
    }
    target = _engine.target_name(NEAREST3D)
    assert call_handler(target, **good).item() == 2.0
    for name, wrong in (("array0", 3), ("scales", np.zeros(2)), ("flag", np.int32(7)), ("torch_rule", "yes")):
        with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match=name):
            call_handler(target, **{**good, name: wrong})
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match=r"\[grad_out_shape\]"):
        call_handler(target, **{**good, "array1": np.array([1, 2, 1, 1, 1])})
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="a tensor is missing"):
        call_handler(_engine.target_name("max_unpool3d"), **good)


def test_declared_layout_is_that_of_jaxlib(tmp_path: Path) -> None:
    """native/python/xla_ffi.h declares what it uses of XLA's binary interface; jaxlib's header is the authority."""
    header = Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    if not header.exists():
        pytest.skip("this jaxlib comes without its headers")
    source = Path(__file__).with_name("xla_ffi_layout.cpp")
    command = ["c++", "-std=c++17", "-fsyntax-only", f"-I{NATIVE}", f"-I{jax.ffi.include_dir()}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
