#include "runtime/check/ids.h"

#include <cstring>

namespace acltwin::check {
namespace {

constexpr Meaning kMeanings[] = {
    {Id::race_kernel_and_copy, "race.kernel-and-copy",
     "A kernel and a copy or memset touch the same bytes, one of them writes, and nothing orders the two."},
    {Id::race_kernels, "race.kernels",
     "Two launches on different streams touch the same bytes, one of them writes, and nothing orders the two."},
    {Id::race_copies, "race.copies",
     "Two queued copies or memsets on two streams touch the same bytes, one writes, and nothing orders the two."},
    {Id::race_host_copies, "race.host-copies",
     "The host uses bytes, in its code, a call or a host function, that a queued copy or memset may still touch."},
    {Id::race_batch_copies, "race.batch-copies",
     "Two copies of one batch touch the same bytes, one writes, and the copies of a batch have no order."},
    {Id::race_free_in_use, "race.free-in-use", "A block is freed while queued work may still use it."},
    {Id::race_reset_in_use, "race.reset-in-use",
     "A device is reset while its streams may still have work that nobody has waited for."},
    {Id::race_workspace_shared, "race.workspace-shared",
     "Two launches that nothing orders use the same workspace bytes."},
    {Id::race_wrong_stream, "race.wrong-stream",
     "The host waited, but for another stream than the one that uses the bytes."},
    {Id::race_event_not_recorded, "race.event-not-recorded",
     "An event is waited for before it was recorded, so the wait waits for nothing."},
    {Id::race_destroy_in_use, "race.destroy-in-use",
     "A stream, context or capture is destroyed while it may still have work that nobody has waited for."},
    {Id::init_kernel_reads_unwritten, "init.kernel-reads-unwritten",
     "A kernel reads bytes of a device block that nothing has written."},
    {Id::init_copy_reads_unwritten, "init.copy-reads-unwritten",
     "A copy to the host reads bytes of a device block that nothing has written."},
    {Id::init_workspace_read, "init.workspace-read",
     "A kernel or copy reads bytes that a launch has used as its workspace since they were written."},
    {Id::init_dropped_work, "init.dropped-work",
     "A kernel or copy reads bytes that work should have written which was dropped with its stream."},
    {Id::bounds_tensor_beyond_block, "bounds.tensor-beyond-block",
     "A tensor reaches beyond the bytes that were asked for with its block."},
    {Id::bounds_copy_beyond_block, "bounds.copy-beyond-block",
     "A copy or memset reaches beyond the bytes that one of its sides has."},
    {Id::bounds_workspace_too_small, "bounds.workspace-too-small",
     "A launch got a smaller workspace than its first phase asked for."},
    {Id::host_device_pointer_followed, "host.device-pointer-followed",
     "Host code followed a device pointer; device memory is reached by copies and kernels only."},
    {Id::host_host_pointer_given, "host.host-pointer-given",
     "A host pointer was given where a device pointer belongs."},
    {Id::leak_block, "leak.block", "Blocks of memory still live at the end."},
    {Id::leak_stream, "leak.stream", "Streams still live at the end."},
    {Id::leak_event, "leak.event", "Events still live at the end."},
    {Id::leak_context, "leak.context", "Contexts still live at the end: a created one, or a device that is not reset."},
    {Id::leak_tensor, "leak.tensor", "Tensors or lists of them still live at the end."},
    {Id::leak_array, "leak.array", "Arrays or scalars still live at the end."},
    {Id::leak_executor, "leak.executor", "Repeatable executors still live at the end."},
    {Id::leak_executor_never_run, "leak.executor-never-run",
     "Executors were made by a first phase, and no second phase ran them."},
    {Id::leak_capture, "leak.capture", "Captured work, an aclmdlRI, still lives at the end."},
    {Id::use_no_init, "use.no-init", "The runtime is used before aclInit or after aclFinalize."},
    {Id::use_phase1_failed, "use.phase1-failed", "A first phase failed, and its second phase was called all the same."},
    {Id::use_executor_twice, "use.executor-twice", "An executor is used again although its one run has ended it."},
    {Id::use_tensor_destroyed_between_phases, "use.tensor-destroyed-between-phases",
     "A tensor was destroyed after the first phase and before the second."},
    {Id::use_result_never_read, "use.result-never-read", "No result of a launch was read by a copy or another launch."},
    {Id::use_reset_with_live_objects, "use.reset-with-live-objects",
     "A device is reset while blocks, streams or events of it still live."},
    {Id::use_status_ignored, "use.status-ignored",
     "A launch failed, the status said so, and its result was copied all the same."},
    {Id::use_stale_handle, "use.stale-handle",
     "A handle, block or array of Python is used after it was destroyed, freed or dropped."},
    {Id::use_wrong_kind, "use.wrong-kind", "The kind of a copy does not fit its addresses."},
    {Id::use_no_peer_access, "use.no-peer-access",
     "Memory is copied from one device to another without peer access between the two."},
    {Id::use_wrong_device, "use.wrong-device",
     "A stream of one device uses memory of another that it has no access to."},
    {Id::use_overlap, "use.overlap",
     "Memory of one launch that must lie apart overlaps: a result with an input, another result or the workspace."},
    {Id::use_missing_operator, "use.missing-operator", "A program calls an operator that the twin does not have."},
    {Id::use_refused_call, "use.refused-call",
     "A call has failed and the program did not ask why: the status said so, and this is why."},
};
static_assert(sizeof kMeanings / sizeof *kMeanings == kIds, "one meaning for each id");

constexpr bool in_order() {
    for (int i = 0; i < kIds; ++i)
        if (int(kMeanings[i].id) != i) return false;
    return true;
}
static_assert(in_order(), "meanings are found by their position");

constexpr const char* kKindNames[kFindingKinds] = {"race", "init", "bounds", "host", "leak", "use"};

}  // namespace

const Meaning* meanings() { return kMeanings; }

const char* name_of(FindingKind kind) { return kKindNames[int(kind)]; }

FindingKind kind_of(Id id) {
    const char* name = name_of(id);
    for (int kind = 0; kind < kFindingKinds; ++kind) {
        const size_t length = std::strlen(kKindNames[kind]);
        if (std::strncmp(name, kKindNames[kind], length) == 0 && name[length] == '.') return FindingKind(kind);
    }
    return FindingKind::use;
}

}  // namespace acltwin::check
