#include "core/cache_sizes.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace acltwin {
namespace {

// The first word of a file of the system; empty if there is none.
std::string read_word(const std::string& path) {
    std::FILE* const file = std::fopen(path.c_str(), "re");
    if (file == nullptr) return {};
    char word[32] = "";
    const int found = std::fscanf(file, "%31s", word);
    std::fclose(file);
    return found == 1 ? word : "";
}

// The kernel tells what one core shares with others. The C library adds up all instances on some machines.
int64_t cache_of_level(int level, [[maybe_unused]] int name_of_sysconf) {
    for (int i = 0; i < 8; ++i) {
        const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
        if (read_word(cache + "level") != std::to_string(level) || read_word(cache + "type") == "Instruction") continue;
        if (const int64_t bytes = parse_cache_size(read_word(cache + "size").c_str()); bytes > 0) return bytes;
    }
#if defined(_SC_LEVEL3_CACHE_SIZE)
    return std::max<int64_t>(0, sysconf(name_of_sysconf));
#else
    return 0;
#endif
}

#if defined(_SC_LEVEL3_CACHE_SIZE)
constexpr int kSecond = _SC_LEVEL2_CACHE_SIZE, kThird = _SC_LEVEL3_CACHE_SIZE;
#else
constexpr int kSecond = 0, kThird = 0;
#endif

const CacheSizes here = sane_cache_sizes(cache_of_level(2, kSecond), cache_of_level(3, kThird));  // at load

}  // namespace

int64_t parse_cache_size(const char* text) {
    char* end = nullptr;
    errno = 0;
    const long long number = std::strtoll(text, &end, 10);
    if (errno != 0 || end == text || number <= 0 || number > int64_t(1) << 32) return 0;
    const std::string unit = end;
    if (unit.empty()) return number;
    return unit == "K" ? number << 10 : unit == "M" ? number << 20 : 0;
}

CacheSizes sane_cache_sizes(int64_t second_level, int64_t third_level) {
    CacheSizes sizes;
    if (second_level > 0) sizes.core = std::clamp<int64_t>(second_level, 256 << 10, 4 << 20);
    if (third_level > 0) sizes.shared = std::clamp<int64_t>(third_level, 4 << 20, 64 << 20);
    return sizes;
}

const CacheSizes& cache_sizes() { return here; }

}  // namespace acltwin
