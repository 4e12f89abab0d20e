// Several host threads. Check mode cannot see joins and mutexes, so it must not take what they order for a mistake.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "gallery.h"

// Each thread has a stream and blocks of its own.
// finds: nothing
PROGRAM(threads_apart) {
    Session session;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            OnDevice device;
            Stream stream;
            Gradients gradients;
            Result result;
            Upsample upsample(gradients.address, result.address);
            for (int round = 0; round < 10; ++round) {
                upsample.launch(stream.handle);
                wait(stream.handle);
                read(result);
            }
        });
    for (std::thread& thread : threads) thread.join();
}

// One thread fills the input, and is joined before another reads the result.
// finds: nothing
PROGRAM(input_from_a_joined_thread) {
    Session session;
    Block gradients(kGradientBytes);
    Result result;
    std::thread([&] {
        OnDevice device;
        CHECK(aclrtMemcpy(gradients.address, kGradientBytes, kGradients, kGradientBytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }).join();
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    std::thread([&] {
        OnDevice device;
        wait(session.stream);
    }).join();
    read(result);
}

// Threads take turns with one input and one result, under a mutex.
// finds: nothing
PROGRAM(turns_under_a_mutex) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            OnDevice device;
            for (int round = 0; round < 5; ++round) {
                std::lock_guard<std::mutex> lock(mutex);
                CHECK(aclrtMemcpy(gradients.address, kGradientBytes, kGradients, kGradientBytes,
                                  ACL_MEMCPY_HOST_TO_DEVICE));
                upsample.launch(session.stream);
                wait(session.stream);
                read(result);
            }
        });
    for (std::thread& thread : threads) thread.join();
}

// A producer launches, a consumer is told, waits for the event and reads.
// finds: nothing
PROGRAM(producer_and_consumer) {
    Session session;
    Event done;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    std::mutex mutex;
    std::condition_variable changed;
    bool launched = false;
    std::thread consumer([&] {
        OnDevice device;
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return launched; });
        CHECK(aclrtSynchronizeEvent(done.handle));
        read(result);
    });
    upsample.launch(session.stream);
    CHECK(aclrtRecordEvent(done.handle, session.stream));
    {
        std::lock_guard<std::mutex> lock(mutex);
        launched = true;
    }
    changed.notify_one();
    consumer.join();
}

// One thread allocates, another frees.
// finds: nothing
PROGRAM(freed_by_another_thread) {
    Session session;
    Gradients gradients;
    Result result;
    Upsample upsample(gradients.address, result.address);
    upsample.launch(session.stream);
    wait(session.stream);
    read(result);
    void* block = gradients.take();
    std::thread([block] {
        OnDevice device;
        CHECK(aclrtFree(block));
    }).join();
}

// A thread for reports begins its loop before it is subscribed and goes on after that, without looking at the status.
// finds: nothing
PROGRAM(reports_before_the_subscription) {
    Session session;
    std::atomic<bool> stop(false);
    std::atomic<int> rounds(0), count(0);
    std::thread thread([&] {
        for (; !stop; ++rounds) aclrtProcessReport(1);
    });
    const auto some_rounds = [&] {
        for (const int before = rounds; rounds < before + 3;) std::this_thread::yield();
    };
    some_rounds();
    CHECK(aclrtSubscribeReport(uint64_t(thread.native_handle()), session.stream));
    const aclrtCallback count_up = [](void* number) { ++*static_cast<std::atomic<int>*>(number); };
    CHECK(aclrtLaunchCallback(count_up, &count, ACL_CALLBACK_BLOCK, session.stream));
    wait(session.stream);
    CHECK(aclrtUnSubscribeReport(uint64_t(thread.native_handle()), session.stream));
    some_rounds();
    stop = true;
    thread.join();
    if (count != 1) std::exit(1);
}
