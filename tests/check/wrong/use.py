"""Calls in an order, or with handles, that the interface does not promise anything for."""

import numpy as np
from gallery import (
    GRADIENTS,
    RESULT_BYTES,
    Pool,
    Upsample,
    acl,
    begin,
    c,
    end,
    gradients,
    main,
    malloc,
    ok,
    read,
    worked,
    write,
)


# acl.init is missing.
# finds: use.no-init
def no_init(fixed: bool) -> None:
    if fixed:
        ok(acl.init())
    ok(acl.rt.set_device(0))
    block = malloc(64)
    ok(acl.rt.free(block))
    ok(acl.rt.reset_device(0))
    if fixed:
        ok(acl.finalize())


# Phase 1 fails, and all that the program knows is a number.
# finds: use.refused-call
def refused_call(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    sizes = upsample.output_size if fixed else upsample.input_size
    _, executor, status = acl.upsample_nearest3d_backward_get_workspace_size(
        upsample.grad_out, sizes, upsample.input_size, 2.0, 2.0, 2.0, upsample.grad_input
    )
    if status == 0:
        ok(acl.upsample_nearest3d_backward(0, 0, executor, stream))
        ok(acl.rt.synchronize_stream(stream))
        read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


# Phase 1 fails, nobody looks, and phase 2 gets the executor that it did not make.
# finds: use.phase1-failed use.refused-call
def phase1_status_ignored(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    _, executor, _ = acl.upsample_nearest3d_backward_get_workspace_size(
        upsample.grad_out,
        upsample.output_size if fixed else upsample.input_size,
        upsample.input_size,
        2.0,
        2.0,
        2.0,
        upsample.grad_input,
    )
    if worked(acl.upsample_nearest3d_backward(0, 0, executor, stream)):
        ok(acl.rt.synchronize_stream(stream))
        read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


# An executor is good for one phase 2, unless it was made repeatable.
# finds: use.executor-twice
def executor_run_twice(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(stream)
    if fixed:
        ok(upsample.phase1())
    worked(upsample.phase2(stream))
    ok(acl.rt.synchronize_stream(stream))
    read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


# A tensor is destroyed as soon as phase 1 has seen it; phase 2 needs it.
# finds: use.tensor-destroyed-between-phases
def tensor_destroyed_between_phases(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    ok(upsample.phase1())
    if not fixed:
        upsample.close()
    launched = worked(upsample.phase2(stream))
    if fixed:
        upsample.close()
    if launched:
        ok(acl.rt.synchronize_stream(stream))
        read(result, RESULT_BYTES)
    end(stream, source, result)


# A kernel runs, and nobody looks at what it wrote.
# finds: use.result-never-read
def result_never_read(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    upsample.launch(stream)
    ok(acl.rt.synchronize_stream(stream))
    if fixed:
        read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


# The device is reset while a block and a stream live: they are gone with it.
# finds: use.reset-with-live-objects
def reset_with_live_objects(fixed: bool) -> None:
    stream = begin()
    block = malloc(4096)
    if fixed:
        ok(acl.rt.free(block))
        ok(acl.rt.destroy_stream(stream))
    ok(acl.rt.reset_device(0))
    ok(acl.finalize())


# The kernel finds an index that points nowhere, the wait says so, and its result is copied all the same.
# finds: use.status-ignored
def failed_kernel_ignored(fixed: bool) -> None:
    stream = begin()
    pool = Pool()
    write(pool.blocks[2], np.array([7 if fixed else 8], np.int32))
    workspace = malloc(pool.workspace_size)
    ok(pool.phase2(workspace, pool.workspace_size, stream))
    worked(acl.rt.synchronize_stream(stream))
    read(pool.result, 32)
    pool.close()
    end(stream, workspace)


# The kind says that the source is on the host, and it is not.
# finds: use.wrong-kind
def kind_that_does_not_fit(fixed: bool) -> None:
    stream = begin()
    source, copy, size = gradients(), malloc(GRADIENTS.nbytes), GRADIENTS.nbytes
    kind = c.ACL_MEMCPY_DEVICE_TO_DEVICE if fixed else c.ACL_MEMCPY_HOST_TO_DEVICE
    worked(acl.rt.memcpy(copy, size, source, size, kind))
    end(stream, source, copy)


# A block is freed twice.
# finds: use.stale-handle
def double_free(fixed: bool) -> None:
    stream = begin()
    block = gradients()
    ok(acl.rt.free(block))
    if not fixed:
        worked(acl.rt.free(block))
    end(stream)


# The result is written over the input.
# finds: use.overlap
def result_over_the_input(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    target = result if fixed else source
    upsample = Upsample(source, target)
    upsample.launch(stream)
    ok(acl.rt.synchronize_stream(stream))
    read(target, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


main(globals())
