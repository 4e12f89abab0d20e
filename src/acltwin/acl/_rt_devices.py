"""``acl.rt``: what devices have, and which of them reach each other."""

from __future__ import annotations

from ctypes import c_int32, c_int64

from acltwin.acl._calls import give, give_last
from acltwin.acl._library import c
from acltwin.acl._mistakes import explained

__all__ = [
    "device_can_access_peer",
    "device_disable_peer_access",
    "device_enable_peer_access",
    "get_device_info",
    "synchronize_device_with_timeout",
]


@explained
def synchronize_device_with_timeout(timeout: int) -> int:
    """Wait for the device at most ``timeout`` milliseconds; -1 waits for ever."""
    return c.aclrtSynchronizeDeviceWithTimeout(timeout)


@explained
def get_device_info(device_id: int, attr: int) -> tuple[int, int]:
    """A number that a device has, ``ACL_DEV_ATTR_VECTOR_CORE_NUM`` for instance: ``(value, ret)``."""
    return give_last(c.aclrtGetDeviceInfo, c_int64, device_id, attr)


@explained
def device_can_access_peer(device_id: int, peer_device_id: int) -> tuple[int, int]:
    """Whether a device can copy to another one: ``(0 or 1, ret)``."""
    return give(c.aclrtDeviceCanAccessPeer, c_int32, device_id, peer_device_id)


@explained
def device_enable_peer_access(peer_device_id: int, flags: int) -> int:
    """Let this thread's device copy to another one; ``flags`` is 0."""
    return c.aclrtDeviceEnablePeerAccess(peer_device_id, flags)


@explained
def device_disable_peer_access(peer_device_id: int) -> int:
    """Take :func:`device_enable_peer_access` back."""
    return c.aclrtDeviceDisablePeerAccess(peer_device_id)
