// Threads that do anything right, at random: whatever they choose, what must be ordered is, so nothing may be found.
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

#include "gallery.h"

// One input and one result. Work on them goes from stream to stream, each time with an order between the two.
struct Job {
    std::unique_ptr<Gradients> own;
    std::unique_ptr<Result> result{new Result};
    int stream = -1;  // where its last work is; -1: the host has waited for it
    bool unread = false;
};

class RightThread {
public:
    RightThread(unsigned seed, void* shared_input) : random_(seed), shared_input_(shared_input) {
        for (auto& stream : streams_) stream.reset(new Stream);
        for (auto& job : jobs_) renew_input(job);
    }

    void step() {
        Job& job = jobs_[below(4)];
        switch (below(8)) {
            case 0: return renew_input(job);
            case 1: return renew_stream(below(3));
            case 2: return renew_event(below(3));
            case 3: return pool(below(3));
            case 4: return clear(job, below(3));
            case 5: return read_result(job);
            default: return launch(job, below(3));
        }
    }

    void finish() {
        for (Job& job : jobs_) read_result(job);
        for (int i = 0; i < 3; ++i) settle(i);
    }

private:
    int below(int end) { return int(random_() % unsigned(end)); }

    // From here on the host knows of all that the stream has done.
    void settle(int stream) {
        switch (below(3)) {
            case 0: wait(streams_[stream]->handle); break;
            case 1: CHECK(aclrtSynchronizeDevice()); break;
            default:
                CHECK(aclrtRecordEvent(events_[stream]->handle, streams_[stream]->handle));
                CHECK(aclrtSynchronizeEvent(events_[stream]->handle));
        }
        for (Job& job : jobs_)
            if (job.stream == stream) job.stream = -1;
    }

    void settle(const Job& job) {
        if (job.stream >= 0) settle(job.stream);
    }

    // The stream's next work comes behind all of the job's.
    void move(Job& job, int stream) {
        if (job.stream >= 0 && job.stream != stream) {
            CHECK(aclrtRecordEvent(events_[job.stream]->handle, streams_[job.stream]->handle));
            CHECK(aclrtStreamWaitEvent(streams_[stream]->handle, events_[job.stream]->handle));
        }
        job.stream = stream;
    }

    void launch(Job& job, int stream) {
        if (job.unread) read_result(job);
        move(job, stream);
        void* input = job.own != nullptr ? job.own->address : shared_input_;
        Upsample(input, job.result->address).launch(streams_[stream]->handle);
        job.unread = true;
    }

    void read_result(Job& job) {
        settle(job);
        if (!job.unread) return;
        const std::vector<float> seen = read(*job.result);
        if (seen != std::vector<float>{52, 68}) std::abort();
        job.unread = false;
    }

    void clear(Job& job, int stream) {
        if (job.unread) read_result(job);
        move(job, stream);
        CHECK(aclrtMemsetAsync(job.result->address, kResultBytes, 0, kResultBytes, streams_[stream]->handle));
    }

    void renew_input(Job& job) {
        settle(job);
        job.own.reset(below(2) == 0 ? new Gradients : nullptr);
    }

    void renew_stream(int stream) {
        settle(stream);
        streams_[stream].reset(new Stream);
    }

    void renew_event(int event) { events_[event].reset(new Event); }

    void pool(int stream) {
        Block result(kPoolResultBytes);
        Pool pool(result.address);
        Block workspace(pool.workspace_size);
        CHECK(pool.phase2(workspace.address, pool.workspace_size, streams_[stream]->handle));
        settle(stream);
        read(result);
    }

    std::mt19937 random_;
    void* shared_input_;
    std::unique_ptr<Event> events_[3] = {std::unique_ptr<Event>(new Event), std::unique_ptr<Event>(new Event),
                                         std::unique_ptr<Event>(new Event)};
    std::unique_ptr<Stream> streams_[3];
    Job jobs_[4];
};

// finds: nothing
PROGRAM(stress) {
    Session session;
    Gradients shared_input;
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed)
        threads.emplace_back([&shared_input, seed] {
            OnDevice device;
            RightThread thread(seed, shared_input.address);
            for (int i = 0; i < 500; ++i) thread.step();
            thread.finish();
        });
    for (std::thread& thread : threads) thread.join();
}
