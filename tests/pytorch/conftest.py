"""PyTorch's own code warns of its own deprecated parts; that is not for us to fix."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/pytorch" in item.nodeid:
            item.add_marker(pytest.mark.filterwarnings(r"ignore::DeprecationWarning:torch\."))


@pytest.fixture(autouse=True, scope="session")
def _registered() -> None:
    """``torch.ops.acltwin`` holds the operators once this is imported."""
    import acltwin.torch  # noqa: F401
