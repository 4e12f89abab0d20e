#include "python/array_view_refusals.h"

namespace acltwin {
namespace {

std::string text_of(PyObject* object) {
    Object text(object != nullptr ? PyObject_Str(object) : nullptr);
    const char* characters = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
    std::string result = characters != nullptr ? characters : "";
    PyErr_Clear();
    return result;
}

std::string attribute_text(PyObject* object, const char* name) {
    Object attribute(PyObject_GetAttrString(object, name));
    PyErr_Clear();
    return text_of(attribute.get());
}

bool is_true(PyObject* object, const char* attribute) { return attribute_text(object, attribute) == "True"; }

// Libraries append their call stack to the message.
std::string first_line_of_the_exception() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const Object owned_type(type), owned_value(value), owned_traceback(traceback);
    const std::string text = text_of(value);
    return text.substr(0, text.find('\n'));
}

}  // namespace

bool refuse(PyObject* type, const Argument& argument, const std::string& text) {
    PyErr_Format(type, "%s: %s %s", argument.operator_name, argument.name().c_str(), text.c_str());
    return false;
}

std::string package_of(PyObject* object) {
    const std::string module = attribute_text(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__module__");
    return module.substr(0, module.find('.'));
}

std::string type_name(PyObject* object) {
    return attribute_text(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__");
}

bool is_of_jax(const std::string& package) { return package == "jax" || package == "jaxlib"; }

bool refuse_device(const Argument& argument, int type) {
    return refuse(PyExc_TypeError, argument,
                  "is on another device (DLPack device type " + std::to_string(type) +
                      "), expected CPU memory; move it there first, with .cpu() in PyTorch");
}

bool refuse_dtype(const Argument& argument, PyObject* array) {
    const std::string dtype = attribute_text(array, "dtype");
    return refuse(PyExc_TypeError, argument,
                  "is of dtype " + (dtype.empty() ? "unknown" : dtype) +
                      ", which no operator takes, expected a plain real type such as float32; convert it");
}

bool refuse_object(const Argument& argument, PyObject* object) {
    const std::string name = argument.name(), operator_name = argument.operator_name, package = package_of(object);
    const std::string type = type_name(object);
    const bool is_tracer = type.find("Tracer") != std::string::npos;
    if (is_of_jax(package))
        return refuse(PyExc_TypeError, argument,
                      "is a JAX " + (is_tracer ? "tracer" : type) +
                          ", which has no values, expected an array; call acltwin.jax." + operator_name +
                          ", which JAX can trace and differentiate");
    if (package == "dask")
        return refuse(
            PyExc_TypeError, argument,
            "is a Dask array, whose values are yet to be computed, expected an array in memory; call acltwin.dask." +
                operator_name + ", or pass " + name + ".compute()");
    if (package == "xarray")
        return refuse(PyExc_TypeError, argument,
                      "is an xarray " + type + ", expected a plain array; pass " + name + ".data");
    const bool is_list = PyList_Check(object) || PyTuple_Check(object);
    return refuse(PyExc_TypeError, argument,
                  (object == Py_None ? "is None" : "is of type " + type) +
                      ", expected a NumPy array, a PyTorch tensor, a JAX array or anything else with __dlpack__" +
                      (is_list ? "; convert it with numpy.asarray(...)" : ""));
}

bool refuse_exchange(const Argument& argument, PyObject* tensor) {
    const std::string problem = first_line_of_the_exception(), name = argument.name();
    const std::string layout = attribute_text(tensor, "layout");
    std::string text;
    if (is_true(tensor, "is_meta"))
        text = "is a meta tensor, which has a shape but no values, expected a CPU tensor; create it there";
    else if (is_true(tensor, "is_quantized"))
        text = "is quantized (" + attribute_text(tensor, "dtype") + "), expected plain numbers; pass " + name +
               ".dequantize()";
    else if (is_true(tensor, "is_nested"))
        text = "is a nested tensor, expected one shape for all of it; pass its parts one by one";
    else if (!layout.empty() && layout != "torch.strided")
        text = "is not dense (layout " + layout + "), expected torch.strided; pass " + name + ".to_dense()";
    else
        text = "has no memory that could be read (" + problem +
               "), expected a plain tensor; inside vmap and other transforms call " + "torch.ops.acltwin." +
               argument.operator_name + ", which acltwin.torch defines";
    return refuse(PyExc_TypeError, argument, text);
}

bool refuse_recording(const Argument& argument, bool for_writing) {
    const std::string function = std::string("torch.ops.acltwin.") + argument.operator_name;
    return refuse(PyExc_TypeError, argument,
                  "records gradients (requires_grad), which would be lost here, expected a tensor without; " +
                      (for_writing ? "" : "import acltwin.torch and call " + function + ", which differentiates, or ") +
                      "pass " + argument.name() + ".detach()");
}

}  // namespace acltwin
