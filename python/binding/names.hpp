// Attribute names that the walk over a graph reads, interned once, and owned references.
#pragma once

#include <string_view>
#include <utility>

#include <Python.h>

namespace fxrules::python {

// An owned reference; null is allowed.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }
  static Ref borrowed(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  [[nodiscard]] PyObject* get() const { return object_; }
  [[nodiscard]] PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Attributes of torch.fx.Graph and torch.fx.Node, and keys of Node.meta.
struct Names {
  PyObject *root, *next, *op, *name, *target, *args, *kwargs, *meta, *type, *val, *example_value, *tensor_meta, *shape,
      *stride, *dtype, *device, *fake_device, *layout, *requires_grad;
};
[[nodiscard]] const Names& names();

// Throws what Python raised, where the object is null.
Ref checked(PyObject* owned);
[[nodiscard]] Ref attribute(PyObject* object, PyObject* name);
// The text of a str, which it must be; valid as long as the object.
[[nodiscard]] std::string_view text_of(PyObject* text);

}  // namespace fxrules::python
