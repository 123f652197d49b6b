#include "python/binding/names.hpp"

#include <nanobind/nanobind.h>

namespace fxrules::python {

const Names& names() {
  static const Names kNames = [] {
    const auto intern = [](const char* text) { return PyUnicode_InternFromString(text); };
    return Names{
        intern("_root"),         intern("_next"),       intern("op"),     intern("name"),         intern("target"),
        intern("_args"),         intern("_kwargs"),     intern("meta"),   intern("type"),         intern("val"),
        intern("example_value"), intern("tensor_meta"), intern("shape"),  intern("stride"),       intern("dtype"),
        intern("device"),        intern("fake_device"), intern("layout"), intern("requires_grad")};
  }();
  return kNames;
}

Ref checked(PyObject* owned) {
  if (owned == nullptr) nanobind::raise_python_error();
  return Ref(owned);
}

Ref attribute(PyObject* object, PyObject* name) { return checked(PyObject_GetAttr(object, name)); }

std::string_view text_of(PyObject* text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text, &size);
  if (data == nullptr) nanobind::raise_python_error();
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace fxrules::python
