"""The ACL door of a test: a device with a stream, under a profile and a SoC of its choice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from acltwin import acl
from support.acl_door import Door, OpenDoor


@pytest.fixture
def open_door(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenDoor]:
    """``open_door(profile="device", soc="Ascend950")``: the environment is read again by each aclInit."""
    doors: list[Door] = []

    def open_it(profile: str = "documented", soc: str = "Ascend910B") -> Door:
        monkeypatch.setenv("ACLTWIN_PROFILE", profile)
        monkeypatch.setenv("ACLTWIN_SOC", soc)
        while doors:
            doors.pop().close()
        doors.append(Door())
        return doors[0]

    yield open_it
    while doors:
        doors.pop().close()


@pytest.fixture
def door(open_door: OpenDoor) -> Door:
    return open_door()


@pytest.fixture(autouse=True)
def _no_message_is_left() -> Iterator[None]:
    acl.get_recent_err_msg()
    yield
    acl.get_recent_err_msg()
