// The element types, once: their names and sizes, and what other interfaces call them.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/tensor.h"

namespace acltwin {

struct DTypeFacts {
    DType dtype;
    const char* name;
    int bytes;
    char kind;   // NumPy's: f, i, u, b; V for bfloat16, which NumPy does not know
    int dlpack;  // the type code of DLPack
    int xla;     // the number of XLA's foreign function interface
};

// Floats before integers, the usual ones first: the order in which messages list them.
constexpr DTypeFacts kDTypes[] = {
    {DType::float32, "float32", 4, 'f', 2, 11},   {DType::float16, "float16", 2, 'f', 2, 10},
    {DType::bfloat16, "bfloat16", 2, 'V', 4, 16}, {DType::float64, "float64", 8, 'f', 2, 12},
    {DType::int8, "int8", 1, 'i', 0, 2},          {DType::uint8, "uint8", 1, 'u', 1, 6},
    {DType::int16, "int16", 2, 'i', 0, 3},        {DType::uint16, "uint16", 2, 'u', 1, 7},
    {DType::int32, "int32", 4, 'i', 0, 4},        {DType::uint32, "uint32", 4, 'u', 1, 8},
    {DType::int64, "int64", 8, 'i', 0, 5},        {DType::uint64, "uint64", 8, 'u', 1, 9},
    {DType::boolean, "bool", 1, 'b', 6, 1},
};

// The first type for which the predicate holds; undefined if there is none.
template <class Predicate>
DType find_dtype(Predicate predicate) {
    for (const DTypeFacts& facts : kDTypes)
        if (predicate(facts)) return facts.dtype;
    return DType::undefined;
}

// Null for a number that is none of ours.
constexpr const DTypeFacts* facts_of(DType dtype) {
    for (const DTypeFacts& facts : kDTypes)
        if (facts.dtype == dtype) return &facts;
    return nullptr;
}

}  // namespace acltwin
