"""Status codes of operators and of queued work."""

from __future__ import annotations

from acltwin.status.spec import Status

STATUSES = (
    Status(
        161001,
        "ACLNN_ERR_PARAM_NULLPTR",
        "An argument of an operator is a null pointer.",
        "The first thing each operator checks. In phase 1: a tensor, an array, workspaceSize or executor. In phase 2:"
        " the executor, or a workspace that is null although workspaceSize is not 0; a one-shot executor is gone "
        "then.",
        "Create the argument before the call, and check what the create function returned.",
        """\
>>> from acltwin import acl
>>> acl.max_unpool3d_backward_get_workspace_size(0, 0, 0, 0, 0, 0, 0)
(0, 0, 161001)
""",
    ),
    Status(
        161002,
        "ACLNN_ERR_PARAM_INVALID",
        "An argument of an operator breaks one of its rules.",
        "Operators check their rules in a fixed order and report the first one that is broken: types, ranks, formats,"
        " lengths, sizes, limits, the SoC. The device only gives the number. The twin's message names the argument, "
        "what was expected, what it got, how to fix it, and the rule's id, which 'acltwin explain' takes as well. "
        "Dead handles, a storage that leaves its block and a workspace that is too small also give this code.",
        "Read the message; then 'acltwin explain RULE' for the rule.",
        """\
>>> from acltwin import acl
>>> sizes = acl.create_int_array((2, 2))
>>> tensor = acl.create_tensor((1, 1, 2, 2, 2), acl.constants.ACL_FLOAT, None, 0, 30, (8,), 0)
>>> acl.upsample_nearest3d_backward_get_workspace_size(tensor, sizes, sizes, 0.0, 0.0, 0.0, tensor)
(0, 0, 161002)
>>> acl.destroy_tensor(tensor), acl.destroy_int_array(sizes)
(0, 0)
""",
    ),
    Status(
        200000,
        "ACL_ERROR_BAD_ALLOC",
        "The process has no memory left for the library's own records.",
        "Only when the whole machine is out of memory. Blocks of aclrtMalloc have a code of their own, 207001.",
        "Free memory.",
        "",
    ),
    Status(
        200006,
        "ACL_ERROR_FEATURE_UNSUPPORTED",
        "Another copy of the twin's library is this process's runtime already.",
        "One process, one runtime: a handle or a block of one copy means nothing to another, or something else. So the "
        "copy that comes second does not start, and also says so once on stderr. It happens to a Python program that "
        "uses acltwin.acl and also loads the library of a tree written by 'acltwin sdk --copy'. The device's libraries "
        "give this code for features that they lack.",
        "Load one file: write the tree without --copy, or set ACLTWIN_LIBRARY to the tree for acltwin.acl.",
        """\
>>> import ctypes, pathlib, tempfile
>>> from acltwin import acl, sdk
>>> acl.init()
0
>>> with tempfile.TemporaryDirectory() as directory:
...     tree = sdk.write_tree(pathlib.Path(directory), copy=True)
...     other = ctypes.CDLL(str(tree.libraries / "libascendcl.so"))
>>> other.aclInit(None)
200006
>>> acl.finalize()
0
""",
    ),
    Status(
        207001,
        "ACL_ERROR_RT_MEMORY_ALLOCATION",
        "There is no memory for a block of this size.",
        "The device's memory is the machine's memory here, so the limit is another than on the device: see "
        "aclrtGetMemInfo.",
        "Free blocks that are no longer needed, or use smaller tensors.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> acl.rt.malloc(2**60, 0)
(0, 207001)
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        207008,
        "ACL_ERROR_RT_NO_STREAM_RESOURCE",
        "The system has no thread left for a stream.",
        "Every stream has a worker thread. A process that has reached its limit on threads gets no further stream, and "
        "in a forked child no work into an inherited one.",
        "Destroy streams that are no longer needed, or raise the limit (ulimit -u, or the container's limit on "
        "processes).",
        "",
    ),
    Status(
        361001,
        "ACLNN_ERR_RUNTIME_ERROR",
        "Phase 2 could not queue the work, because a runtime call failed.",
        "The stream is dead or of another context, the thread has no context, or a tensor's data or the workspace are"
        " not in a live block of the stream's device. The message ends with the runtime's own status.",
        "Fix what the message says about the stream or the address; then call phase 1 again, unless the executor is "
        "repeatable.",
        """\
>>> from acltwin import acl
>>> sizes = [acl.create_int_array(values) for values in ((2, 2, 2), (1, 1, 1, 1, 1))]
>>> grad_out = acl.create_tensor((1, 1, 2, 2, 2), acl.constants.ACL_FLOAT, None, 0, 30, (8,), 0)
>>> grad_input = acl.create_tensor((1, 1, 1, 1, 1), acl.constants.ACL_FLOAT, None, 0, 30, (1,), 0)
>>> size, executor, ret = acl.upsample_nearest3d_backward_get_workspace_size(
...     grad_out, *sizes, 0.0, 0.0, 0.0, grad_input)
>>> acl.upsample_nearest3d_backward(0, 0, executor, 0)
361001
""",
    ),
    Status(
        507006,
        "ACL_ERROR_RT_EVENT_NOT_COMPLETE",
        "The event has been recorded but not reached yet.",
        "aclrtEventElapsedTime needs both times; the work before one of the events is still running.",
        "Synchronise the stream, or the event, first.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> block, ret = acl.rt.malloc(2**26, 0)
>>> event, ret = acl.rt.create_event()
>>> for _ in range(20):
...     ret = acl.rt.memset_async(block, 2**26, 1, 2**26, 0)
>>> acl.rt.record_event(event, 0)
0
>>> acl.rt.event_elapsed_time(event, event)
(0, 507006)
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        507007,
        "ACL_ERROR_RT_CONTEXT_RELEASE_ERROR",
        "A device was reset more often than it was set.",
        "aclrtSetDevice and aclrtResetDevice are counted per device, over all threads.",
        "Call aclrtResetDevice once for each aclrtSetDevice.",
        """\
>>> from acltwin import acl
>>> acl.rt.reset_device(0)
507007
""",
    ),
    Status(
        500000,
        "ACL_ERROR_INTERNAL_ERROR",
        "The library has failed for an unknown reason.",
        "No call is known to give it: it stands for unexpected exceptions.",
        "Report it, with the message.",
        "",
    ),
    Status(
        507015,
        "ACL_ERROR_RT_AICORE_EXCEPTION",
        "Work that was queued has failed while it ran.",
        "It is reported by the next synchronisation. Causes: an index outside its plane "
        "(the device would read or write wherever it points; here no byte outside the tensors is touched), or a block"
        " that was freed while queued work still used it. What was queued behind the failure is dropped. The message "
        "is given once; then the stream works again, whereas a device must be reset.",
        "The message names the index with its position and range, or the block. Pass indices as the forward operator "
        "gives them; synchronise before aclrtFree.",
        """\
>>> import numpy as np
>>> from acltwin.acl import easy
>>> with easy.Device() as device:
...     one = device.tensor(np.ones((1, 1, 1, 1, 1), np.float32))
...     out = device.empty((1, 1, 1, 1, 1), "float32")
...     indices = device.tensor(np.full((1, 1, 1, 1, 1), 5))
...     stream = device.stream()
...     stream.run("max_unpool3d_backward", one, one, indices, (1, 1, 1), (1, 1, 1), (0, 0, 0), out)
...     try:
...         stream.synchronize()
...     except easy.AclError as error:
...         print(error.code)
507015
""",
    ),
    Status(
        507046,
        "ACL_ERROR_RT_STREAM_SYNC_TIMEOUT",
        "The stream still has work when the time is over.",
        "aclrtSynchronizeStreamWithTimeout gave up waiting; the work goes on.",
        "Wait again for longer, or without a limit (-1).",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> block, ret = acl.rt.malloc(2**26, 0)
>>> for _ in range(20):
...     ret = acl.rt.memset_async(block, 2**26, 1, 2**26, 0)
>>> acl.rt.synchronize_stream_with_timeout(0, 0)
507046
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        507047,
        "ACL_ERROR_RT_EVENT_SYNC_TIMEOUT",
        "The event was not reached when the time was over.",
        "aclrtSynchronizeEventWithTimeout gave up waiting; the work goes on.",
        "Wait again for longer, or without a limit (-1).",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> block, ret = acl.rt.malloc(2**26, 0)
>>> event, ret = acl.rt.create_event()
>>> for _ in range(20):
...     ret = acl.rt.memset_async(block, 2**26, 1, 2**26, 0)
>>> acl.rt.record_event(event, 0)
0
>>> acl.rt.synchronize_event_with_timeout(event, 0)
507047
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        561000,
        "ACLNN_ERR_INNER",
        "The executor is not alive.",
        "Phase 2 ends an executor, whatever comes of it, unless it was made repeatable right after phase 1. Running "
        "one twice, or changing one that is gone, is undefined on the device; here it is this code.",
        "Call phase 1 again for each phase 2, or aclSetAclOpExecutorRepeatable right after phase 1 and "
        "aclDestroyAclOpExecutor at the end.",
        """\
>>> from acltwin import acl
>>> acl.max_unpool3d_backward(0, 0, 12345, 0)
561000
""",
    ),
    Status(
        561103,
        "ACLNN_ERR_INNER_NULLPTR",
        "A tensor's view leaves its storage, or a function of executors got null.",
        "aclCreateTensor checks almost nothing, so strides, offset and storage shape that do not fit together are "
        "found in phase 1. The functions that change executors give this code for null arguments.",
        "Check strides and offset, in elements, against the storage shape.",
        """\
>>> from acltwin import acl
>>> sizes = [acl.create_int_array(values) for values in ((2, 2, 2), (1, 1, 1, 1, 1))]
>>> grad_out = acl.create_tensor((1, 1, 2, 2, 2), acl.constants.ACL_FLOAT, None, 3, 30, (8,), 0)
>>> grad_input = acl.create_tensor((1, 1, 1, 1, 1), acl.constants.ACL_FLOAT, None, 0, 30, (1,), 0)
>>> acl.upsample_nearest3d_backward_get_workspace_size(grad_out, *sizes, 0.0, 0.0, 0.0, grad_input)
(0, 0, 561103)
""",
    ),
    Status(
        107011,
        "ACL_ERROR_RT_STREAM_SUBSCRIBE",
        "A thread is subscribed to the stream already, or none is.",
        "A stream has one thread at most that runs its callbacks: aclrtSubscribeReport comes once, and "
        "aclrtUnSubscribeReport once after it.",
        "Pair the two calls.",
        """\
>>> import threading
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> acl.rt.unsubscribe_report(threading.get_ident(), 0)
107011
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        107012,
        "ACL_ERROR_RT_THREAD_SUBSCRIBE",
        "The thread is not the one that is subscribed.",
        "aclrtProcessReport runs what waits for the calling thread, which must be subscribed to a stream; "
        "aclrtUnSubscribeReport takes the thread that was subscribed. Threads are named by their pthread_t.",
        "Subscribe the thread that calls aclrtProcessReport, with its own number.",
        """\
>>> from acltwin import acl
>>> acl.rt.process_report(1)
107012
""",
    ),
    Status(
        107015,
        "ACL_ERROR_RT_STREAM_NO_CB_REG",
        "No thread is subscribed to the stream that a callback is launched on.",
        "A function of aclrtLaunchCallback runs in the thread that aclrtSubscribeReport has named. Functions of "
        "aclrtLaunchHostFunc need none.",
        "Call aclrtSubscribeReport first, or use aclrtLaunchHostFunc.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> acl.rt.launch_callback(print, "done", acl.constants.ACL_CALLBACK_BLOCK, 0)
107015
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        507012,
        "ACL_ERROR_RT_REPORT_TIMEOUT",
        "No callback came within the time of aclrtProcessReport.",
        "The thread is subscribed, and nothing waits for it. Threads call it in a loop and look at their own end in "
        "between, so this is mostly no mistake.",
        "Call it again.",
        """\
>>> import threading
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> acl.rt.subscribe_report(threading.get_ident(), 0)
0
>>> acl.rt.process_report(1)
507012
>>> acl.rt.reset_device(0)
0
""",
    ),
)
