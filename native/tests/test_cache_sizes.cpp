// What is made of the cache sizes that systems report, sensible or not.
#include <cstring>

#include "core/cache_sizes.h"
#include "expect.h"

using namespace acltwin;

namespace {

constexpr int64_t kKiB = 1 << 10, kMiB = 1 << 20;

struct Row {
    const char* what;
    int64_t second, third;
    int64_t core, shared, gone, sums;
};

const Row kRows[] = {
    {"a server's core", kMiB, 32 * kMiB, kMiB, 32 * kMiB, 16 * kMiB, 98304},
    {"nothing reported", 0, 0, kMiB, 32 * kMiB, 16 * kMiB, 98304},
    {"no third level reported", 512 * kKiB, 0, 512 * kKiB, 32 * kMiB, 16 * kMiB, 49152},
    {"a laptop", 256 * kKiB, 8 * kMiB, 256 * kKiB, 8 * kMiB, 4 * kMiB, 24576},
    {"a whole socket's third level", kMiB, 320 * kMiB, kMiB, 64 * kMiB, 32 * kMiB, 98304},
    {"an emulator's", 1, 1, 256 * kKiB, 4 * kMiB, 2 * kMiB, 24576},
    {"a second level that many cores share", 24 * kMiB, 0, 4 * kMiB, 32 * kMiB, 16 * kMiB, 393216},
};

struct Text {
    const char* text;
    int64_t bytes;
};
const Text kTexts[] = {{"32768K", 32 * kMiB},
                       {"1M", kMiB},
                       {"512", 512},
                       {"", 0},
                       {"K", 0},
                       {"-4K", 0},
                       {"0K", 0},
                       {"12Q", 0},
                       {"1024KB", 0},
                       {"99999999999999999999", 0},
                       {"9999999999999K", 0},
                       {"none", 0},
                       {"48K", 49152}};

}  // namespace

int main() {
    for (const Row& row : kRows) {
        const CacheSizes sizes = sane_cache_sizes(row.second, row.third);
        expect(sizes.core == row.core && sizes.shared == row.shared, row.what);
        expect(sizes.gone() == row.gone && sizes.sums() == row.sums, std::string(row.what) + ": derived");
    }
    for (const Text& row : kTexts) expect(parse_cache_size(row.text) == row.bytes, row.text);
    const CacheSizes &here = cache_sizes(), sane = sane_cache_sizes(here.core, here.shared);
    expect(here.core == sane.core && here.shared == sane.shared, "this machine's sizes are sane");
    std::printf("cache sizes: ok\n");
}
