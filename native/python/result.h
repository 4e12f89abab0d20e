// New arrays for results, of the same library as the input, on memory of the output pool.
#pragma once

#include "python/array_view.h"

namespace acltwin {

// Registers the helper types in the module. False with a Python exception set.
bool add_result_types(PyObject* module);

struct Output;

// The memory of a result while it is computed. It becomes an array only afterwards: a library that copies what it is
// given must not see unfinished values.
class Result {
public:
    Result() = default;
    Result(const Result&) = delete;
    Result& operator=(const Result&) = delete;
    ~Result();

    // Takes memory for this dtype and shape and sets tensor.data. False if there is none.
    bool allocate(Tensor& tensor);
    // The finished array, of the library of `like`. Null with a Python exception set.
    Object finish(const Tensor& tensor, const ArrayView& like);

private:
    Output* output_ = nullptr;
};

}  // namespace acltwin
