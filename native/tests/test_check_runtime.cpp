// Check mode where the gallery of wrong programs does not reach: forks, faults, handlers, long queues.
// Each program runs in a process of its own, because check mode is chosen when a process starts.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "expect.h"

namespace {

void begin() { expect(aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0, "the runtime begins"); }

int end() {
    expect(aclrtResetDevice(0) == 0 && aclFinalize() == 0, "the runtime ends");
    return 0;
}

void* block(size_t bytes = 64) {
    void* address = nullptr;
    expect(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "a block");
    return address;
}

int exit_status_of(pid_t child) {
    int status = 0;
    expect(waitpid(child, &status, 0) == child, "the child ends");
    return status;
}

// What the parent has made is not the child's to free.
int child_that_makes_nothing() {
    begin();
    void* const parents = block();
    const pid_t child = fork();
    if (child == 0) {
        int device = -1;
        std::exit(aclrtGetDevice(&device));
    }
    expect(exit_status_of(child) == 0, "the child has used the runtime");
    aclrtFree(parents);
    return end();
}

int child_that_leaks() {
    begin();
    const pid_t child = fork();
    if (child == 0) {
        block();
        std::exit(0);
    }
    expect(exit_status_of(child) == 0, "the child has ended well");
    return end();
}

void leave(int) { _exit(42); }

// A fault that has nothing to do with us belongs to whoever handled it before.
int fault_of_the_program() {
    signal(SIGSEGV, leave);
    begin();
    block();
    raise(SIGSEGV);
    return 1;
}

// Ours is reported first.
int fault_in_device_memory() {
    signal(SIGSEGV, leave);
    begin();
    return *static_cast<volatile char*>(block());
}

// free() has locks of its own while it looks at the address.
int device_memory_given_to_free() {
    signal(SIGSEGV, leave);
    begin();
    std::free(block());
    return 1;
}

// The runtime holds its lock while it writes the handle.
int handle_written_to_device_memory() {
    signal(SIGSEGV, leave);
    begin();
    aclrtCreateStream(static_cast<aclrtStream*>(block()));
    return 1;
}

// The thread that reports faults has stayed in the parent; the child gets its own.
int fault_in_a_forked_child() {
    begin();
    void* const address = block();
    const pid_t child = fork();
    if (child == 0) {
        int device = -1;
        aclrtGetDevice(&device);
        _exit(*static_cast<volatile char*>(address) == 0);
    }
    expect(exit_status_of(child) != 0, "the child does not survive");
    aclrtFree(address);
    return end();
}

// Work that nobody waits for does not pile up.
int long_queue() {
    begin();
    void* const address = block(1 << 16);
    for (int i = 0; i < 20'000; ++i)
        aclrtMemsetAsync(static_cast<char*>(address) + i % 1000 * 64, 64, i, 1 + size_t(i % 64), nullptr);
    aclrtSynchronizeStream(nullptr);
    aclrtFree(address);
    return end();
}

// Threads that do whatever they like: whether it is right or wrong, it is judged without a data race of our own.
int many_threads() {
    begin();
    void* const shared = block(4096);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([=] {
            aclrtSetDevice(0);
            aclrtStream stream = nullptr;
            aclrtCreateStream(&stream);
            char host[256] = {};
            for (int i = 0; i < 200; ++i) {
                char* const mine = static_cast<char*>(shared) + thread * 256;
                aclrtMemcpyAsync(mine, 256, host, 256, ACL_MEMCPY_HOST_TO_DEVICE, stream);
                aclrtSynchronizeStream(stream);
                aclrtMemcpy(host, 256, mine, 256, ACL_MEMCPY_DEVICE_TO_HOST);
                aclrtFree(block());
            }
            aclrtDestroyStream(stream);
            aclrtResetDevice(0);
        });
    for (std::thread& thread : threads) thread.join();
    aclrtFree(shared);
    return end();
}

// Where the system has no addresses to spare, that one check ends, and says so.
int no_addresses_left() {
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + (rlim_t(1) << 30);
    expect(pages > 0 && setrlimit(RLIMIT_AS, &limit) == 0, "a limit on addresses");
    begin();
    void* const address = block();
    *static_cast<volatile char*>(address) = 1;
    aclrtFree(address);
    return end();
}

int leak() {
    begin();
    block();
    aclFinalize();
    return 0;
}

// Workers often end so, and have said what they leave.
int leak_of_a_worker() {
    leak();
    _exit(0);
}

// A refused call that nobody has looked at is found although the program dies of what follows.
int crash_after_a_refusal() {
    begin();
    void* null = nullptr;
    aclrtMalloc(&null, 0, ACL_MEM_MALLOC_HUGE_FIRST);
    signal(SIGSEGV, SIG_DFL);
    aclrtFree(block());
    return *static_cast<volatile char*>(null);
}

int abort_after_a_refusal() {
    begin();
    aclrtDestroyStream(nullptr);
    std::abort();
}

int ended_after_a_refusal() {
    begin();
    aclrtDestroyStream(nullptr);
    raise(SIGTERM);
    return 0;
}

int abort_after_a_handled_refusal() {
    begin();
    aclrtDestroyStream(nullptr);
    expect(aclGetRecentErrMsg() != nullptr, "a message");
    std::abort();
}

// A program that gives up has no chance to give things back, and one line says what is left.
int failure_with_things_left() {
    begin();
    block(), block();
    return 3;
}

// The thread sanitizer cannot follow a forked child that starts threads. An emulator starts no program of its machine.
#if defined(__SANITIZE_THREAD__)
constexpr bool kForks = false, kStartsPrograms = true;
#elif defined(ACLTWIN_EMULATED)
constexpr bool kForks = false, kStartsPrograms = false;
#else
constexpr bool kForks = true, kStartsPrograms = true;
#endif
// Sanitizers have a free() of their own, and are not prepared for device memory.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kPlainFree = false;
#else
constexpr bool kPlainFree = true;
#endif

struct Program {
    const char* name;
    int (*run)();
    const char* finds;  // ids in order
    int exit_status;    // 128 + the signal that ends it
    bool can_run = true;
};

const Program kPrograms[] = {
    {"child_that_makes_nothing", child_that_makes_nothing, "", 0, kForks},
    {"child_that_leaks", child_that_leaks, "leak.block ", 0, kForks},
    {"fault_of_the_program", fault_of_the_program, "", 42},
    {"fault_in_device_memory", fault_in_device_memory, "host.device-pointer-followed ", 42},
    {"device_memory_given_to_free", device_memory_given_to_free, "host.device-pointer-followed ", 42, kPlainFree},
    {"handle_written_to_device_memory", handle_written_to_device_memory, "host.device-pointer-followed ", 42},
    {"fault_in_a_forked_child", fault_in_a_forked_child, "host.device-pointer-followed ", 0, kForks},
    {"long_queue", long_queue, "", 0},
    {"many_threads", many_threads, "", 0},
    {"no_addresses_left", no_addresses_left, "", 0},
    {"leak", leak, "leak.context leak.block ", 0},
    {"leak_of_a_worker", leak_of_a_worker, "leak.context leak.block ", 0},
    {"crash_after_a_refusal", crash_after_a_refusal, "use.refused-call ", 128 + SIGSEGV, kPlainFree},
    {"abort_after_a_refusal", abort_after_a_refusal, "use.refused-call ", 128 + SIGABRT},
    {"ended_after_a_refusal", ended_after_a_refusal, "use.refused-call ", 128 + SIGTERM},
    {"abort_after_a_handled_refusal", abort_after_a_handled_refusal, "", 128 + SIGABRT},
    {"failure_with_things_left", failure_with_things_left, "", 3},
};

std::string read_file(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string ids_in(const std::string& log) {
    const std::string key = "{\"id\": \"";
    std::string ids;
    for (size_t at = log.find(key); at != std::string::npos; at = log.find(key, at + 1)) {
        const size_t begin = at + key.size();
        ids += log.substr(begin, log.find('"', begin) - begin) + " ";
    }
    return ids;
}

void run(const Program& program, const std::string& folder) {
    const std::string log = folder + "/log", errors = folder + "/errors";
    std::remove(log.c_str());
    const pid_t child = fork();
    if (child == 0) {
        setenv("ACLTWIN_CHECK", "1", 1);
        setenv("ACLTWIN_CHECK_LOG", log.c_str(), 1);
        dup2(open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
        execl("/proc/self/exe", "test_check_runtime", program.name, nullptr);
        _exit(127);
    }
    const int status = exit_status_of(child);
    const std::string where = std::string(program.name) + ":\n" + read_file(errors);
    const int exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    expect(exit_status == program.exit_status, "how it ends, " + where);
    expect(ids_in(read_file(log)) == program.finds, "what is found, " + where);
}

}  // namespace

int main(int count, char** words) {
    for (const Program& program : kPrograms)
        if (count > 1 && std::strcmp(words[1], program.name) == 0) return program.run();
    if (!kStartsPrograms) return 0;
    char folder[] = "/tmp/acltwin-check-XXXXXX";
    expect(mkdtemp(folder) != nullptr, "a folder");
    for (const Program& program : kPrograms)
        if (program.can_run) run(program, folder);
    for (const char* file : {"/log", "/errors"}) std::remove((std::string(folder) + file).c_str());
    rmdir(folder);
}
