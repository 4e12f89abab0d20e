// float16 and bfloat16 against obvious conversions: all 65536 patterns widened, and float32 of every kind narrowed. The
// tests of the kernels meet the levels' own instructions; here are those that any machine of this kind has.
#define ACLTWIN_LEVEL tested
#include "expect.h"
#include "kernels/level/simd.h"
#include "reference_float.h"

using namespace acltwin;
using namespace acltwin::tested;

namespace {

template <class T>
void check_widening(DType dtype) {
    for (uint32_t first = 0; first < 65536; first += kLanes) {
        T patterns[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) patterns[lane] = {uint16_t(first + uint32_t(lane))};
        const Float values = load(patterns);
        for (int lane = 0; lane < kLanes; ++lane) {
            // Widening bfloat16 moves bits; only arithmetic makes its NaN quiet.
            const float lanes_value = values[lane], one_value = widen(patterns[lane]);
            const float expected = widened(dtype, &patterns[lane]);
            const bool same = std::isnan(expected) ? std::isnan(lanes_value) && std::isnan(one_value)
                                                   : bit_cast<uint32_t>(lanes_value) == bit_cast<uint32_t>(expected) &&
                                                         bit_cast<uint32_t>(one_value) == bit_cast<uint32_t>(expected);
            expect(same, std::string(name_of(dtype)) + " pattern " + std::to_string(patterns[lane].bits));
        }
    }
}

template <class T>
void check_narrowing(DType dtype, uint32_t word) {
    const float value = bit_cast<float>(word);
    T expected, got[kLanes];
    store_rounded(dtype, value, &expected);
    store(got, value - Float{});  // keeps -0.0
    // A NaN of bfloat16's has zeros in the lower half; the others have no business there.
    if (std::isnan(value) && dtype == DType::bfloat16 && (word & 0xffffu) != 0) return;
    for (const T& lane : got)
        expect(lane.bits == expected.bits, std::string(name_of(dtype)) + " of float32 pattern " + std::to_string(word));
}

// Sums start from +0.0.
template <class T>
void check_sums(DType dtype) {
    T got[kLanes], zero = {0};
    store_sums(got, -Float{});
    for (const T& lane : got) expect(lane.bits == zero.bits, std::string(name_of(dtype)) + " sum of -0.0");
}

}  // namespace

int main() {
    check_widening<Half>(DType::float16);
    check_widening<BFloat>(DType::bfloat16);
    std::mt19937_64 random(4);
    for (int64_t i = 0; i < 3000000; ++i) {
        // All exponents and signs, and fractions near the points where rounding turns.
        const uint32_t word = uint32_t(random()), fraction = i % 2 ? word : (word & 0xfffff000u) + uint32_t(i % 7) - 3;
        check_narrowing<Half>(DType::float16, fraction);
        check_narrowing<BFloat>(DType::bfloat16, fraction);
    }
    for (uint32_t word : {0u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u, 0x477fefffu, 0x477ff000u,
                          0x33000000u, 0x33000001u, 0x387fe000u, 0x387ff000u, 0x7f7fffffu}) {
        check_narrowing<Half>(DType::float16, word);
        check_narrowing<BFloat>(DType::bfloat16, word);
    }
    check_sums<Half>(DType::float16);
    check_sums<BFloat>(DType::bfloat16);
    std::printf("short floats: ok\n");
}
