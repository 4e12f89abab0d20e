// Host code keeps away from pinned memory while a queued copy of it is in flight, and the finding when it does not.
//
// From when the copy is queued until the host knows that it is over, pages that lie in it entirely are closed: to all
// accesses for a copy that writes them, to writes for one that reads them. The library's own copies go through the
// kernel, see move_bytes. Who touches such a page goes on at once: the handler of SIGSEGV opens it.
#pragma once

#include "runtime/check/state.h"

namespace acltwin::check {

// A copy of pinned memory is queued; its bytes are addresses on the host.
void close_pages(State& state, const Block& block, const Access& access, const Lock& lock);
void open_pages(const State& state, const Lock& lock);  // of what the host knows to be over
void open_pages_of(const Block& block, bool ends, const Lock& lock);
void open_all_pages(const Lock& lock);  // in a forked child

// In a handler of SIGSEGV: false if the address is in no such page. `context`: the handler's third argument.
bool open_page(uintptr_t address, const void* context);
bool any_page_touched();  // and not reported yet
void report_touched_pages(State& state, const Lock& lock);

}  // namespace acltwin::check
