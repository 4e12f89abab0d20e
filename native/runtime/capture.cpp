#include "runtime/capture.h"

#include <utility>

namespace acltwin {
namespace {

int active_captures = 0;  // guarded by the runtime's lock

}  // namespace

Capture::Capture(const Stream& stream, int mode)
    : context_(stream.context()), mode_(mode), executions_(std::make_shared<const char>('\0')) {}

aclmdlRI Capture::begin(Stream& stream, aclrtStream handle, int mode, const Lock& lock) {
    const std::shared_ptr<Capture> fresh(new Capture(stream, mode));
    fresh->members_.reserve(1);
    fresh->handle_ = add_handle(fresh, lock);
    fresh->join(stream, handle, lock);
    fresh->set_state(State::active);
    return fresh->handle_;
}

void Capture::set_state(State state) {
    active_captures += (state == State::active) - (state_ == State::active);
    state_ = state;
}

bool Capture::forbids_unsafe(int mode, const Lock&) const {
    if (state_ != State::active || mode_ == ACL_MODEL_RI_CAPTURE_MODE_RELAXED) return false;
    if (thread_ == std::this_thread::get_id()) return mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
    return mode_ == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL && mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
}

Failure Capture::invalidated(const Lock&) const {
    return refuse(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, "the capture has become invalid (", why_invalid_,
                  "), expected a valid one; call aclmdlRICaptureEnd, and capture again without that");
}

Failure Capture::check_state(const Lock& lock) const {
    return state_ == State::invalid ? invalidated(lock) : Failure{};
}

Failure Capture::invalidate(Failure why, const Lock&) {
    if (state_ == State::active) {
        set_state(State::invalid);
        why_invalid_ = why.text.substr(0, why.text.find(','));
    }
    return why;
}

// Work of the same stream comes after this.
void Capture::count_work(size_t place) {
    Member& member = members_[place];
    member.known.learn(int(place), member.known.of(int(place)) + 1);
}

void Capture::add_step(size_t place, Task task, const Lock& lock) {
    steps_.push_back({place, std::move(task), check::on ? check::captured_call(lock) : 0});
    count_work(place);
}

Failure Capture::add(const Stream& stream, Task task, const Lock& lock) {
    if (Failure failure = check_state(lock)) return failure;
    add_step(stream.place_in_capture(lock), std::move(task), lock);
    return {};
}

Failure Capture::record(const Stream& stream, std::shared_ptr<const Mark>* mark, const Lock& lock) {
    if (Failure failure = check_state(lock)) return failure;
    const size_t place = stream.place_in_capture(lock);
    const auto fresh = std::make_shared<Mark>();
    Task task;
    if (check::on)
        task.note = [fresh](const Stream& on, const Lock& held) { check::recorded_event(fresh.get(), on, held); };
    add_step(place, std::move(task), lock);
    fresh->capture = weak_from_this();
    fresh->reached = members_[place].known;
    *mark = fresh;
    return {};
}

Failure Capture::wait(const Stream& stream, const Mark& mark, const Lock& lock) {
    const size_t place = stream.place_in_capture(lock);
    Task task;
    if (check::on)
        task.note = [mark = mark.shared_from_this()](const Stream& on, const Lock& held) {
            check::let_stream_wait(on, mark.get(), held);
        };
    add_step(place, std::move(task), lock);
    members_[place].known.join(mark.reached);
    return {};
}

void Capture::join(Stream& stream, aclrtStream handle, const Lock& lock) {
    Member member{stream.weak_from_this(), handle, {}, nullptr};
    if (check::on && !members_.empty()) {
        member.stand_in = stream.stand_in();
        check::stands_in(*member.stand_in, handle, lock);
    }
    members_.push_back(std::move(member));
    stream.set_capture(shared_from_this(), members_.size() - 1, lock);
}

void Capture::leave(bool for_good, const Lock& lock) {
    if (state_ != State::over)
        for (const Member& member : members_)
            if (const auto stream = member.stream.lock()) stream->set_capture(nullptr, 0, lock);
    set_state(State::over);
    for (const Member& member : members_)
        if (for_good && member.stand_in != nullptr) check::closed_stream(*member.stand_in, lock);
}

Failure Capture::check_joined(const Lock&) const {
    for (size_t place = 1; place < members_.size(); ++place) {
        const Member& member = members_[place];
        if (members_[0].known.of(int(place)) == member.known.of(int(place))) continue;
        return refuse(ACL_ERROR_RT_STREAM_UNJOINED, "stream ", member.handle,
                      " has joined the capture, and its last work is not waited for by the stream that began it, "
                      "expected a wait; record "
                      "an event behind it (aclrtRecordEvent) and let the first stream wait for that "
                      "(aclrtStreamWaitEvent)");
    }
    return {};
}

Failure Capture::end(const Stream& stream, bool* is_lost, const Lock& lock) {
    if (stream.place_in_capture(lock) != 0)
        return refuse(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
                      "the capture was not begun on this stream, which has joined it later, expected stream ",
                      members_[0].handle, "; end it there");
    if (mode_ != ACL_MODEL_RI_CAPTURE_MODE_RELAXED && thread_ != std::this_thread::get_id())
        return refuse(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
                      "the capture was begun by another thread, expected that one; end it there, or begin it with "
                      "ACL_MODEL_RI_CAPTURE_MODE_RELAXED");
    Failure failure = check_state(lock);
    if (!failure) failure = check_joined(lock);
    *is_lost = bool(failure);
    leave(*is_lost, lock);
    return failure;
}

Failure Capture::make_execution(Task* execution, const Lock&) {
    for (const Step& step : steps_)
        for (const auto& block : step.task.held) {
            if (!block->freed()) continue;
            if (check::on) check::will_refuse(check::Id::host_host_pointer_given, block->begin());
            return refuse(ACL_ERROR_RT_PARAM_INVALID, step.task.name, " of the capture uses the block at ",
                          static_cast<void*>(block->begin()),
                          ", which was freed since, expected it to live; free it after aclmdlRIDestroy");
        }
    execution->run = [self = shared_from_this(), share = executions_](Stream& on) { return self->run(on); };
    if (check::on)
        execution->note = [this](const Stream& on, const Lock& lock) { note_all(on, lock); };  // `run` keeps it
    return {};
}

void Capture::note_all(const Stream& on, const Lock& lock) const {
    for (const Step& step : steps_) {
        if (!step.task.note) continue;
        const check::AsRecorded call(step.call, lock);
        step.task.note(step.place == 0 ? on : *members_[step.place].stand_in, lock);
    }
    check::executed(handle_, on, lock);
}

// One execution after the other: two at once would write over each other's scratch memory.
Failure Capture::run(Stream& on) {
    struct Turn {
        Capture& of;
        explicit Turn(Capture& of) : of(of) {
            Lock lock = lock_runtime();
            wait_until(&of, lock, [&] { return !of.runs_now_; });
            of.runs_now_ = true;
        }
        ~Turn() {
            const Lock lock = lock_runtime();
            of.runs_now_ = false;
            notify_change(&of, lock);
        }
    };
    const Turn turn(*this);
    for (const Step& step : steps_)
        if (step.task.run)
            if (Failure failure = step.task.perform(on)) return failure;
    return {};
}

// The captures of the parent's threads end here; its executions run there.
void Capture::abandon(const Lock& lock) {
    runs_now_ = false;
    executions_ = std::make_shared<const char>('\0');
    invalidate(refuse(ACL_ERROR_RT_STREAM_CAPTURED, "the process was forked, while it was captured"), lock);
}

bool any_active_capture(const Lock&) { return active_captures > 0; }

std::shared_ptr<Capture> capture_of(const std::shared_ptr<const Mark>& mark, const Lock& lock) {
    const auto capture = mark != nullptr ? mark->capture.lock() : nullptr;
    return capture != nullptr && !capture->is_over(lock) ? capture : nullptr;
}

std::vector<std::shared_ptr<Capture>> end_captures_of(aclrtContext context, const Lock& lock) {
    auto ended = HandleTable<Capture>::instance().remove_if(
        lock, [&](const Capture& capture) { return capture.context() == context; });
    for (const auto& capture : ended) capture->leave(true, lock);
    return ended;
}

}  // namespace acltwin
