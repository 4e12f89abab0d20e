// One call made from a fuzzer's bytes: mostly one that an operator accepts, in any layout, with a fault now and then.
#pragma once

#include <memory>
#include <vector>

#include "ops/operator.h"
#include "tests/fuzz/bytes.h"

namespace acltwin::fuzz {

enum class Kind {
    upsample,
    upsample_backward,
    pool,
    pool_backward,
    unpool,
    unpool_backward,
    adaptive,
    adaptive_backward,
    average,
    average_backward,
};

Kind kind_of(const Operator& op);

// Where the elements of a tensor are: N, C, D, H, W, whatever of them the tensor has.
struct Shape {
    int64_t n = 1, c = 1, cells[3] = {1, 1, 1};
    int64_t volume() const { return cells[0] * cells[1] * cells[2]; }
};

struct Example {
    const Operator* op;
    Kind kind;
    bool channels_last = false, lone = false;  // lone: one batch axis, C of the Shape is 1
    Tensor tensors[kMaxTensors];
    Shape shapes[kMaxTensors];
    std::vector<int64_t> arrays[kMaxArrays];
    bool missing_tensor[kMaxTensors] = {}, missing_array[kMaxArrays] = {};
    Scalar scalars[kMaxScalars];
    bool one_tap = false;  // a window has one cell
    bool spoiled = false;  // spoiled: the shapes may not be those of the tensors
    DType index_dtype = DType::int32;
    Mode mode;
    std::unique_ptr<unsigned char[]> blocks[kMaxTensors];  // no larger than the elements, so that ASan sees the rest
    size_t block_bytes[kMaxTensors] = {};

    explicit Example(Bytes& bytes);
    Call call(Door door, bool with_results);  // looks into this object
    // Memory for tensor i with strides of any kind; false if it is too large for a test. Inputs may be broadcast.
    bool place(int i, Bytes& bytes);
    bool masks() const { return op->arrays == 4 && (op->tensor[2].holds == Holds::mask); }
    // The bytes of the index of a window, which may be part of a mask; none if it has bits.
    unsigned char* index_bytes(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) const;
    unsigned char* at(int i, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) const;

    template <class Visit>
    void each(int i, const Visit& visit) const {
        const Shape& shape = shapes[i];
        for (int64_t n = 0; n < shape.n; ++n)
            for (int64_t c = 0; c < shape.c; ++c)
                for (int64_t d = 0; d < shape.cells[0]; ++d)
                    for (int64_t h = 0; h < shape.cells[1]; ++h)
                        for (int64_t w = 0; w < shape.cells[2]; ++w) visit(n, c, d, h, w);
    }

private:
    std::vector<IntArray> views_;

    void describe(int i, const Shape& shape, DType dtype);
    void build_shapes(Bytes& bytes);
    void spoil(Bytes& bytes);
};

// What the operator must compute, from its definition. Returns whether every index is legal.
// The results of `example` hold what was computed; anything else than the definition ends the program.
bool indices_are_legal(Example& example);
// An input with an element for each index that the inputs have; -1 if they have none.
int indexed_tensor(const Example& example);
void expect_defined_results(Example& example);

}  // namespace acltwin::fuzz
