// Pinned memory and batches, used as they may be.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "pinned.h"

// Two slots take turns; an event tells when the host may refill one.
// finds: nothing
PROGRAM(pinned_slots_take_turns) {
    Session session;
    Event uploaded[2];
    Pinned one(5000), two(5000);
    const Pinned* const slots[] = {&one, &two};
    Block block(one.bytes());
    for (int step = 0; step < 600; ++step) {
        if (step > 1) CHECK(aclrtSynchronizeEvent(uploaded[step % 2].handle));
        slots[step % 2]->fill(float(step));
        slots[step % 2]->upload(block, session.stream);
        CHECK(aclrtRecordEvent(uploaded[step % 2].handle, session.stream));
    }
    wait(session.stream);
    if (read(block)[4999] != 599) std::exit(1);
}

// Each half of a block is used while the other one is copied: the two share a page.
// finds: nothing
PROGRAM(halves_of_a_pinned_block) {
    Session session;
    Gradients gradients;
    Pinned both(5000);
    Block block(both.bytes());
    CHECK(aclrtMemcpyAsync(both.values, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                           session.stream));
    for (size_t i = 16; i < 3000; ++i) both.values[i] = 1;
    CHECK(aclrtMemcpyAsync(block.address, block.bytes, both.values + 16, 2984 * sizeof(float),
                           ACL_MEMCPY_HOST_TO_DEVICE, session.stream));
    for (size_t i = 3000; i < 5000; ++i) both.values[i] = both.values[2999];  // an upload may be read
    wait(session.stream);
    if (both.values[15] != 15 || both.values[4999] != 1) std::exit(1);
    if (read(block.address, 2984 * sizeof(float))[2983] != 1) std::exit(1);
}

// A host function doubles what came down, and it goes up again: all on one stream. Then it comes down over itself.
// finds: nothing
PROGRAM(down_and_up_again) {
    Session session;
    Gradients gradients;
    Block block(kGradientBytes);
    Pinned seen(16);
    Pinned* shown = &seen;
    const aclrtHostFunc twice = [](void* pinned) {
        for (int i = 0; i < 16; ++i) (*static_cast<Pinned**>(pinned))->values[i] *= 2;
    };
    seen.download(gradients, session.stream);
    CHECK(aclrtLaunchHostFunc(session.stream, twice, &shown));
    seen.upload(block, session.stream);
    seen.download(block, session.stream);
    wait(session.stream);
    if (seen.values[15] != 30 || read(block)[15] != 30) std::exit(1);
}

// Whoever asks the stream often enough has waited for it; another thread then reads.
// finds: nothing
PROGRAM(pinned_result_read_by_another_thread) {
    Session session;
    Gradients gradients;
    Pinned seen(16);
    seen.download(gradients, session.stream);
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    while (status != ACL_STREAM_STATUS_COMPLETE) CHECK(aclrtStreamQuery(session.stream, &status));
    std::thread([&] {
        if (seen.values[15] != 15) std::exit(1);
    }).join();
}

// A child that is forked while copies are queued has memory of its own.
// finds: nothing
PROGRAM(fork_beside_queued_copies) {
    Session session;
    Gradients gradients;
    Pinned up(5000), down(16);
    Block block(up.bytes());
    up.fill(3);
    up.upload(block, session.stream);
    down.download(gradients, session.stream);
    int ends[2];
    if (pipe(ends) != 0) std::exit(1);
    if (fork() == 0) {
        up.fill(4);
        down.fill(4);
        const bool right = up.values[4999] == 4 && down.values[15] == 4;
        _exit(write(ends[1], right ? "y" : "n", 1) == 1 ? 0 : 1);
    }
    char answer = 0;
    close(ends[1]);  // so that a child without an answer ends the wait
    if (::read(ends[0], &answer, 1) != 1) answer = 'n';
    close(ends[0]);
    wait(session.stream);
    if (answer != 'y' || up.values[4999] != 3 || down.values[15] != 15 || read(block)[4999] != 3) std::exit(1);
}

// Memory that kernels use by its address on the device is copied as well.
// finds: nothing
PROGRAM(pinned_and_registered) {
    Session session;
    Gradients gradients;
    Result result;
    void *host = nullptr, *on_device = nullptr;
    CHECK(aclrtMallocHost(&host, 8192));
    float* const values = static_cast<float*>((void*)((reinterpret_cast<uintptr_t>(host) + 4095) / 4096 * 4096));
    CHECK(aclrtHostRegister(values, 4096, ACL_HOST_REGISTER_MAPPED, &on_device));
    CHECK(aclrtMemcpyAsync(values, kGradientBytes, gradients.address, kGradientBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                           session.stream));
    {
        Upsample upsample(on_device, result.address);
        upsample.launch(session.stream);
        wait(session.stream);
    }
    read(result);
    CHECK(aclrtHostUnregister(values));
    CHECK(aclrtFreeHost(host));
}

static std::atomic<int> other_faults(0);
static char* closed_page = nullptr;

// A collector of garbage has a handler of its own for pages that it has closed.
// finds: nothing
PROGRAM(handler_of_the_programs_own) {
    Session session;
    struct sigaction own = {};
    own.sa_sigaction = [](int, siginfo_t*, void*) {
        ++other_faults;
        mprotect(closed_page, 4096, PROT_READ | PROT_WRITE);
    };
    own.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &own, nullptr);
    closed_page = static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    Gradients gradients;
    Pinned seen(16);
    seen.download(gradients, session.stream);
    closed_page[7] = 1;
    wait(session.stream);
    if (other_faults != 1 || seen.values[15] != 15) std::exit(1);
    munmap(closed_page, 4096);
}

// Many small pinned buffers in flight at once, freed one by one.
// finds: nothing
PROGRAM(many_pinned_buffers) {
    Session session;
    Block block(kGradientBytes);
    std::vector<Pinned*> buffers;
    for (int i = 0; i < 700; ++i) {
        buffers.push_back(new Pinned(16));
        buffers.back()->fill(float(i));
        buffers.back()->upload(block, session.stream);
    }
    wait(session.stream);
    for (size_t i = 0; i < buffers.size(); ++i) {
        buffers[i]->fill(0);
        delete buffers[i];
    }
    if (read(block)[15] != 699) std::exit(1);
}

// The rows of a batch lie side by side, and one source serves two of them.
// finds: nothing
PROGRAM(batch_side_by_side) {
    Session session;
    Pinned row(8);
    Block image(3 * row.bytes());
    row.fill(2);
    Batch batch;
    for (size_t i = 3; i-- > 0;)
        batch.add(static_cast<char*>(image.address) + i * row.bytes(), row.values, row.bytes());
    CHECK(batch.upload(session.stream));
    wait(session.stream);
    read(image);
}
