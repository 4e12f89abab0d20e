"""Status codes of captures: work of streams that is recorded, and run as often as somebody asks."""

from __future__ import annotations

from acltwin.status.spec import Status

_BEGIN = """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> stream, ret = acl.rt.create_stream()
>>> acl.mdl.ri_capture_begin(stream, acl.constants.ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
0
"""
_END = """\
>>> acl.rt.reset_device(0)
0
"""
_WITH_EVENT = """\
>>> event, ret = acl.rt.create_event()
>>> acl.rt.record_event(event, stream)
0
"""


def _in_capture(lines: str) -> str:
    return _BEGIN + lines + _END


STATUSES = (
    Status(
        107004,
        "ACL_ERROR_RT_MODEL_CONTEXT",
        "Captured work is executed in another context than its own.",
        "A capture belongs to the context of the stream that it was begun on, as its streams and events do.",
        "Make its context current with aclrtSetCurrentContext before aclmdlRIExecuteAsync.",
        _in_capture("""\
>>> captured, ret = acl.mdl.ri_capture_end(stream)
>>> context, ret = acl.rt.create_context(0)
>>> acl.mdl.ri_execute_async(captured, 0)
107004
"""),
    ),
    Status(
        107024,
        "ACL_ERROR_RT_CAPTURE_DEPENDENCY",
        "A captured stream waits for an event that was not recorded in the capture.",
        "The wait would be recorded, and with each execution wait for something that happened once, long ago. Only "
        "events that were recorded on a stream of the same capture order its work.",
        "Record the event on a captured stream, or synchronise before aclmdlRICaptureBegin.",
        _in_capture("""\
>>> event, ret = acl.rt.create_event()
>>> acl.rt.stream_wait_event(stream, event)
107024
"""),
    ),
    Status(
        107025,
        "ACL_ERROR_RT_STREAM_UNJOINED",
        "A capture ends while work of a stream that has joined it is waited for by nobody.",
        "A stream joins when it waits for an event of the capture. Before the end the stream that began the capture "
        "has to wait for an event behind all that was queued there; else an execution would be over before its work.",
        "Call aclrtRecordEvent on the other stream, last, and aclrtStreamWaitEvent on the first.",
        _in_capture(
            _WITH_EVENT
            + """\
>>> other, ret = acl.rt.create_stream()
>>> acl.rt.stream_wait_event(other, event)
0
>>> acl.mdl.ri_capture_end(stream)
(0, 107025)
"""
        ),
    ),
    Status(
        107026,
        "ACL_ERROR_RT_MODEL_CAPTURED",
        "Work is executed while it is still captured.",
        "aclmdlRICaptureGetInfo gives the handle before the capture is complete.",
        "Call aclmdlRICaptureEnd first.",
        _in_capture("""\
>>> status, captured, ret = acl.mdl.ri_capture_get_info(stream)
>>> acl.mdl.ri_execute_async(captured, 0)
107026
"""),
    ),
    Status(
        107027,
        "ACL_ERROR_RT_STREAM_CAPTURED",
        "A stream is waited for, queried, destroyed or captured again while it is captured.",
        "What is captured does not run, so there is nothing to wait for. Waiting for the stream, or for the whole "
        "device, also ends the capture: what came after it could have counted on the results.",
        "Call aclmdlRICaptureEnd first, then aclmdlRIExecuteAsync, and wait for that.",
        _in_capture("""\
>>> acl.rt.synchronize_stream(stream)
107027
"""),
    ),
    Status(
        107028,
        "ACL_ERROR_RT_EVENT_CAPTURED",
        "An event is waited for, queried or reset by the host while its recording is captured.",
        "It is reached with each execution of the capture, and has no state of its own. The attempt ends the capture.",
        "Record another event behind aclmdlRIExecuteAsync, and wait for that.",
        _in_capture(
            _WITH_EVENT
            + """\
>>> acl.rt.synchronize_event(event)
107028
"""
        ),
    ),
    Status(
        107029,
        "ACL_ERROR_RT_STREAM_NOT_CAPTURED",
        "A capture is ended on a stream that is not captured.",
        "Each aclmdlRICaptureEnd ends one aclmdlRICaptureBegin of the same stream.",
        "Pair the two calls.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> acl.mdl.ri_capture_end(0)
(0, 107029)
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        107030,
        "ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT",
        "Memory is copied or filled at once while a capture's mode forbids it.",
        "aclrtMemcpy, aclrtMemset, and queued copies of memory that is not the runtime's work at once, though the "
        "work around them is only recorded. With ACL_MODEL_RI_CAPTURE_MODE_GLOBAL no thread of the context may do "
        "that, with THREAD_LOCAL all but the one that captures, with RELAXED all; "
        "aclmdlRICaptureThreadExchangeMode gives a thread its own mode. On the captured stream itself such a copy also "
        "ends the capture.",
        "Use aclrtMemcpyAsync with memory of aclrtMallocHost, copy before the capture, or exchange the thread's mode.",
        _in_capture("""\
>>> block, ret = acl.rt.malloc(1, 0)
>>> acl.rt.memset(block, 1, 0, 1)
107030
"""),
    ),
    Status(
        107031,
        "ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT",
        "The default stream is captured, or joins a capture.",
        "A null stream is the context's default one, which other parts of a program also use without saying so.",
        "Create a stream with aclrtCreateStream and capture that.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> acl.mdl.ri_capture_begin(0, acl.constants.ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
107031
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        107032,
        "ACL_ERROR_STREAM_CAPTURE_CONFLICT",
        "A stream waits for an event of another capture.",
        "Each capture is executed by itself, so the work of one cannot wait for the work of another. Both have ended.",
        "Capture the streams that wait for each other together: let the second join the first.",
        _in_capture(
            _WITH_EVENT
            + """\
>>> other, ret = acl.rt.create_stream()
>>> acl.mdl.ri_capture_begin(other, acl.constants.ACL_MODEL_RI_CAPTURE_MODE_GLOBAL)
0
>>> acl.rt.stream_wait_event(other, event)
107032
"""
        ),
    ),
    Status(
        107036,
        "ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED",
        "A capture is ended on a stream that has only joined it.",
        "The capture goes on; it ends on the stream that it was begun on.",
        "Give aclmdlRICaptureEnd the stream of aclmdlRICaptureBegin.",
        _in_capture(
            _WITH_EVENT
            + """\
>>> other, ret = acl.rt.create_stream()
>>> acl.rt.stream_wait_event(other, event)
0
>>> acl.mdl.ri_capture_end(other)
(0, 107036)
"""
        ),
    ),
    Status(
        107037,
        "ACL_ERROR_RT_MODEL_RUNNING",
        "Captured work is destroyed while it is queued or runs.",
        "aclmdlRIExecuteAsync returns before the work is done, and the work is part of what would be destroyed.",
        "Synchronise the stream that it was queued on, then destroy it.",
        _in_capture("""\
>>> import threading
>>> go = threading.Event()
>>> acl.rt.launch_host_func(stream, lambda _: go.wait(), 0)
0
>>> captured, ret = acl.mdl.ri_capture_end(stream)
>>> acl.mdl.ri_execute_async(captured, stream)
0
>>> acl.mdl.ri_destroy(captured)
107037
>>> go.set()
>>> acl.rt.synchronize_stream(stream), acl.mdl.ri_destroy(captured)
(0, 0)
"""),
    ),
    Status(
        107038,
        "ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD",
        "A capture is ended by another thread than the one that began it.",
        "The modes ACL_MODEL_RI_CAPTURE_MODE_GLOBAL and THREAD_LOCAL are about the thread that captures, so the same "
        "one has to end it. The capture goes on.",
        "End it in its thread, or begin it with ACL_MODEL_RI_CAPTURE_MODE_RELAXED.",
        _in_capture("""\
>>> import concurrent.futures
>>> def end():
...     acl.rt.set_device(0)
...     _, ret = acl.mdl.ri_capture_end(stream)
...     acl.rt.reset_device(0)
...     return ret
>>> with concurrent.futures.ThreadPoolExecutor() as threads:
...     threads.submit(end).result()
107038
"""),
    ),
    Status(
        507903,
        "ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED",
        "The capture has become invalid.",
        "A call that cannot be captured was refused, and work after it could have counted on it. From then on all that "
        "is queued on its streams is refused until aclmdlRICaptureEnd, which gives no handle. The message repeats what "
        "was wrong.",
        "Look at the status of each call; capture again without the one that was refused.",
        _in_capture("""\
>>> acl.rt.synchronize_stream(stream)
107027
>>> acl.mdl.ri_capture_end(stream)
(0, 507903)
"""),
    ),
)
