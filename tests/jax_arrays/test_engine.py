"""Which engine runs, that it says so, and that the native one fits the jaxlib that is there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.cases import NEAREST3D, POOL, small_case
from support.jax_calls import as_function, on_jax
from support.lazy import Lazy, acltwin_jax, jax, jnp
from support.values import assert_same_bits

_engine = Lazy("acltwin.jax._engine")
NATIVE = Path(__file__).parents[2] / "native"


def program_text(function: object, *arguments: jax.Array) -> str:
    return str(jax.jit(function).lower(*arguments).as_text())  # type: ignore[call-overload]


def test_the_native_handler_is_the_engine_here() -> None:
    assert acltwin_jax.engine().name == "xla_ffi"
    case = small_case(NEAREST3D)
    text = program_text(as_function(case), *on_jax(case))
    assert "custom_call @acltwin(" in text
    assert f'operator = "{NEAREST3D}"' in text


def test_the_variable_forces_callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLTWIN_JAX_ENGINE", "pure_callback")
    chosen = acltwin_jax.engine()
    assert chosen.name == "pure_callback"
    assert "ACLTWIN_JAX_ENGINE" in chosen.reason
    case = small_case(NEAREST3D)
    text = program_text(as_function(case), *on_jax(case))
    assert "@acltwin" not in text
    assert "callback" in text


def test_a_word_that_is_no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLTWIN_JAX_ENGINE", "cuda")
    with pytest.raises(
        ValueError, match=r"ACLTWIN_JAX_ENGINE is 'cuda', expected xla_ffi or pure_callback; correct it"
    ):
        acltwin_jax.engine()


def test_a_jaxlib_that_refuses_the_handler_gets_callbacks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("the handler's API version\nis not ours")

    monkeypatch.setattr(jax.ffi, "register_ffi_target", refuse)
    _engine._register_handler.cache_clear()
    jax.clear_caches()
    try:
        chosen = acltwin_jax.engine()
        assert chosen.name == "pure_callback"
        assert "refuses the native handler: the handler's API version is not ours" in chosen.reason
        case = small_case(NEAREST3D)
        assert_same_bits(np.asarray(as_function(case)(*on_jax(case))), case.run())
    finally:
        _engine._register_handler.cache_clear()
        jax.clear_caches()


@pytest.mark.parametrize("engine", ["xla_ffi", "pure_callback"])
def test_info_names_the_engine(engine: str) -> None:
    command = [sys.executable, "-m", "acltwin", "info", "--json"]
    environment = {**os.environ, "ACLTWIN_JAX_ENGINE": engine}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["jax"].startswith(engine)


def test_importing_acltwin_does_not_import_jax() -> None:
    subprocess.run([sys.executable, "-c", "import sys, acltwin.info; assert 'jax' not in sys.modules"], check=True)


GOOD_ATTRIBUTES = {
    "operator": NEAREST3D,
    "channels_last": False,
    "array0": np.array([1, 1, 2]),
    "batch_array1": np.array([1, 1, 1]),
    "reals": np.zeros(3),
    "integers": np.zeros(3, np.int64),
    "torch_rule": False,
    "many_devices": False,
}


def call_handler(result: tuple[int, ...] = (1, 1, 1, 1, 1), **attributes: object) -> jax.Array:
    shape = jax.ShapeDtypeStruct(result, jnp.float32)
    call = jax.ffi.ffi_call(_engine.TARGET, shape)
    return call(jnp.ones((1, 1, 1, 1, 2), jnp.float32), **{**GOOD_ATTRIBUTES, **attributes}).block_until_ready()


def test_a_program_as_acltwin_writes_it() -> None:
    acltwin_jax.engine()
    assert call_handler().item() == 2.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"operator": "softmax"}, "no operator softmax"),
        ({"operator": 3}, "operator is missing"),
        ({"channels_last": 1.5}, "channels_last is missing"),
        ({"array0": 3}, "array0 is missing"),
        ({"array0": np.array([1.0])}, "array0 is missing"),
        ({"batch_array1": np.ones(6, np.int64)}, "batch_array1 is longer than a tensor"),
        ({"array0": np.array([1, 1, 3])}, "[grad_out_shape]"),
        ({"reals": np.zeros(2)}, "reals is missing"),
        ({"integers": np.int32(7)}, "integers is missing"),
        ({"torch_rule": "yes"}, "torch_rule is missing"),
        ({"many_devices": 2}, "many_devices is missing"),
        ({"operator": "max_unpool3d"}, "a tensor is missing"),
        ({"operator": POOL, "plane1": np.ones(6, np.int64)}, "a plane has more axes than the first tensor"),
        ({"result": (1, 1, 1, 1, 2)}, "a result has not the dtype and the shape of this call's result"),
    ],
)
def test_a_program_that_acltwin_did_not_write_is_refused(wrong: dict[str, Any], message: str) -> None:
    acltwin_jax.engine()
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match=re.escape(message)):
        call_handler(**wrong)


def test_declared_layout_is_that_of_jaxlib(tmp_path: Path) -> None:
    """native/python/xla_ffi.h declares what it uses of XLA's binary interface; jaxlib's header is the authority."""
    header = Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    if not header.exists():
        pytest.skip("this jaxlib comes without its headers")
    source = Path(__file__).with_name("xla_ffi_layout.cpp")
    command = ["c++", "-std=c++17", "-fsyntax-only", f"-I{NATIVE}", f"-I{jax.ffi.include_dir()}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
