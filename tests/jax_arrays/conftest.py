"""Both engines, and 64-bit types unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from support.lazy import jax

_compiled_for = [""]


@pytest.fixture(autouse=True)
def _wide_types() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture
def narrow_types(_wide_types: None) -> None:
    """JAX as most people use it: no float64, no int64."""
    jax.config.update("jax_enable_x64", False)


@pytest.fixture(params=["xla_ffi", "pure_callback"], scope="module")
def engine(request: pytest.FixtureRequest) -> Any:
    """One engine's tests come after the other's, so that they share the programs that JAX compiles."""
    return request.param


@pytest.fixture(autouse=True)
def _one_engines_programs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test uses its engine, and no program that was compiled for another one is left."""
    chosen = request.getfixturevalue("engine") if "engine" in request.fixturenames else ""
    if chosen:
        monkeypatch.setenv("ACLTWIN_JAX_ENGINE", chosen)
    if chosen != _compiled_for[0]:
        jax.clear_caches()
        _compiled_for[0] = chosen
