"""The status codes of the ACL interface, with the texts of ``acltwin explain`` and of the documentation."""

from __future__ import annotations

from collections.abc import Mapping

from acltwin.status import captures, interface, work
from acltwin.status.spec import Status

STATUSES: Mapping[int, Status] = {
    status.code: status for status in (*interface.STATUSES, *work.STATUSES, *captures.STATUSES)
}

# Rules that hold for every operator, because they are about handles and memory rather than about its arguments.
DOOR_RULES: Mapping[str, str] = {
    "handle": "Every handle is one that the library gave, of the right kind, and not destroyed.",
    "context": "The calling thread has a context: aclrtSetDevice or aclrtSetCurrentContext was called in it.",
    "stream_context": "A stream is used with the context that it was created in.",
    "one_runtime": "A process uses one copy of the library: one file, whatever names it is loaded by.",
    "environment": "ACLTWIN_PROFILE, ACLTWIN_SOC, ACLTWIN_DEVICES and the other ACLTWIN_ variables have known values.",
    "view_in_storage": "A view (shape, strides, offset) stays inside the tensor's storage shape.",
    "storage_shape": "A storage shape has no negative dimension, and fewer than 2^63 bytes.",
    "storage_in_block": "A storage stays inside its block: the size asked for, rounded up to 32, plus 32 bytes.",
    "device_address": "Data and workspace are addresses in live blocks of aclrtMalloc, on the stream's device.",
    "data_alignment": "A tensor's data begin at a multiple of its element's size.",
    "executor": "Phase 2 gets the executor of its own phase 1, once, or a repeatable one until it is destroyed.",
    "tensor_destroyed": "Tensors live until phase 2 has queued the work.",
    "workspace_null": "A workspace with a size is not null.",
    "workspace_size": "The workspace is at least as large as phase 1 asked for.",
    "overlap": "The result does not share memory with the indices, nor the workspace with any tensor.",
    "missing_operator": "A program calls operators that the twin has; others are there by name, for the linker.",
    "freed_while_queued": "A block is freed only after the work that uses it has been waited for.",
    "still_running": "Captured work is destroyed only after its executions have been waited for.",
}

__all__ = ["DOOR_RULES", "STATUSES", "Status"]
