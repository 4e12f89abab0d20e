"""Both engines, and 64-bit types unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.lazy import jax


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


@pytest.fixture(params=["xla_ffi", "pure_callback"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Programs that are compiled from here on use this engine; none that was compiled before is left."""
    monkeypatch.setenv("ACLTWIN_JAX_ENGINE", request.param)
    jax.clear_caches()
    yield request.param
    jax.clear_caches()
