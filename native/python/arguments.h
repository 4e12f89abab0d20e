// Python numbers and sequences as the core's arguments. Every failure sets a Python exception that names the argument.
#pragma once

#include <vector>

#include "core/tensor.h"
#include "python/python.h"

namespace acltwin {

// A sequence of whole numbers; a single one counts as a sequence of one, None as an empty one.
class IntSequence {
public:
    bool read(PyObject* object, const Argument& argument);
    const IntArray* array() const { return &array_; }

private:
    static constexpr int kFew = 8;  // no argument takes more than five; longer ones are for a check to refuse
    int64_t few_[kFew];
    std::vector<int64_t> many_;
    IntArray array_;
};

bool read_scale(PyObject* object, const Argument& argument, double& scale);  // None is 0.0
bool read_flag(PyObject* object, const Argument& argument, bool& flag);

// The position of `object` in the null-terminated list of words.
bool read_choice(PyObject* object, const Argument& argument, const char* const* words, int& choice);

}  // namespace acltwin
