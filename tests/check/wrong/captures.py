"""Captured work, done wrong."""

from __future__ import annotations

from gallery import GRADIENTS, RESULT_BYTES, Upsample, begin, c, end, gradients, main, malloc, ok, read, worked, write

from acltwin import acl


def capture(stream: int, upsample: Upsample) -> int:
    ok(acl.mdl.ri_capture_begin(stream, c.ACL_MODEL_RI_CAPTURE_MODE_GLOBAL))
    upsample.launch(stream)
    captured, ret = acl.mdl.ri_capture_end(stream)
    ok(ret)
    return captured


# A block is freed between the capture and its execution.
# finds: use.stale-handle
def captured_block_freed(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    captured = capture(stream, upsample)
    if not fixed:
        ok(acl.rt.free(source))
    if worked(acl.mdl.ri_execute_async(captured, stream)):
        ok(acl.rt.synchronize_stream(stream))
        read(result, RESULT_BYTES)
        ok(acl.rt.free(source))
    ok(acl.mdl.ri_destroy(captured))
    upsample.close()
    end(stream, result)


# What the kernel reads is written while an execution may still read it.
# finds: race.kernel-and-copy
def captured_source_overwritten(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    captured = capture(stream, upsample)
    for _ in range(2):
        ok(acl.mdl.ri_execute_async(captured, stream))
        if fixed:
            ok(acl.rt.synchronize_stream(stream))
        write(source, GRADIENTS)
    ok(acl.rt.synchronize_stream(stream))
    read(result, RESULT_BYTES)
    ok(acl.mdl.ri_destroy(captured))
    upsample.close()
    end(stream, source, result)


# Captured work is never destroyed.
# finds: leak.capture leak.context
def captured_and_kept(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    captured = capture(stream, upsample)
    ok(acl.mdl.ri_execute(captured, -1))
    read(result, RESULT_BYTES)
    if fixed:
        ok(acl.mdl.ri_destroy(captured))
    upsample.close()
    ok(acl.rt.free(source))
    ok(acl.rt.free(result))
    ok(acl.rt.destroy_stream(stream))
    if fixed:
        ok(acl.rt.reset_device(0))
    ok(acl.finalize())


main(globals())
