"""What still lives at the end."""

from gallery import LARGE, RESULT_BYTES, Upsample, acl, begin, describe, end, gradients, main, malloc, ok, read


# A block is never freed.
# finds: leak.block leak.context
def leaked_block(fixed: bool) -> None:
    ok(acl.init())
    ok(acl.rt.set_device(0))
    block = malloc(4096)
    if fixed:
        ok(acl.rt.free(block))
        ok(acl.rt.reset_device(0))
    ok(acl.finalize())


# A stream is never destroyed.
# finds: leak.stream leak.context
def leaked_stream(fixed: bool) -> None:
    stream = begin()
    if fixed:
        end(stream)


# An event is never destroyed.
# finds: leak.event leak.context
def leaked_event(fixed: bool) -> None:
    ok(acl.init())
    ok(acl.rt.set_device(0))
    event, ret = acl.rt.create_event()
    ok(ret)
    if fixed:
        ok(acl.rt.destroy_event(event))
        ok(acl.rt.reset_device(0))
    ok(acl.finalize())


# A context is never destroyed.
# finds: leak.context
def leaked_context(fixed: bool) -> None:
    ok(acl.init())
    context, ret = acl.rt.create_context(0)
    ok(ret)
    if fixed:
        ok(acl.rt.destroy_context(context))
    ok(acl.finalize())


# A tensor is never destroyed.
# finds: leak.tensor
def leaked_tensor(fixed: bool) -> None:
    stream = begin()
    block = gradients()
    tensor = describe(LARGE, block)
    if fixed:
        ok(acl.destroy_tensor(tensor))
    end(stream, block)


# An array of sizes is never destroyed.
# finds: leak.array
def leaked_array(fixed: bool) -> None:
    stream = begin()
    array = acl.create_int_array((2, 2, 4))
    if fixed:
        ok(acl.destroy_int_array(array))
    end(stream)


# A repeatable executor is run, and never destroyed.
# finds: leak.executor
def leaked_executor(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    ok(upsample.phase1())
    ok(acl.set_acl_op_executor_repeatable(upsample.executor))
    ok(upsample.phase2(stream))
    ok(acl.rt.synchronize_stream(stream))
    read(result, RESULT_BYTES)
    if fixed:
        ok(acl.destroy_acl_op_executor(upsample.executor))
    upsample.close()
    end(stream, source, result)


# Phase 1 without phase 2: nothing was computed, and the plan stays.
# finds: leak.executor-never-run
def executor_never_run(fixed: bool) -> None:
    stream = begin()
    source, result = gradients(), malloc(RESULT_BYTES)
    upsample = Upsample(source, result)
    ok(upsample.phase1())
    if fixed:
        ok(upsample.phase2(stream))
        ok(acl.rt.synchronize_stream(stream))
        read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


main(globals())
