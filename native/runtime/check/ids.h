// Everything that check mode can find: one table of ids, and what each of them means.
#pragma once

#include "core/export.h"

namespace acltwin::check {

enum class FindingKind { race, init, bounds, host, leak, use };
constexpr int kFindingKinds = 6;

enum class Id {
    race_kernel_and_copy,
    race_kernels,
    race_copies,
    race_host_copies,
    race_batch_copies,
    race_free_in_use,
    race_reset_in_use,
    race_workspace_shared,
    race_wrong_stream,
    race_event_not_recorded,
    race_destroy_in_use,
    init_kernel_reads_unwritten,
    init_copy_reads_unwritten,
    init_workspace_read,
    init_dropped_work,
    bounds_tensor_beyond_block,
    bounds_copy_beyond_block,
    bounds_workspace_too_small,
    host_device_pointer_followed,
    host_host_pointer_given,
    leak_block,
    leak_stream,
    leak_event,
    leak_context,
    leak_tensor,
    leak_array,
    leak_executor,
    leak_executor_never_run,
    leak_capture,
    use_no_init,
    use_phase1_failed,
    use_executor_twice,
    use_tensor_destroyed_between_phases,
    use_result_never_read,
    use_reset_with_live_objects,
    use_status_ignored,
    use_stale_handle,
    use_wrong_kind,
    use_no_peer_access,
    use_wrong_device,
    use_overlap,
    use_missing_operator,
    use_refused_call,
    none,  // the last: no finding
};
constexpr int kIds = int(Id::none);

struct Meaning {
    Id id;
    const char* name;  // "race.kernels": the kind, a dot, the rest
    const char* sentence;
};

// In the order of Id.
ACLTWIN_API const Meaning* meanings();
inline const char* name_of(Id id) { return meanings()[int(id)].name; }

const char* name_of(FindingKind kind);
FindingKind kind_of(Id id);

}  // namespace acltwin::check
