// Gathers that convert, against an obvious loop, bit for bit: every pair of types that convert, any layout; operands in
// other places, messages for planes of two axes.
#include <cmath>

#include "kernels/plans.h"
#include "reference_float.h"
#include "seed.h"
#include "strided.h"

using namespace acltwin;

namespace {

constexpr DType kFloats[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
constexpr DType kIntegers[] = {DType::boolean, DType::int8,  DType::uint8,  DType::int16,
                               DType::uint16,  DType::int32, DType::uint32, DType::int64};

bool is_float(DType dtype) { return std::find(std::begin(kFloats), std::end(kFloats), dtype) != std::end(kFloats); }

int64_t load_integer(DType dtype, const void* element) {
    uint64_t bits = 0;
    std::memcpy(&bits, element, size_of(dtype));
    if (dtype == DType::boolean) return bits != 0;
    if (dtype == DType::uint8 || dtype == DType::uint16 || dtype == DType::uint32) return int64_t(bits);
    const int shift = 64 - 8 * int(size_of(dtype));
    return int64_t(bits << shift) >> shift;
}

// Rounded once, by the definition: as a multiple of the last place that the type has there.
void store_once_rounded(DType dtype, long double value, void* element) {
    const int fraction = dtype == DType::float64 ? 52 : dtype == DType::float32 ? 23 : small_float(dtype).fraction_bits;
    const int bits = dtype == DType::float64 ? 11 : dtype == DType::float32 ? 8 : small_float(dtype).exponent_bits;
    const int bias = (1 << (bits - 1)) - 1;
    const uint64_t infinity = ((uint64_t(1) << bits) - 1) << fraction;
    uint64_t word = infinity;
    if (!std::isinf(value)) {
        const long double magnitude = std::fabs(value);
        const int exponent = std::max(magnitude == 0 ? 1 - bias : std::ilogb(magnitude), 1 - bias);
        const long double places = std::nearbyint(std::ldexp(magnitude, fraction - exponent));
        word = exponent > bias ? infinity
                               : std::min(infinity, (uint64_t(exponent + bias - 1) << fraction) + uint64_t(places));
    }
    word |= uint64_t(std::signbit(value)) << (fraction + bits);
    std::memcpy(element, &word, size_of(dtype));
}

void convert_one(DType from, const unsigned char* element, DType to, unsigned char* result) {
    if (is_float(from)) {
        const double value = from == DType::float64 ? load_double(element) : double(widened(from, element));
        if (!std::isnan(value)) return store_once_rounded(to, value, result);
        if (to == DType::float64) return store_rounded(to, value, result);
        return store_rounded(to, float(value), result);
    }
    const int64_t value = load_integer(from, element);
    if (is_float(to)) return store_once_rounded(to, static_cast<long double>(value), result);
    if (to == DType::boolean) return void(*result = value != 0);
    std::memcpy(result, &value, size_of(to));
}

// Any bits; of floats and wide integers many that are close to the middle between two numbers of a narrow type.
void store_any(DType dtype, unsigned char* element, Random& random) {
    const uint64_t any = random();
    if (is_float(dtype) && any % 16 == 0) {  // a zero or an infinity of either sign, or a NaN
        const float special[] = {0, -0.0f, HUGE_VALF, -HUGE_VALF, std::nanf("77"), -std::nanf("4194303")};
        const float value = special[any / 16 % 6];
        return dtype == DType::float64 ? store_rounded(dtype, double(value), element)
                                       : store_rounded(dtype, value, element);
    }
    if (dtype == DType::float64 && any % 4 != 0) {
        const double value = std::ldexp(1 + double(any >> 54 << 1 | 1) / 2048, int(any >> 8) % 40 - 20);
        return store_rounded(dtype, value + double(int64_t(any >> 4) % 3 - 1) * std::ldexp(value, -40), element);
    }
    if (dtype == DType::float32 && any % 4 != 0) {
        const float value = std::ldexp(1 + float(any >> 54 << 1 | 1) / 2048, int(any >> 8) % 40 - 20);
        return store_rounded(dtype, std::nextafter(value, any & 16 ? 0.0f : HUGE_VALF), element);
    }
    const uint64_t middle = dtype == DType::int64 && any % 2 != 0 ? (any >> 55 << 1 | 1) << (any % 53) : any;
    const uint64_t bits = middle + random() % 3 - 1;
    std::memcpy(element, &bits, size_of(dtype));
}

void compare(DType from, DType to, Random& random) {
    const Layout readable[] = {Layout::contiguous, Layout::channels_last, Layout::any};
    Dims source = {{pick(random, 1, 2), pick(random, 1, 9), pick(random, 1, 3), pick(random, 1, 9), 1}};
    source.of[4] = pick(random, 1, 90);
    Dims result = source;
    for (int axis = 2; axis < 5; ++axis) result.of[axis] = pick(random, 1, axis == 4 ? 300 : 4);
    Strided values(size_of(from), source, readable[pick(random, 0, 2)], random);
    Strided indices(random() % 2 ? 4 : 8, result, readable[pick(random, 0, 2)], random);
    Strided cells(size_of(to), result, readable[pick(random, 0, 2)], random);
    values.each([&](const auto& at) { store_any(from, values.at(at), random); });
    indices.each([&](const auto& at) { store_index(indices, at, pick(random, 0, source.cells() - 1)); });
    Gather g;
    g.source = 3;
    g.indices = 0;
    g.result = 1;
    g.source_dtype = from;
    g.result_dtype = to;
    g.index_dtype = indices.element_size == 4 ? DType::int32 : DType::int64;
    std::memcpy(g.source_dims, source.of, sizeof g.source_dims);
    std::memcpy(g.source_strides, values.strides, sizeof g.source_strides);
    std::memcpy(g.result_dims, result.of, sizeof g.result_dims);
    std::memcpy(g.result_strides, cells.strides, sizeof g.result_strides);
    std::memcpy(g.index_strides, indices.strides, sizeof g.index_strides);
    void* data[] = {indices.data(), cells.data(), nullptr, values.data()};
    const auto plan = plan_gather(g);
    expect(plan->variant() == "converted" && !plan->run(data, nullptr), "a conversion");
    const std::vector<unsigned char> got = cells.memory;
    cells.each([&](const auto& at) {
        const int64_t index = load_index(indices, at), *dims = source.of;
        const int64_t where[5] = {at[0], at[1], index / (dims[3] * dims[4]), index / dims[4] % dims[3],
                                  index % dims[4]};
        convert_one(from, values.at(where), to, cells.at(at));
    });
    expect(got == cells.memory, std::string(name_of(from)) + " to " + name_of(to) + ", " + source.text());
}

void every_pair(Random& random) {
    for (int round = 0; round < 8; ++round) {
        for (DType from : kFloats)
            for (DType to : kFloats)
                if (from != to) compare(from, to, random);
        for (DType from : kIntegers) {
            for (DType to : kFloats) compare(from, to, random);
            for (DType to : kIntegers)
                if (from != to) compare(from, to, random);
        }
    }
}

void message_of_planes() {
    Gather g;
    g.axes = 2;
    g.plane_owner = "{somebody}";
    g.source_dtype = DType::float32;
    g.result_dtype = DType::float16;
    for (int axis = 0; axis < 5; ++axis) {
        g.source_dims[axis] = g.result_dims[axis] = axis == 2 ? 1 : 2;
        g.index_strides[axis] = g.result_strides[axis] = g.source_strides[axis] = axis == 2 ? 1 : 1 << (4 - axis);
    }
    float source[32] = {};
    uint16_t result[32] = {};
    int64_t indices[32] = {};
    indices[16 + 2] = 4;
    void* data[] = {source, nullptr, indices, result};
    const std::string text =
        "indices[1, 0, 1, 0] is 4, expected 0 <= index < 4 (H*W of {somebody} = 2*2); pass indices as the "
        "pooling returned them: each counts the cells of its own H*W plane";
    expect(plan_gather(g)->run(data, nullptr).text == text, "the message of a 2-D operator");
    g.missing_axis = 0;
    g.channels_last = true;
    expect(plan_gather(g)->run(data, nullptr).text == "indices[1, 0, 0" + text.substr(18), "its axes in another order");
}

}  // namespace

int main() {
    Random random(printed_seed());
    every_pair(random);
    message_of_planes();
    std::puts("gather, converted: ok");
}
