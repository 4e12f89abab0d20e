"""``acl.rt``: Python functions in streams."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

from acltwin.acl._library import c
from acltwin.acl._mistakes import explained

__all__ = [
    "launch_callback",
    "launch_host_func",
    "process_report",
    "subscribe_report",
    "unsubscribe_report",
]

# C calls one function, with the number under which the Python function and its argument wait here.
_waiting: dict[int, tuple[Callable[[Any], object], Any]] = {}
_numbers = itertools.count(1)


def _call(number: int) -> None:
    function, argument = _waiting[number]
    function(argument)


def _call_once(number: int) -> None:
    function, argument = _waiting.pop(number)
    function(argument)


_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_C_CALL, _C_CALL_ONCE = _FUNCTION(_call), _FUNCTION(_call_once)  # kept: C calls them
_ADDRESS, _ADDRESS_ONCE = (ctypes.cast(one, ctypes.c_void_p).value for one in (_C_CALL, _C_CALL_ONCE))


def _keep(function: Callable[[Any], object], argument: Any) -> int:
    if not callable(function):
        raise TypeError(f"fn is {type(function).__name__}, expected a function of one argument; pass one")
    number = next(_numbers)
    _waiting[number] = (function, argument)
    return number


def _given_up(number: int, ret: int) -> int:
    if ret != 0:
        del _waiting[number]
    return ret


@explained
def launch_callback(fn: Callable[[Any], object], user_data: Any, block_type: int, stream: int) -> int:
    """Queue ``fn(user_data)``, for the thread that is subscribed to the stream; ``ACL_CALLBACK_BLOCK`` waits for it."""
    number = _keep(fn, user_data)
    return _given_up(number, c.aclrtLaunchCallback(_ADDRESS_ONCE, number, block_type, stream))


@explained
def launch_host_func(stream: int, fn: Callable[[Any], object], args: Any) -> int:
    """Queue ``fn(args)``, which the stream runs by itself and waits for. It is kept: a captured one runs often."""
    number = _keep(fn, args)
    return _given_up(number, c.aclrtLaunchHostFunc(stream, _ADDRESS, number))


@explained
def subscribe_report(thread_id: int, stream: int) -> int:
    """Let a thread, of ``acl.util.start_thread`` or ``threading.get_ident()``, run a stream's callbacks."""
    return c.aclrtSubscribeReport(thread_id, stream)


@explained
def unsubscribe_report(thread_id: int, stream: int) -> int:
    """Take :func:`subscribe_report` back."""
    return c.aclrtUnSubscribeReport(thread_id, stream)


@explained
def process_report(timeout: int) -> int:
    """Run what waits for this thread, for at most so many milliseconds; -1 waits for ever."""
    return c.aclrtProcessReport(timeout)
