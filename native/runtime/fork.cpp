#include "runtime/fork.h"

#include "runtime/callbacks.h"
#include "runtime/capture.h"
#include "runtime/context.h"
#include "runtime/event.h"
#include "runtime/interpreter.h"
#include "runtime/memory.h"
#include "runtime/virtual_memory.h"

namespace acltwin {

void abandon_parents_work(const Lock& lock) {
    const Failure failure =
        refuse(kKernelException,
               "the work was queued before the fork and runs in the parent process only; synchronise "
               "before the fork, or queue the work in the child");
    HandleTable<Stream>::instance().for_each(lock, [&](Stream& stream) { stream.abandon(failure, lock); });
    HandleTable<Context>::instance().for_each(lock, [&](Context& context) {
        if (context.default_stream != nullptr) context.default_stream->abandon(failure, lock);
    });
    HandleTable<Capture>::instance().for_each(lock, [&](Capture& capture) { capture.abandon(lock); });
    HandleTable<Event>::instance().for_each(lock, [&](Event& event) {
        if (event.latest != nullptr && !event.latest->completed) event.latest->complete(failure, lock);
    });
    forget_parents_copies(lock);
    forget_parents_uses(lock);
    forget_parents_reports(lock);
    forget_parents_virtual_memory(lock);
    if (check::on) check::forked(lock);
}

}  // namespace acltwin
