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
// A whole number of so many bits; None is 0.
bool read_whole(PyObject* object, const Argument& argument, int bits, int64_t& value);

// A word that an argument may be. Words of a program's source are single objects: most need no look at their letters.
struct Word {
    const char* text;
    PyObject* interned = nullptr;

    bool is(PyObject* object) {
        if (interned == nullptr) interned = PyUnicode_InternFromString(text);
        if (interned == nullptr) PyErr_Clear();
        return object == interned;
    }
};

// The position of `object` among the words.
bool read_choice(PyObject* object, const Argument& argument, Word (&words)[2], int& choice);

}  // namespace acltwin
