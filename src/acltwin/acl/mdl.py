"""``acl.mdl``: work of streams that is captured, and run as often as somebody asks. Models are not here."""

from __future__ import annotations

from ctypes import byref, c_int, c_void_p
from typing import TYPE_CHECKING

from acltwin.acl._calls import give_last
from acltwin.acl._library import c
from acltwin.acl._mistakes import explained
from acltwin.acl._names import absent, own_names


@explained
def ri_capture_begin(stream: int, mode: int) -> int:
    """Capture what is queued on a stream from now on; ``mode`` is ``ACL_MODEL_RI_CAPTURE_MODE_GLOBAL`` or another."""
    return c.aclmdlRICaptureBegin(stream, mode)


@explained
def ri_capture_get_info(stream: int) -> tuple[int, int, int]:
    """Whether a stream is captured, and the capture, 0 for none: ``(status, model_ri, ret)``."""
    status, captured = c_int(), c_void_p()
    ret = c.aclmdlRICaptureGetInfo(stream, byref(status), byref(captured))
    return status.value, captured.value or 0, ret


@explained
def ri_capture_end(stream: int) -> tuple[int, int]:
    """End the capture that was begun on a stream: ``(model_ri, ret)``."""
    return give_last(c.aclmdlRICaptureEnd, c_void_p, stream)


@explained
def ri_capture_thread_exchange_mode(mode: int) -> tuple[int, int]:
    """Give this thread a mode of its own: ``(the one before, ret)``."""
    exchanged = c_int(mode)
    ret = c.aclmdlRICaptureThreadExchangeMode(byref(exchanged))
    return exchanged.value, ret


@explained
def ri_execute(model_ri: int, timeout: int) -> int:
    """Run captured work and wait for it at most ``timeout`` milliseconds; -1 waits for ever."""
    return c.aclmdlRIExecute(model_ri, timeout)


@explained
def ri_execute_async(model_ri: int, stream: int) -> int:
    """Queue captured work on a stream."""
    return c.aclmdlRIExecuteAsync(model_ri, stream)


@explained
def ri_destroy(model_ri: int) -> int:
    """End captured work that is not running, or give a capture up."""
    return c.aclmdlRIDestroy(model_ri)


if not TYPE_CHECKING:  # type checkers find typos for themselves

    def __getattr__(name: str) -> object:
        raise absent(__name__, name)


def __dir__() -> list[str]:
    return own_names(globals())
