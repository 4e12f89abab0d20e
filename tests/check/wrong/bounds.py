"""More bytes than were asked for: the padding of a block hides it, until it does not."""

from gallery import (
    GRADIENTS,
    RESULT_BYTES,
    Pool,
    Upsample,
    acl,
    begin,
    end,
    main,
    malloc,
    ok,
    read,
    worked,
    write,
)


# A tensor of 16 floats over a block of 15; the padding takes the last one.
# finds: bounds.tensor-beyond-block
def tensor_beyond_block(fixed: bool) -> None:
    stream = begin()
    data = GRADIENTS if fixed else GRADIENTS[:15]
    source, result = malloc(data.nbytes), malloc(RESULT_BYTES)
    write(source, data)
    upsample = Upsample(source, result)
    upsample.launch(stream)
    ok(acl.rt.synchronize_stream(stream))
    read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


# A float64 array is copied into a block for float32.
# finds: bounds.copy-beyond-block
def copy_beyond_block(fixed: bool) -> None:
    stream = begin()
    block = malloc(4 * 4)
    write(block, GRADIENTS[:4] if fixed else GRADIENTS[:4].astype("float64"))
    read(block, 4 * 4)
    end(stream, block)


# Less workspace than phase 1 has asked for.
# finds: bounds.workspace-too-small
def workspace_too_small(fixed: bool) -> None:
    stream = begin()
    pool = Pool()
    size = pool.workspace_size if fixed else pool.workspace_size // 2
    workspace = malloc(size)
    if worked(pool.phase2(workspace, size, stream)):
        ok(acl.rt.synchronize_stream(stream))
        read(pool.result, 32)
    pool.close()
    end(stream, workspace)


main(globals())
