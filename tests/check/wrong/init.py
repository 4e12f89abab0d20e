"""Device bytes that are read, but that nobody has written."""

from gallery import GRADIENTS, RESULT_BYTES, Upsample, acl, begin, end, main, malloc, ok, read, write


# The copy to the device was forgotten.
# finds: init.kernel-reads-unwritten
def input_never_written(fixed: bool) -> None:
    stream = begin()
    source, result = malloc(GRADIENTS.nbytes), malloc(RESULT_BYTES)
    if fixed:
        write(source, GRADIENTS)
    upsample = Upsample(source, result)
    upsample.launch(stream)
    ok(acl.rt.synchronize_stream(stream))
    read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


# An array of half the size was copied: the first 8 of 16 elements.
# finds: init.kernel-reads-unwritten
def input_half_written(fixed: bool) -> None:
    stream = begin()
    source, result = malloc(GRADIENTS.nbytes), malloc(RESULT_BYTES)
    write(source, GRADIENTS if fixed else GRADIENTS[:8])
    upsample = Upsample(source, result)
    upsample.launch(stream)
    ok(acl.rt.synchronize_stream(stream))
    read(result, RESULT_BYTES)
    upsample.close()
    end(stream, source, result)


# A block is copied to the host, but no kernel has run.
# finds: init.copy-reads-unwritten
def result_of_no_kernel(fixed: bool) -> None:
    stream = begin()
    block = malloc(GRADIENTS.nbytes)
    if fixed:
        ok(acl.rt.memset(block, GRADIENTS.nbytes, 0, GRADIENTS.nbytes))
    read(block, GRADIENTS.nbytes)
    end(stream, block)


main(globals())
