#include "core/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace acltwin {

namespace {

uintptr_t next_huge_page(uintptr_t address) { return (address + kHugePage - 1) / kHugePage * kHugePage; }

}  // namespace

void* map_pages(size_t bytes) {
    // Reserve one huge page more than needed and give back what lies outside the aligned part.
    const size_t slack = bytes < kHugePage ? 0 : kHugePage;
    size_t reserved;
    if (__builtin_add_overflow(bytes, slack, &reserved)) return nullptr;
    void* raw = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    if (slack == 0) return raw;
    char* start = static_cast<char*>(raw);
    const size_t before = next_huge_page(uintptr_t(start)) - uintptr_t(start);
    const size_t kept = (bytes + 4095) / 4096 * 4096;  // the kernel counts whole pages
    if (before > 0) munmap(start, before);
    if (reserved > before + kept) munmap(start + before + kept, reserved - before - kept);
    madvise(start + before, bytes, MADV_HUGEPAGE);
    return start + before;
}

void unmap_pages(void* begin, size_t bytes) { munmap(begin, bytes); }

void advise_huge_pages(void* begin, size_t bytes) {
    const uintptr_t start = reinterpret_cast<uintptr_t>(begin);
    const uintptr_t first = next_huge_page(start), last = (start + bytes) / kHugePage * kHugePage;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace acltwin
