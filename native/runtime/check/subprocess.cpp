#include "runtime/check/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <vector>

extern char** environ;

namespace acltwin::check {
namespace {

constexpr int kPatienceMs = 10'000;
constexpr size_t kMostOutput = size_t(1) << 20;

std::string find_program(const char* name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = folder + "/" + name;
        if (access(file.c_str(), X_OK) == 0) return file;
    }
    return {};
}

// What is preloaded for the program is not for its helpers.
std::vector<char*> helper_environment() {
    std::vector<char*> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0 && std::strncmp(*entry, "ACLTWIN_", 8) != 0)
            result.push_back(*entry);
    result.push_back(nullptr);
    return result;
}

// fork() without its handlers. `signal` is what the child's end sends. In the child, whose other threads are gone and
// may have held any lock, nothing happens but system calls.
pid_t plain_fork(int signal) { return pid_t(syscall(SYS_clone, signal, nullptr, nullptr, nullptr, nullptr)); }

[[noreturn]] void leave(int status) {
    for (;;) syscall(SYS_exit_group, status);
}

[[noreturn]] void run(const char* file, const char* const* arguments, char* const* environment, int out) {
    const long nothing = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
    syscall(SYS_dup3, nothing, STDIN_FILENO, 0);
    syscall(SYS_dup3, nothing, STDERR_FILENO, 0);
    syscall(SYS_dup3, out, STDOUT_FILENO, 0);
    const uint64_t no_signals = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr, sizeof no_signals);
    syscall(SYS_execve, file, arguments, environment);
    leave(127);
}

bool read_all(int descriptor, std::string* output) {
    char part[4096];
    for (;;) {
        pollfd one = {descriptor, POLLIN, 0};
        const int ready = poll(&one, 1, kPatienceMs);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t bytes = read(descriptor, part, sizeof part);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes < 0) return false;
        if (bytes == 0) return true;
        if (output->size() < kMostOutput) output->append(part, size_t(bytes));
    }
}

}  // namespace

bool output_of(const char* const* command, std::string* output) {
    const std::string file = find_program(command[0]);
    if (file.empty()) return false;
    const std::vector<char*> environment = helper_environment();
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    // The program runs as a grandchild: its parent has ended by then, and that one sends no signal and is seen by no
    // plain wait().
    const pid_t child = plain_fork(0);
    if (child == 0) {
        const pid_t grandchild = plain_fork(SIGCHLD);
        if (grandchild == 0) run(file.c_str(), command, environment.data(), ends[1]);
        leave(grandchild > 0 ? 0 : 1);
    }
    close(ends[1]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, __WALL) < 0 && errno == EINTR) {
    }
    const bool read = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && read_all(ends[0], output);
    close(ends[0]);
    return read && !output->empty();
}

}  // namespace acltwin::check
