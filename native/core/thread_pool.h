// A small pool of threads: the caller works too, and is never blocked by another caller's work. A caller may have
// another library's threads do its work instead, see core/team.h.
#pragma once

#include <cstdint>

#include "core/export.h"

namespace acltwin {

constexpr int kMaxThreads = 256;

// ACLTWIN_NUM_THREADS, or the usable cores; no more than the team has, where one is in use.
ACLTWIN_API int num_threads();
ACLTWIN_API void set_num_threads(int n);  // 1 <= n <= kMaxThreads

// Runs body(context, chunk, slot) once for every chunk in [0, chunks), on the caller and up to threads - 1
// others. `slot` < threads is this thread's own number during the call: index scratch memory with it. Floating-point
// mode is the default one (round to nearest, no flush to zero) in every thread, the caller included. Threads of the
// pool that sleep are woken only for work that takes one thread long enough; `parallel` takes it for that unless told.
void run_chunks(int64_t chunks, int threads, double nanoseconds,
                void (*body)(const void* context, int64_t chunk, int slot), const void* context);

// The largest number of threads that the calling thread's work was cut for since it began to count; at least 1.
void begin_counting_threads();
int threads_counted();

template <class Body>
void parallel(int64_t chunks, int threads, const Body& body, double nanoseconds = 1e18) {
    run_chunks(
        chunks, threads, nanoseconds,
        [](const void* context, int64_t chunk, int slot) { (*static_cast<const Body*>(context))(chunk, slot); }, &body);
}

}  // namespace acltwin
