// Preloaded into a process, fails one chosen request of acltwin's own libraries for memory or a thread, and counts what
// they hold. Requests of anybody else pass: what others do without memory is not ours to test.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_memalign(size_t, size_t);
void* __libc_realloc(void*, size_t);
void __libc_free(void*);
}

namespace {

struct Range {
    uintptr_t first, last;
};
Range ranges[64];
int range_count = 0;
std::atomic<long> until_failure{-1};  // requests that still pass; negative: all do
std::atomic<long> requests{0};

// The blocks that acltwin holds, by address. Large enough to stay sparse.
constexpr size_t kSlots = 1 << 16;
std::atomic<uintptr_t> held[kSlots];
std::atomic<long> held_count{0};
constexpr uintptr_t kGone = 1;

bool is_ours(const void* caller) {
    const auto address = reinterpret_cast<uintptr_t>(caller);
    for (int i = 0; i < range_count; ++i)
        if (address >= ranges[i].first && address < ranges[i].last) return true;
    return false;
}

bool must_fail() {
    ++requests;
    if (until_failure.load() < 0) return false;
    return until_failure.fetch_sub(1) == 0;
}

size_t slot_of(uintptr_t address) { return (address >> 4) * 0x9e3779b97f4a7c15u >> 48; }

void* keep(void* block) {
    const auto address = reinterpret_cast<uintptr_t>(block);
    if (block == nullptr) return nullptr;
    for (size_t i = slot_of(address);; i = (i + 1) % kSlots) {
        uintptr_t empty = held[i].load();
        if (empty > kGone) continue;
        if (held[i].compare_exchange_strong(empty, address)) break;
    }
    ++held_count;
    return block;
}

void forget(void* block) {
    const auto address = reinterpret_cast<uintptr_t>(block);
    if (block == nullptr || held_count.load() == 0) return;
    size_t i = slot_of(address);
    for (size_t steps = 0; steps < kSlots && held[i].load() != 0; ++steps, i = (i + 1) % kSlots) {
        uintptr_t expected = address;
        if (!held[i].compare_exchange_strong(expected, kGone)) continue;
        --held_count;
        return;
    }
}

template <class Allocate>
void* request(const void* caller, const Allocate& allocate) {
    if (!is_ours(caller)) return allocate();
    if (must_fail()) return errno = ENOMEM, nullptr;
    return keep(allocate());
}

void* new_or_throw(const void* caller, size_t alignment, size_t bytes) {
    void* block = request(caller, [&] { return __libc_memalign(alignment, bytes); });
    if (block == nullptr) throw std::bad_alloc();
    return block;
}

}  // namespace

#define CALLER __builtin_return_address(0)

extern "C" {

// Where acltwin's libraries are; call after they are loaded.
void faults_find_libraries() {
    range_count = 0;
    FILE* maps = std::fopen("/proc/self/maps", "r");
    char line[1024], path[512];
    while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
        unsigned long first, last;
        path[0] = 0;
        if (std::sscanf(line, "%lx-%lx %*s %*s %*s %*s %511s", &first, &last, path) < 2) continue;
        const char* name = std::strrchr(path, '/');
        const bool ours = name != nullptr &&
                          (std::strstr(name, "libacltwin") != nullptr || std::strstr(path, "acltwin/_core") != nullptr);
        if (ours && range_count < 64) ranges[range_count++] = {first, last};
    }
    if (maps != nullptr) std::fclose(maps);
}
void faults_arm(long request_number) { until_failure = request_number; }
int faults_disarm() { return until_failure.exchange(-1) < 0; }  // whether a request was failed
long faults_requests() { return requests; }
long faults_held() { return held_count; }

void* malloc(size_t bytes) {
    return request(CALLER, [&] { return __libc_malloc(bytes); });
}
void* calloc(size_t count, size_t bytes) {
    return request(CALLER, [&] { return __libc_calloc(count, bytes); });
}
void* aligned_alloc(size_t alignment, size_t bytes) {
    return request(CALLER, [&] { return __libc_memalign(alignment, bytes); });
}
int posix_memalign(void** block, size_t alignment, size_t bytes) {
    *block = request(CALLER, [&] { return __libc_memalign(alignment, bytes); });
    return *block == nullptr ? ENOMEM : 0;
}
void* realloc(void* block, size_t bytes) {
    forget(block);
    return request(CALLER, [&] { return __libc_realloc(block, bytes); });
}
void free(void* block) {
    forget(block);
    __libc_free(block);
}
void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
    using Map = void* (*)(void*, size_t, int, int, int, off_t);
    static const auto real = reinterpret_cast<Map>(dlsym(RTLD_NEXT, "mmap"));
    if (is_ours(CALLER) && must_fail()) return errno = ENOMEM, MAP_FAILED;
    return real(address, bytes, protection, flags, file, offset);
}
// std::thread calls it from the standard library, so whoever asks while a failure is due may get it.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
    using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto real = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
    if (until_failure.load() >= 0 && must_fail()) return EAGAIN;
    return real(thread, attributes, run, argument);
}
}

void* operator new(size_t bytes) { return new_or_throw(CALLER, 16, bytes); }
void* operator new[](size_t bytes) { return new_or_throw(CALLER, 16, bytes); }
void* operator new(size_t bytes, std::align_val_t alignment) { return new_or_throw(CALLER, size_t(alignment), bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
    return request(CALLER, [&] { return __libc_malloc(bytes); });
}
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept {
    return request(CALLER, [&] { return __libc_malloc(bytes); });
}
void operator delete(void* block) noexcept { free(block); }
void operator delete[](void* block) noexcept { free(block); }
void operator delete(void* block, size_t) noexcept { free(block); }
void operator delete[](void* block, size_t) noexcept { free(block); }
void operator delete(void* block, std::align_val_t) noexcept { free(block); }
void operator delete(void* block, size_t, std::align_val_t) noexcept { free(block); }
