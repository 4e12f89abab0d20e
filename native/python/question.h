// Yes-or-no questions to the objects of one type, which other libraries answer by an attribute or a method. What C code
// answers is called right away, without a search by name: that takes longer than the answer.
#pragma once

#include "python/python.h"

namespace acltwin {

class Question {
public:
    // `name` is an attribute, or a method without arguments, of `object` and all others of its type.
    static Question attribute(PyObject* object, const char* name);
    static Question method(PyObject* object, const char* name);

    // 1 for True, 0 for anything else and for objects without such an attribute, -1 with a Python exception set.
    int answer(PyObject* object) const;

private:
    PyObject* name_ = nullptr;  // the references are kept for ever, as the type's entry is
    bool is_method_ = false;
    bool is_of_type_ = false;         // so an AttributeError is not for want of it
    PyObject* getter_ = nullptr;      // the attribute's descriptor, if it is one of C code
    PyCFunction function_ = nullptr;  // the method, likewise
};

}  // namespace acltwin
