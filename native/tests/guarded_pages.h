// Memory between two pages that nobody may touch: the first byte beyond either end stops the program.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

#include "expect.h"

namespace acltwin {

class GuardedPages {
public:
    // `at_end`: the bytes end where the upper guard begins; otherwise they begin where the lower one ends.
    GuardedPages(size_t bytes, bool at_end) {
        const size_t page = size_t(sysconf(_SC_PAGESIZE)), guard = kGuard / page * page;
        const size_t inside = (bytes + page - 1) / page * page;
        size_ = inside + 2 * guard;
        void* all = mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        expect(all != MAP_FAILED, "memory for the test");
        begin_ = static_cast<char*>(all);
        expect(mprotect(begin_ + guard, inside, PROT_READ | PROT_WRITE) == 0, "memory for the test");
        data_ = begin_ + guard + (at_end ? inside - bytes : 0);
    }
    ~GuardedPages() { munmap(begin_, size_); }
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;

    void* data() { return data_; }

private:
    static constexpr size_t kGuard = size_t(1) << 30;  // of addresses, not of memory

    char* begin_;
    char* data_;
    size_t size_;
};

}  // namespace acltwin
