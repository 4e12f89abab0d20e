"""Why each finding of check mode matters on a device, and what to do about it. What it means stands in its table."""

from __future__ import annotations

from typing import NamedTuple


class Story(NamedTuple):
    why: str
    fix: str


STORIES = {
    "race.kernel-and-copy": Story(
        "A launch returns before its kernel has run, and a copy does not wait for kernels. On an NPU the copy takes "
        "whatever is there: the last result, half of the new one, or all of it. The smaller the kernel, the more "
        "often it looks right.",
        "Call aclrtSynchronizeStream on the kernel's stream before the copy, or queue the copy on the same stream "
        "with aclrtMemcpyAsync. Between two streams, record an event behind the one and let the other wait for it.",
    ),
    "race.kernels": Story(
        "Work on one stream keeps its order, work on two does not. On an NPU the two kernels run at the same time or "
        "in either order, and which of them wins changes with load, driver and chip.",
        "Launch both on one stream, or record an event behind the first (aclrtRecordEvent) and let the second stream "
        "wait for it (aclrtStreamWaitEvent), or give each kernel memory of its own.",
    ),
    "race.copies": Story(
        "Copies on two streams run at the same time or in either order, also where the bytes are the host's: a vector, "
        "an array of NumPy, the stack. The second one then reads or writes over half of what the first one brings.",
        "Queue both on one stream, or record an event behind the first (aclrtRecordEvent) and let the second stream "
        "wait for it (aclrtStreamWaitEvent), or give each copy memory of its own.",
    ),
    "race.host-copies": Story(
        "A queued copy reads and writes its memory later, when its stream comes to it. What the host reads there, "
        "writes there, or copies from or to the same bytes meanwhile is a mixture of old data and new, in pinned "
        "memory as in ordinary memory. A host function on another stream is not later than the copy either, and a "
        "registration hands the memory on.",
        "Synchronise the stream before the second use, or queue both on one stream. With two staging buffers the host "
        "fills one while the other is copied. A source that must be reused at "
        "once can be copied with ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE.",
    ),
    "race.batch-copies": Story(
        "A device starts the copies of a batch in any order, and several at once: which of two comes last, or what is "
        "read before it is written, changes from run to run.",
        "Give each copy of a batch bytes of its own. What must come second is a call of its own behind the batch.",
    ),
    "race.free-in-use": Story(
        "On an NPU a freed block can be handed out again at once, while the queued kernel still reads or writes it: "
        "wrong results here or in another part of the program, or an AI Core exception.",
        "Synchronise the stream that uses the block, then free it. That also applies to workspaces.",
    ),
    "race.reset-in-use": Story(
        "A reset ends the device's streams and gives its memory back. Work that is still queued then fails or "
        "vanishes, and its status is lost with the stream.",
        "Call aclrtSynchronizeStream (or aclrtSynchronizeDevice) and look at its status before aclrtResetDevice.",
    ),
    "race.workspace-shared": Story(
        "A workspace holds what a kernel has not finished yet. Two kernels that share one at the same time overwrite "
        "each other's intermediate results, and both results are wrong.",
        "Allocate a workspace for each stream. On one stream, launches may share one: they run one after the other.",
    ),
    "race.wrong-stream": Story(
        "Synchronising a stream only waits for that stream. The program looks careful and still reads too early. A "
        "null stream is one of its own: the context's default stream.",
        "Synchronise the stream that was given to phase 2, or all of them with aclrtSynchronizeDevice.",
    ),
    "race.event-not-recorded": Story(
        "An event that was never recorded has no effect on a wait, without an error.",
        "Record the event (aclrtRecordEvent) behind the work that shall be waited for, and only then call the wait. "
        "With several host threads, make sure that the recording thread comes first.",
    ),
    "race.destroy-in-use": Story(
        "What is queued on a destroyed stream may still run or may be dropped, and its status is lost. A capture that "
        "may still run is rejected by aclmdlRIDestroy, or not, depending on time.",
        "Synchronise the stream before it, its context, or what was captured is destroyed.",
    ),
    "init.kernel-reads-unwritten": Story(
        "Memory of an NPU is not cleared: the kernel computes with what the last owner left there. Indices that were "
        "never written point anywhere. A twin that hands out zeros would hide it; check mode fills new blocks with a "
        "pattern.",
        "Copy the data to the device, or clear the block with aclrtMemset. Check that the copy counts bytes, not "
        "elements, and that offset and strides of the view point at what was written.",
    ),
    "init.copy-reads-unwritten": Story(
        "What arrives on the host is whatever the memory held before: yesterday's result looks like today's.",
        "Run the kernel that writes the block first, and copy no more bytes than it has written.",
    ),
    "init.workspace-read": Story(
        "What a kernel leaves in its workspace is undefined, and differs from chip to chip and from release to "
        "release; so is whether it uses all of it. Mostly the room that an arena reserves is smaller than what the "
        "first phase asks for, and the next tensor lies behind it.",
        "Reserve as many bytes as the first phase has given, for each call anew. Write tensors that lie where a "
        "workspace was again before they are read.",
    ),
    "init.dropped-work": Story(
        "aclrtDestroyStreamForce drops what has not begun. How far a device has come by then depends on its load: the "
        "block has the new result, the old one, or half of each.",
        "Synchronise the stream before it is destroyed, or use none of the results of what was given up.",
    ),
    "bounds.tensor-beyond-block": Story(
        "aclrtMalloc rounds up and adds padding, so a few bytes too many go unpunished in one version, and overwrite "
        "the neighbour in the next one or with another size.",
        "Allocate as many bytes as the tensor's shape, strides, offset and data type need; an int32 takes 4 bytes, "
        "not 1.",
    ),
    "bounds.copy-beyond-block": Story(
        "The copy takes or overwrites memory behind the block: the padding if you are lucky, another tensor if not.",
        "Copy at most as many bytes as the smaller side has, and pass the size of the destination as destMax.",
    ),
    "bounds.workspace-too-small": Story(
        "The kernel uses all the workspace that phase 1 asked for, whatever it is given, and so writes over what lies "
        "behind it.",
        "Allocate the workspaceSize that phase 1 wrote, after each phase 1: it depends on shapes, types and the chip.",
    ),
    "host.device-pointer-followed": Story(
        "Device memory is not in the host's address space: on a machine with an NPU this is a segmentation fault. "
        "Here it works without check mode, because both are the same memory.",
        "Copy the data to the host with aclrtMemcpy (ACL_MEMCPY_DEVICE_TO_HOST), and use the copy.",
    ),
    "host.host-pointer-given": Story(
        "A device cannot reach the host's memory: the kernel or copy fails there, or reads something else at that "
        "address.",
        "Allocate a block with aclrtMalloc, copy the data into it, and pass the block's address. Memory of "
        "aclrtMallocHost is also host memory.",
    ),
    "leak.block": Story(
        "Device memory is small and shared. A program that leaks a block in every step ends with 207001 after some "
        "hours.",
        "Call aclrtFree (aclrtFreeHost for host memory) for every block, after the work that uses it.",
    ),
    "leak.stream": Story(
        "A device has a limited number of streams; a long-lived process that leaks them can create no more.",
        "Synchronise the stream and call aclrtDestroyStream.",
    ),
    "leak.event": Story(
        "Events are limited on a device, as streams are.",
        "Call aclrtDestroyEvent when no call waits for the event any more.",
    ),
    "leak.context": Story(
        "A context keeps its streams and the device's memory for this process, so that others cannot use them.",
        "Call aclrtDestroyContext for every aclrtCreateContext and aclrtResetDevice for every aclrtSetDevice.",
    ),
    "leak.tensor": Story(
        "A tensor is a description in host memory. One per call adds up.",
        "Call aclDestroyTensor after phase 2 (aclDestroyTensorList for lists). The block is freed separately.",
    ),
    "leak.array": Story(
        "An array is a copy in host memory. One per call adds up.",
        "Call aclDestroyIntArray (or the function of the array's type) after phase 1.",
    ),
    "leak.executor": Story(
        "A repeatable executor keeps its plan until it is destroyed.",
        "Call aclDestroyAclOpExecutor after the last phase 2.",
    ),
    "leak.executor-never-run": Story(
        "Phase 1 only plans. Without phase 2 nothing was computed, and the plan is never given back.",
        "Call phase 2 with the executor. If it is not wanted any more, make it repeatable and destroy it.",
    ),
    "leak.capture": Story(
        "A capture keeps the plans of its launches, and on a device streams and memory of its own, which are limited.",
        "Call aclmdlRIDestroy when its last execution has been waited for.",
    ),
    "use.no-init": Story(
        "Real runtimes load their settings and logging in aclInit; without it calls fail, or work in one version only.",
        "Call aclInit once, before everything else, and aclFinalize after everything else.",
    ),
    "use.phase1-failed": Story(
        "On failure phase 1 writes neither the size nor the executor. Phase 2 then gets what the variable held: null, "
        "or an executor that has ended, which is undefined on a device.",
        "Look at the status of phase 1 and stop when it is not 0; aclGetRecentErrMsg tells why.",
    ),
    "use.executor-twice": Story(
        "Phase 2 ends its executor. Using it again is undefined on a device, and may crash there.",
        "Call phase 1 again for each launch, or call aclSetAclOpExecutorRepeatable right after phase 1 and "
        "aclDestroyAclOpExecutor at the end.",
    ),
    "use.tensor-destroyed-between-phases": Story(
        "The executor refers to the tensors of phase 1. A device reads freed memory then.",
        "Destroy tensors after phase 2.",
    ),
    "use.result-never-read": Story(
        "Nobody looked at what was computed. Mostly the wrong block was copied back, or the copy was forgotten.",
        "Copy the result, or remove the launch.",
    ),
    "use.reset-with-live-objects": Story(
        "The reset ends them all, and the handles and addresses that the program still holds mean nothing any more.",
        "Free blocks and destroy streams and events first; aclrtResetDevice comes last, before aclFinalize.",
    ),
    "use.status-ignored": Story(
        "The work failed, the status said so, and what was copied afterwards is no result.",
        "Look at every status, that of aclrtSynchronizeStream too: it is where failures of kernels show.",
    ),
    "use.stale-handle": Story(
        "A handle or an address that has ended can belong to something else by now. A device does not notice, and may "
        "crash. An address in Python (numpy_to_ptr, bytes_to_ptr) keeps nothing alive: that of a temporary, as of "
        "image.astype(...), is stale in the next line.",
        "End each object once, and set the variable to null afterwards. Keep arrays and bytes in a variable for as "
        "long as their address is used.",
    ),
    "use.wrong-kind": Story(
        "A real runtime believes the kind, and reads host memory on the device or device memory on the host.",
        "Choose the aclrtMemcpyKind that fits both addresses, or ACL_MEMCPY_DEFAULT.",
    ),
    "use.no-peer-access": Story(
        "Devices reach each other's memory only after aclrtDeviceEnablePeerAccess, each direction for itself. On an "
        "NPU such a copy fails, or takes a slow way through the host.",
        "Set the device that the memory comes from and call aclrtDeviceEnablePeerAccess with the other one, once.",
    ),
    "use.wrong-device": Story(
        "A stream belongs to one device, whose kernels and copies reach no other device's memory without peer access. "
        "On an NPU the call fails, or the work does.",
        "Use a stream of the device that the memory is on (aclrtSetDevice, then aclrtCreateStream), or allocate the "
        "memory with the stream's device set. aclrtDeviceEnablePeerAccess lets copies reach a peer.",
    ),
    "use.overlap": Story(
        "A kernel reads and writes in an order of its own, on many cores at once. Where a result lies over an input, "
        "some cells are computed from results instead of inputs, and which ones differs from chip to chip. Two results "
        "in one place are none.",
        "Give each result and the workspace bytes that no other tensor of the launch uses. A part of a larger block "
        "will do.",
    ),
    "use.missing-operator": Story(
        "The program was linked with the names of operators that the twin lacks (acltwin sdk --stubs). Such a call "
        "fails with status 161002, and what the program does next is not what it does on an NPU.",
        "Leave this part out on the twin, or test it on a device. Each operator is reported once, and all of them at "
        "the end.",
    ),
    "use.refused-call": Story(
        "A refused call does nothing, and failed work has no results. Programs that do not look at the status go on "
        "with what was there before; those that print it learn no more than a number.",
        "Do what the last line says. Look at the status of each call, and ask for its message (aclGetRecentErrMsg) "
        "where the program can live with the failure: then it counts as handled. ACLTWIN_LOG=1 prints the same "
        "sentences without check mode.",
    ),
}
