"""Status codes of the interface itself: parameters, initialisation, devices, contexts, handles."""

from __future__ import annotations

from acltwin.status.spec import Status

STATUSES = (
    Status(
        100000,
        "ACL_ERROR_INVALID_PARAM",
        "An argument of a runtime function is invalid in any state.",
        "A null pointer where a result is to be written, a size of 0 for aclrtMalloc, a number outside its "
        "enumeration, null passed to aclrtFree or aclrtDestroyStream, or an ACLTWIN_ environment variable with an "
        "invalid value.",
        "Correct the argument that the message names.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> acl.rt.malloc(0, 0)
(0, 100000)
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        100002,
        "ACL_ERROR_REPEAT_INITIALIZE",
        "aclInit was called although the process is initialised.",
        "Everything continues to work: the call is counted, and aclFinalizeReference takes one back at a time. "
        "Libraries that initialise on their own treat this code as success.",
        "Call aclInit once per process, or accept this code where several parts of a program initialise.",
        """\
>>> from acltwin import acl
>>> acl.init(), acl.init()
(0, 100002)
>>> acl.finalize()
0
""",
    ),
    Status(
        100003,
        "ACL_ERROR_INVALID_FILE",
        "The configuration file of aclInit cannot be read.",
        "aclInit takes null or the path of a JSON file. The twin needs none of its values, but insists that it is "
        "there, as the device's library does. Directories, pipes, devices, files without read permission and files of "
        "more than 1 MiB are refused.",
        "Correct the path, or pass null.",
        """\
>>> from acltwin import acl
>>> acl.init("/no/such/file.json")
100003
""",
    ),
    Status(
        100006,
        "ACL_ERROR_PARSE_FILE",
        "The configuration file of aclInit is not a JSON object.",
        "The file must begin with { and end with }, apart from white space; {} is enough. What lies between is not "
        "read.",
        "Correct the file, or pass null.",
        """\
>>> import pathlib, tempfile
>>> from acltwin import acl
>>> with tempfile.TemporaryDirectory() as directory:
...     path = pathlib.Path(directory) / "acl.json"
...     _ = path.write_text("{oops")
...     acl.init(str(path))
100006
""",
    ),
    Status(
        100037,
        "ACL_ERROR_REPEAT_FINALIZE",
        "aclFinalize was called although the process is not initialised.",
        "Either aclInit was never called, or another part of the program has finalised already.",
        "Call aclFinalize once, at the very end.",
        """\
>>> from acltwin import acl
>>> acl.finalize()
100037
""",
    ),
    Status(
        107000,
        "ACL_ERROR_RT_PARAM_INVALID",
        "An argument of a runtime function does not fit the state: an address, a size or a value.",
        "A copy larger than its destination, an address outside every live block, a block freed twice, a copy kind "
        "that fits neither address, a timeout below -1, a parameter value out of range. The device notices some of "
        "these only as a crash.",
        "The message names the argument, what was expected and what was there.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> block, ret = acl.rt.malloc(64, 0)
>>> acl.rt.free(block), acl.rt.free(block)
(0, 107000)
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        107001,
        "ACL_ERROR_RT_INVALID_DEVICEID",
        "There is no device with this number.",
        "Devices are counted from 0. The twin has one, unless ACLTWIN_DEVICES says otherwise.",
        "Use a number below what aclrtGetDeviceCount gives, or set ACLTWIN_DEVICES before aclInit.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(63)
107001
""",
    ),
    Status(
        107002,
        "ACL_ERROR_RT_CONTEXT_NULL",
        "The calling thread has no context.",
        "Each thread has a current context of its own, and memory, streams and events need one. aclrtSetDevice gives "
        "the calling thread the device's default context; a second thread must also set it. After the last "
        "aclrtResetDevice the context is gone, in every thread.",
        "Call aclrtSetDevice, or aclrtSetCurrentContext, in this thread first.",
        """\
>>> import threading
>>> from acltwin import acl
>>> thread = threading.Thread(target=lambda: print(acl.rt.create_stream()))
>>> thread.start(); thread.join()
(0, 107002)
""",
    ),
    Status(
        107003,
        "ACL_ERROR_RT_STREAM_CONTEXT",
        "The stream belongs to another context than the calling thread's.",
        "A stream lives in the context that was current when it was created, and only threads with that context use "
        "it.",
        "Make its context current with aclrtSetCurrentContext, or create a stream in this one.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> stream, ret = acl.rt.create_stream()
>>> context, ret = acl.rt.create_context(0)
>>> acl.rt.synchronize_stream(stream)
107003
>>> acl.rt.destroy_context(context), acl.rt.reset_device(0)
(0, 0)
""",
    ),
    Status(
        107006,
        "ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID",
        "The event has no time to compare.",
        "It was never recorded, or it was created with flags that do not include ACL_EVENT_TIME_LINE.",
        "Record both events, and create them with aclrtCreateEvent or with ACL_EVENT_TIME_LINE.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> event, ret = acl.rt.create_event()
>>> acl.rt.event_elapsed_time(event, event)
(0, 107006)
>>> acl.rt.destroy_event(event), acl.rt.reset_device(0)
(0, 0)
""",
    ),
    Status(
        107017,
        "ACL_ERROR_RT_INVALID_HANDLE",
        "The handle is not a live context, stream or event.",
        "It was destroyed, or ended with its context or device, or it never was a handle. The twin looks handles up "
        "and says which of these it is; the device may crash.",
        "Destroy a handle after its last use, and only once.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> stream, ret = acl.rt.create_stream()
>>> acl.rt.destroy_stream(stream), acl.rt.destroy_stream(stream)
(0, 107017)
>>> acl.rt.reset_device(0)
0
""",
    ),
    Status(
        107021,
        "ACL_ERROR_RT_SYSPARAMOPT_NOT_SET",
        "The context has no value for this system parameter.",
        "aclrtCtxGetSysParamOpt gives only what aclrtCtxSetSysParamOpt has set in the same context. The process-wide "
        "aclrtGetSysParamOpt always has a value.",
        "Set the parameter first, or ask for the process-wide value.",
        """\
>>> from acltwin import acl
>>> acl.rt.set_device(0)
0
>>> acl.rt.ctx_get_sys_param_opt(acl.constants.ACL_OPT_DETERMINISTIC)
(0, 107021)
>>> acl.rt.reset_device(0)
0
""",
    ),
)
