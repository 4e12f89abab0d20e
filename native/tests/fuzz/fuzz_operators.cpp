// Any call of any operator: refused with a reason, or computed as defined. Nothing beside its tensors is touched.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/float_mode.h"
#include "tests/fuzz/example.h"
#include "tests/reference_float.h"

using namespace acltwin;
using fuzz::Example;

namespace {

void require(bool condition, const Example& example, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "%s: %s\n", example.op->name, what);
    std::abort();
}

// Small integers, so that sums are exact, and a NaN now and then where nothing is summed.
void fill_values(Example& example, int i, Bytes& bytes) {
    const Tensor& tensor = example.tensors[i];
    const bool nan = !example.op->is_gradient && bytes.rarely(4);
    unsigned state = bytes.byte();
    example.each(i, [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        state = state * 1664525u + 1013904223u;
        const int value = int(state >> 24) % 17 - 8;
        unsigned char* element = example.at(i, n, c, d, h, w);
        if (tensor.dtype == DType::float64) return store_rounded(tensor.dtype, double(value), element);
        if (tensor.dtype == DType::float32 || tensor.dtype == DType::float16 || tensor.dtype == DType::bfloat16)
            return store_rounded(tensor.dtype, nan && state >> 28 == 0 ? std::nanf("") : float(value), element);
        std::memset(element, value & 0xff, size_of(tensor.dtype));
    });
}

void fill_indices(Example& example, int i, int64_t cells, Bytes& bytes) {
    std::memset(example.blocks[i].get(), 0, example.block_bytes[i]);
    const bool illegal = bytes.rarely(8);
    unsigned state = bytes.byte();
    example.each(fuzz::indexed_tensor(example), [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        state = state * 1664525u + 1013904223u;
        int64_t index = int64_t(state >> 8) % cells;
        if (illegal && bytes.rarely(16)) index = bytes.pick<int64_t>({-1, cells, INT32_MIN, INT32_MAX, -cells});
        const auto narrow = int32_t(index);
        unsigned char* element = example.index_bytes(n, c, d, h, w);
        if (element == nullptr) return;  // a mask of bits
        if (example.masks() || example.tensors[i].dtype == DType::int32)
            std::memcpy(element, &narrow, 4);
        else
            std::memcpy(element, &index, 8);
    });
}

bool unchanged(const Example& example, int i, const std::vector<unsigned char>& before) {
    return std::memcmp(example.blocks[i].get(), before.data(), before.size()) == 0;
}

// Bytes of a result's block that belong to no element.
void expect_untouched_gaps(const Example& example, int i) {
    std::vector<bool> owned(example.block_bytes[i]);
    const size_t element = size_of(example.tensors[i].dtype);
    example.each(i, [&](int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) {
        const size_t first = size_t(example.at(i, n, c, d, h, w) - example.blocks[i].get());
        for (size_t k = 0; k < element; ++k) owned[first + k] = true;
    });
    for (size_t k = 0; k < owned.size(); ++k)
        require(owned[k] || example.blocks[i][k] == 0x5a, example, "memory beside a result was written");
}

void fill_inputs(Example& example, Bytes& bytes) {
    const Operator& op = *example.op;
    const int64_t cells = example.shapes[example.kind == fuzz::Kind::unpool_backward ? 0 : op.tensors - 1].volume();
    for (int i = 0; i < op.inputs(); ++i) {
        if (example.spoiled)
            std::memset(example.blocks[i].get(), 0, example.block_bytes[i]);  // legal in any shape
        else if (holds_places(op.tensor[i].holds))
            fill_indices(example, i, cells, bytes);
        else
            fill_values(example, i, bytes);
    }
}

void judge(Example& example, const Failure& failure) {
    if (example.spoiled) return require(!failure, example, "a legal call failed");
    for (int i = example.op->inputs(); i < example.op->tensors; ++i) expect_untouched_gaps(example, i);
    if (fuzz::indices_are_legal(example)) {
        require(!failure, example, "a legal call failed");
        fuzz::expect_defined_results(example);
    } else {
        require(std::strcmp(failure.rule, "index_range") == 0, example, "an illegal index passed");
        require(!failure.text.empty(), example, "an illegal index is refused without a reason");
    }
}

void run(Example& example, Bytes& bytes) {
    const Operator& op = *example.op;
    for (int i = 0; i < op.tensors; ++i)
        if (!example.place(i, bytes)) return;
    const Call call = example.call(example.mode.door, /*with_results=*/true);
    if (op.check(call)) return;  // some results must be contiguous
    fill_inputs(example, bytes);
    std::vector<unsigned char> before[kMaxTensors];
    for (int i = 0; i < op.inputs(); ++i)
        before[i].assign(example.blocks[i].get(), example.blocks[i].get() + example.block_bytes[i]);
    std::unique_ptr<Plan> plan;
    {
        const FloatMode plain;
        plan = op.plan(call);
    }
    if (plan == nullptr) return;
    void* data[kMaxTensors] = {};
    for (int i = 0; i < op.tensors; ++i) data[i] = example.tensors[i].data;
    const size_t scratch_bytes = (plan->scratch_bytes() + 64) / 64 * 64;
    const std::unique_ptr<void, void (*)(void*)> scratch(std::aligned_alloc(64, scratch_bytes), std::free);
    const Failure failure = plan->run(data, scratch.get());
    for (int i = 0; i < op.inputs(); ++i) require(unchanged(example, i, before[i]), example, "an input was written");
    judge(example, failure);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Bytes bytes(data, size);
    Example example(bytes);
    const Operator& op = *example.op;
    const bool aclnn = example.mode.door == Door::aclnn;
    const Call call = example.call(example.mode.door, /*with_results=*/aclnn);
    if (const Failure failure = op.check(call)) {
        require(!failure.text.empty() && failure.rule[0] != 0, example, "refused without a reason");
        require(op.spelled(failure.text, example.mode.door).find('{') == std::string::npos, example,
                "a name is not spelled");
        return 0;
    }
    const Call inferring = example.call(Door::array, /*with_results=*/false);
    if (op.check(inferring)) return 0;  // arrays have rules that aclnn does not
    for (int i = 0; !op.c_only && i < op.results; ++i) {
        const int at = op.inputs() + i;
        const Tensor inferred = op.infer(inferring, i), given = example.tensors[at];
        const bool same = inferred.rank == given.rank && std::equal(given.dims, given.dims + given.rank, inferred.dims);
        require(same || example.spoiled, example, "another shape is inferred than the definition has");
        if (!aclnn) example.tensors[at] = inferred;
    }
    run(example, bytes);
    return 0;
}
