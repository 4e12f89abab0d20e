#include "python/question.h"

namespace acltwin {
namespace {

// Its attributes are those of its type, or its own: no code of a subclass finds others.
bool finds_attributes_as_usual(PyObject* object) {
    const auto usual = reinterpret_cast<void*>(PyObject_GenericGetAttr);
    return PyType_GetSlot(Py_TYPE(object), Py_tp_getattro) == usual;
}

Object of_type(PyObject* object, const char* name) {
    return Object(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), name));
}

PyObject* answer_of(PyObject* getter, PyObject* object) {
    static const auto get = reinterpret_cast<descrgetfunc>(PyType_GetSlot(&PyGetSetDescr_Type, Py_tp_descr_get));
    return get(getter, object, reinterpret_cast<PyObject*>(Py_TYPE(object)));
}

}  // namespace

Question Question::attribute(PyObject* object, const char* name) {
    Question question;
    question.name_ = PyUnicode_InternFromString(name);
    Object found = of_type(object, name);
    question.is_of_type_ = bool(found);
    if (found && finds_attributes_as_usual(object) && Py_TYPE(found.get()) == &PyGetSetDescr_Type)
        question.getter_ = found.release();
    PyErr_Clear();
    return question;
}

Question Question::method(PyObject* object, const char* name) {
    Question question;
    question.name_ = PyUnicode_InternFromString(name);
    question.is_method_ = true;
    question.is_of_type_ = bool(of_type(object, name));
    PyErr_Clear();
    Object bound(PyObject_GetAttrString(object, name));
    if (bound && finds_attributes_as_usual(object) && Py_TYPE(bound.get()) == &PyCFunction_Type &&
        PyCFunction_GetFlags(bound.get()) == METH_NOARGS && PyCFunction_GetSelf(bound.get()) == object)
        question.function_ = PyCFunction_GetFunction(bound.get());
    PyErr_Clear();
    return question;
}

int Question::answer(PyObject* object) const {
    Object answer(function_ != nullptr ? function_(object, nullptr)
                  : getter_ != nullptr ? answer_of(getter_, object)
                  : name_ == nullptr   ? PyErr_NoMemory()
                  : is_method_         ? PyObject_CallMethodObjArgs(object, name_, nullptr)
                                       : PyObject_GetAttr(object, name_));
    if (answer) return answer.get() == Py_True;
    if (is_of_type_ || !PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
}

}  // namespace acltwin
