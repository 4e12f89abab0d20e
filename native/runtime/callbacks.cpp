#include "runtime/callbacks.h"

#include <pthread.h>

#include <deque>
#include <map>
#include <utility>

#include "acl/acl_rt.h"
#include "runtime/context.h"
#include "runtime/interpreter.h"

namespace acltwin {
namespace {

thread_local const Stream* inside = nullptr;  // whose host function this thread is in

struct HostFunction {
    void (*function)(void*);
    void* argument;
    HostUser user;  // a function of an interpreter ends with it

    // `stream` waits for it; null: none does.
    void run(const Stream* stream) const {
        const HostAccess access(user);
        if (access.failure()) return;
        const Stream* const before = std::exchange(inside, stream);
        function(argument);
        inside = before;
    }
};

// A function that waits for its thread.
struct Report {
    HostFunction function;
    const Stream* subscribed;  // whose thread it is
    const Stream* waiting;     // for it; null: none does
    std::shared_ptr<const check::Waiting> known;
    bool is_done = false, is_given_up = false;
};

// What waits for one thread. Guarded by the runtime's lock, as all here.
struct Reporter {
    std::deque<std::shared_ptr<Report>> reports;
    int streams = 0;
};

std::map<uint64_t, std::shared_ptr<Reporter>>& reporters(const Lock&) {
    static auto* instance = new std::map<uint64_t, std::shared_ptr<Reporter>>;
    return *instance;
}

std::map<const Stream*, uint64_t>& subscribed_threads(const Lock&) {
    static auto* instance = new std::map<const Stream*, uint64_t>;
    return *instance;
}

std::shared_ptr<Reporter> reporter_of(const Stream& stream, const Lock& lock) {
    const auto thread = subscribed_threads(lock).find(&stream);
    return thread != subscribed_threads(lock).end() ? reporters(lock)[thread->second] : nullptr;
}

Failure check_function(const void* function) {
    if (function != nullptr) return {};
    return refuse(ACL_ERROR_INVALID_PARAM, "fn is null, expected a function; pass the one to call");
}

// On a device the functions run in a thread of the runtime's, which has no context; so they do here, whichever thread
// comes to them.
struct WithoutContext {
    const aclrtContext before = exchange_current(nullptr);
    ~WithoutContext() { exchange_current(before); }
};

// What check mode knows when a function begins: what was known when it was queued last, as a recorded one is queued
// with each run of the recording.
class KnownThen {
public:
    KnownThen(Task* task, const void* argument) {
        if (!check::on) return;
        latest_ = std::make_shared<std::shared_ptr<const check::Waiting>>();
        task->note = [latest = latest_, argument](const Stream& on, const Lock& lock) {
            *latest = check::queued_callback(on, argument, lock);
        };
    }
    std::shared_ptr<const check::Waiting> get() const {
        if (latest_ == nullptr) return nullptr;
        const Lock lock = lock_runtime();
        return *latest_;
    }

private:
    std::shared_ptr<std::shared_ptr<const check::Waiting>> latest_;
};

Failure launch_host_function(aclrtStream handle, aclrtHostFunc function, void* argument) {
    if (Failure failure = check_function(reinterpret_cast<void*>(function))) return failure;
    const HostFunction call{function, argument, this_thread_as_host_user()};
    const Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    Task task;
    const KnownThen known(&task, argument);
    task.run = [call, known](Stream& on) {
        const WithoutContext none;
        if (check::on) check::callback_begins(known.get().get());
        call.run(&on);
        return Failure{};
    };
    return stream->push(std::move(task), lock);
}

Failure unsubscribed() {
    return refuse(kKernelException,
                  "the thread was unsubscribed before it ran a function of aclrtLaunchCallback; synchronise the "
                  "stream before aclrtUnSubscribeReport");
}

Failure report(const std::shared_ptr<Report>& report, const std::shared_ptr<Reporter>& reporter) {
    Lock lock = lock_runtime();
    const bool is_subscribed = reporter_of(*report->subscribed, lock) == reporter;
    if (is_subscribed) {
        reporter->reports.push_back(report);
        notify_change(reporter.get(), lock);
        if (report->waiting != nullptr)
            wait_until(report.get(), lock, [&] { return report->is_done || report->is_given_up; });
    }
    return is_subscribed && !report->is_given_up ? Failure{} : unsubscribed();
}

Failure launch_callback(aclrtCallback function, void* argument, int block_type, aclrtStream handle) {
    if (Failure failure = check_function(reinterpret_cast<void*>(function))) return failure;
    if (block_type != ACL_CALLBACK_NO_BLOCK && block_type != ACL_CALLBACK_BLOCK)
        return refuse(ACL_ERROR_INVALID_PARAM, "blockType is ", block_type,
                      ", expected ACL_CALLBACK_NO_BLOCK (0) or ACL_CALLBACK_BLOCK (1); use one of them");
    const HostFunction call{function, argument, this_thread_as_host_user()};
    const Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    const std::shared_ptr<Reporter> reporter = reporter_of(*stream, lock);
    if (reporter == nullptr)
        return refuse(ACL_ERROR_RT_STREAM_NO_CB_REG,
                      "no thread is subscribed to the stream, expected one to run the function; call "
                      "aclrtSubscribeReport first, or use aclrtLaunchHostFunc");
    const bool is_blocking = block_type == ACL_CALLBACK_BLOCK;
    Task task;
    const KnownThen known(&task, argument);
    // A recorded one may outlive its stream, and so the subscription.
    task.run = [=, subscribed = std::weak_ptr<Stream>(stream)](Stream& on) {
        const auto alive = subscribed.lock();
        if (alive == nullptr) return unsubscribed();
        const Report fresh{call, alive.get(), is_blocking ? &on : nullptr, known.get()};
        return report(std::make_shared<Report>(fresh), reporter);
    };
    return stream->push(std::move(task), lock);
}

Failure subscribe(uint64_t thread, aclrtStream handle) {
    const Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    if (reporter_of(*stream, lock) != nullptr)
        return refuse(ACL_ERROR_RT_STREAM_SUBSCRIBE,
                      "a thread is subscribed to the stream already, expected one at most; call "
                      "aclrtUnSubscribeReport first");
    auto& reporter = reporters(lock)[thread];
    if (reporter == nullptr) reporter = std::make_shared<Reporter>();
    subscribed_threads(lock)[stream.get()] = thread;
    ++reporter->streams;
    return {};
}

Failure unsubscribe(uint64_t thread, aclrtStream handle) {
    const Lock lock = lock_runtime();
    std::shared_ptr<Stream> stream;
    if (Failure failure = find_stream(handle, lock, &stream)) return failure;
    const auto found = subscribed_threads(lock).find(stream.get());
    if (found == subscribed_threads(lock).end())
        return refuse(ACL_ERROR_RT_STREAM_SUBSCRIBE,
                      "no thread is subscribed to the stream, expected one; unsubscribe it once");
    if (found->second != thread)
        return refuse(ACL_ERROR_RT_THREAD_SUBSCRIBE, "threadId is ", thread, ", but thread ", found->second,
                      " is subscribed to the stream; pass what aclrtSubscribeReport was given");
    end_reports_of(*stream, lock);
    return {};
}

// Runs what waits for the calling thread, at least one function.
Failure process_reports(int32_t timeout) {
    if (timeout < -1 || timeout == 0)
        return refuse(ACL_ERROR_RT_PARAM_INVALID, "timeout is ", timeout,
                      " ms, expected -1 (wait for ever) or more than 0; use -1 or a time in milliseconds");
    Lock lock = lock_runtime();
    const auto found = reporters(lock).find(uint64_t(pthread_self()));
    if (found == reporters(lock).end())
        return refuse(ACL_ERROR_RT_THREAD_SUBSCRIBE,
                      "this thread is not subscribed to a stream, expected one; pass its pthread_self() to "
                      "aclrtSubscribeReport first");
    const std::shared_ptr<Reporter> reporter = found->second;
    const auto is_over = [&] { return !reporter->reports.empty() || reporter->streams == 0; };
    if (!wait_until(reporter.get(), lock, timeout, is_over))
        return refuse(ACL_ERROR_RT_REPORT_TIMEOUT, "no function came within ", timeout,
                      " ms; call it in a loop, or wait longer");
    while (!reporter->reports.empty()) {
        const std::shared_ptr<Report> report = reporter->reports.front();
        reporter->reports.pop_front();
        lock.unlock();
        if (check::on) check::callback_begins(report->known.get());
        report->function.run(report->waiting);
        lock.lock();
        report->is_done = true;
        notify_change(report.get(), lock);
    }
    return {};
}

}  // namespace

Failure check_not_inside(const Stream& stream) {
    if (inside != &stream) return {};
    return refuse(ACL_ERROR_RT_PARAM_INVALID,
                  "the call comes from a host function of this stream, which it would wait for, expected another "
                  "thread; wait for the stream elsewhere");
}

void end_reports_of(const Stream& stream, const Lock& lock) {
    const auto thread = subscribed_threads(lock).find(&stream);
    if (thread == subscribed_threads(lock).end()) return;
    const std::shared_ptr<Reporter> reporter = reporters(lock)[thread->second];
    std::deque<std::shared_ptr<Report>> left;
    for (const auto& report : reporter->reports) {
        report->is_given_up = report->subscribed == &stream;
        if (report->is_given_up)
            notify_change(report.get(), lock);
        else
            left.push_back(report);
    }
    reporter->reports.swap(left);
    if (--reporter->streams == 0) reporters(lock).erase(thread->second);
    subscribed_threads(lock).erase(thread);
    notify_change(reporter.get(), lock);
}

void forget_parents_reports(const Lock& lock) {
    subscribed_threads(lock).clear();
    reporters(lock).clear();
    inside = nullptr;
}

}  // namespace acltwin

using namespace acltwin;

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
    return answer(__func__, [&] { return launch_host_function(stream, fn, args); });
}

aclError aclrtLaunchCallback(aclrtCallback fn, void* userData, aclrtCallbackBlockType blockType, aclrtStream stream) {
    return answer(__func__, [&, type = int(blockType)] { return launch_callback(fn, userData, type, stream); });
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream) {
    return answer(__func__, [&] { return subscribe(threadId, stream); });
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream) {
    return answer(__func__, [&] { return unsubscribe(threadId, stream); });
}

aclError aclrtProcessReport(int32_t timeout) {
    return answer(__func__, [&] { return process_reports(timeout); });
}
