#include "python/binding/live_graph.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

namespace nb = nanobind;

namespace fxrules::python {

// ---------------------------------------------------------------- node table

void NodeTable::reserve(std::size_t nodes) {
  std::size_t capacity = 64;
  while (capacity < nodes * 2) capacity *= 2;
  if (capacity <= table_.size()) return;
  std::vector<Entry> old(capacity);
  old.swap(table_);
  for (const Entry& e : old) {
    if (e.node != nullptr) table_[probe(e.node)] = e;
  }
}

std::size_t NodeTable::probe(PyObject* node) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = ((reinterpret_cast<std::uintptr_t>(node) >> 4) * 0x9E3779B97F4A7C15ull >> 20) & mask;
  while (table_[at].node != nullptr && table_[at].node != node) at = (at + 1) & mask;
  return at;
}

void NodeTable::add(PyObject* node, std::uint32_t id) {
  if ((size_ + 1) * 2 > table_.size()) reserve(size_ + 1 < 32 ? 32 : (size_ + 1) * 2);
  table_[probe(node)] = {node, id};
  ++size_;
}

NodeId NodeTable::find(PyObject* node) const {
  if (table_.empty()) return {};
  const Entry& e = table_[probe(node)];
  return e.node == nullptr ? NodeId() : NodeId(e.id);
}

// ---------------------------------------------------------------- the walk

namespace {

Opcode opcode_of(std::string_view op) {
  static constexpr std::array kAll{Opcode::placeholder, Opcode::get_attr,    Opcode::call_function,
                                   Opcode::call_method, Opcode::call_module, Opcode::output};
  for (const Opcode opcode : kAll) {
    if (to_string(opcode) == op) return opcode;
  }
  throw std::runtime_error("a node has the unknown op " + std::string(op));
}

bool is(PyObject* value, const nb::object& type) {
  return PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(type.ptr())) != 0;
}

}  // namespace

LiveGraph::LiveGraph(nb::object fx_graph, Hooks hooks) : fx_graph_(std::move(fx_graph)), hooks_(std::move(hooks)) {
  const Py_ssize_t count = PyObject_Size(fx_graph_.attr("nodes").ptr());
  if (count < 0) nb::raise_python_error();
  graph_.reserve(static_cast<std::size_t>(count), static_cast<std::size_t>(count) * 3);
  table_.reserve(static_cast<std::size_t>(count));
  nodes_.reserve(static_cast<std::size_t>(count));
  graph_.set_meta_source(this);
  const Ref root = attribute(fx_graph_.ptr(), names().root);
  // A node is kept alive by the one before it, and the first by the root.
  for (Ref n = attribute(root.get(), names().next); n.get() != root.get(); n = attribute(n.get(), names().next))
    add(n.get());
  walked_ = nodes_.size();
  read_.resize(walked_);
}

void LiveGraph::add(PyObject* node) {
  const Names& k = names();
  const Ref op = attribute(node, k.op), target_object = attribute(node, k.target), name = attribute(node, k.name);
  const Ref args = attribute(node, k.args), kwargs = attribute(node, k.kwargs), meta = attribute(node, k.meta);
  const Ref type = attribute(node, k.type);
  const Opcode opcode = opcode_of(text_of(op.get()));
  const SymbolId to_call = target(opcode, target_object.get());
  CallBuilder call(graph_);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args.get()); ++i) argument(call, PyTuple_GET_ITEM(args.get(), i));
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs.get(), &at, &key, &value) != 0;) {
    call.keyword(graph_.symbols().intern(text_of(key)));
    argument(call, value);
  }
  const NodeId made = call.create(opcode, to_call, graph_.symbols().intern(text_of(name.get())));
  if (made.value != nodes_.size()) throw std::logic_error("nodes of a walk are numbered in order");
  nodes_.push_back(node);
  table_.add(node, made.value);
  if (has_value(meta.get())) graph_.set_meta_later(made);
  if (type.get() == Py_None) return;
  const auto [found, fresh] = types_.try_emplace(type.get());
  if (fresh) {
    held_.push_back(nb::borrow(type.get()));
    found->second = graph_.symbols().intern(nb::cast<std::string>(nb::str(hooks_.type_text(nb::handle(type.get())))));
  }
  graph_.set_type(made, found->second);
}

bool LiveGraph::has_value(PyObject* meta) const {
  if (!PyDict_Check(meta)) return false;
  const Names& k = names();
  for (PyObject* key : {k.val, k.example_value, k.tensor_meta}) {
    PyObject* value = PyDict_GetItem(meta, key);
    if (value != nullptr && value != Py_None) return true;
  }
  return false;
}

SymbolId LiveGraph::target(Opcode opcode, PyObject* target) {
  if (opcode != Opcode::call_function && PyUnicode_Check(target)) return graph_.symbols().intern(text_of(target));
  const auto [found, fresh] = targets_.try_emplace(target);
  if (fresh) {
    held_.push_back(nb::borrow(target));
    found->second = graph_.symbols().intern(nb::cast<std::string>(hooks_.target_text(nb::handle(target))));
    objects_.try_emplace((std::uint64_t{static_cast<std::uint8_t>(ArgKind::op)} << 32) | found->second.value,
                         nb::borrow(target));
  }
  return found->second;
}

// ---------------------------------------------------------------- arguments

void LiveGraph::argument(CallBuilder& call, PyObject* value) {
  open_.clear();
  while (true) {
    if (!scalar(call, value)) open_.push_back({value, 0});
    // The next item of the innermost container that has one.
    for (value = nullptr; !open_.empty() && value == nullptr;) {
      Open& top = open_.back();
      if (PyTuple_Check(top.container)) {
        if (top.next < PyTuple_GET_SIZE(top.container)) value = PyTuple_GET_ITEM(top.container, top.next++);
      } else if (PyList_Check(top.container)) {
        if (top.next < PyList_GET_SIZE(top.container)) value = PyList_GET_ITEM(top.container, top.next++);
      } else if (PyDict_Check(top.container)) {
        PyObject *key = nullptr, *item = nullptr;
        if (PyDict_Next(top.container, &top.next, &key, &item) != 0) {
          if (!scalar(call, key)) throw std::runtime_error("a key of a dict is a container");
          value = item;
        }
      } else {
        const auto* slice = reinterpret_cast<PySliceObject*>(top.container);
        PyObject* const parts[] = {slice->start, slice->stop, slice->step};
        if (top.next < 3) value = parts[top.next++];
      }
      if (value != nullptr) break;
      call.close();
      open_.pop_back();
    }
    if (value == nullptr) return;
  }
}

// False when the value is a container, which is then open.
bool LiveGraph::scalar(CallBuilder& call, PyObject* value) {
  if (const NodeId n = table_.find(value); n.valid()) {
    call.node(n);
  } else if (value == Py_None) {
    call.none();
  } else if (PyBool_Check(value)) {
    call.boolean(value == Py_True);
  } else if (PyLong_CheckExact(value)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0) {
      spelled(call, ArgKind::opaque, value, nb::cast<std::string>(nb::str(nb::handle(value))));
    } else {
      call.integer(number);
    }
  } else if (PyFloat_CheckExact(value)) {
    call.floating(PyFloat_AS_DOUBLE(value));
  } else if (PyUnicode_CheckExact(value)) {
    call.spelled(ArgKind::string, text_of(value));
  } else if (PyTuple_Check(value)) {
    call.open(ArgKind::tuple);
    return false;
  } else if (PyList_Check(value)) {
    call.open(ArgKind::list);
    return false;
  } else if (PyDict_Check(value)) {
    call.open(ArgKind::dict);
    return false;
  } else if (PySlice_Check(value)) {
    call.open(ArgKind::slice);
    return false;
  } else if (value == Py_Ellipsis) {
    call.ellipsis();
  } else {
    const auto text = [&](const nb::object& hook) -> const std::string& {
      const auto [found, fresh] = texts_.try_emplace(value);
      if (fresh) {
        held_.push_back(nb::borrow(value));
        found->second = nb::cast<std::string>(nb::str(hook(nb::handle(value))));
      }
      return found->second;
    };
    static const nb::object kStr = nb::borrow(reinterpret_cast<PyObject*>(&PyUnicode_Type));
    if (is(value, hooks_.dtype)) {
      spelled(call, ArgKind::dtype, value, text(kStr));
    } else if (is(value, hooks_.device)) {
      spelled(call, ArgKind::device, value, text(kStr));
    } else if (is(value, hooks_.memory_format)) {
      spelled(call, ArgKind::memory_format, value, text(kStr));
    } else if (is(value, hooks_.layout)) {
      spelled(call, ArgKind::layout, value, text(kStr));
    } else if (is(value, hooks_.op)) {
      spelled(call, ArgKind::op, value, text(kStr));
    } else if (PyComplex_Check(value)) {
      spelled(call, ArgKind::complex, value, text(kStr));
    } else if (PyObject_IsInstance(value, hooks_.symbolic_ints.ptr()) == 1) {
      spelled(call, ArgKind::symbolic, value, text(hooks_.size_text));
    } else {
      spelled(call, ArgKind::opaque, value, text(hooks_.other_text));
    }
  }
  return true;
}

namespace {
std::uint64_t key_of(ArgKind kind, SymbolId text) {
  return (std::uint64_t{static_cast<std::uint8_t>(kind)} << 32) | text.value;
}
}  // namespace

void LiveGraph::spelled(CallBuilder& call, ArgKind kind, PyObject* value, std::string_view text) {
  SymbolId symbol = graph_.symbols().intern(text);
  // Two objects of one spelling, of which nothing is known, are two values.
  if (kind == ArgKind::opaque) {
    for (std::size_t i = 2; PyObject* other = object(kind, symbol); ++i) {
      if (other == value) break;
      symbol = graph_.symbols().intern(std::string(text) + "#" + std::to_string(i));
    }
  }
  objects_.try_emplace(key_of(kind, symbol), nb::borrow(value));
  call.literal(Slot::of_symbol(kind, symbol));
}

PyObject* LiveGraph::object(ArgKind kind, SymbolId text) const {
  const auto found = objects_.find(key_of(kind, text));
  return found == objects_.end() ? nullptr : found->second.ptr();
}

void LiveGraph::bind(NodeId n, nb::object node) {
  if (n.value >= nodes_.size()) nodes_.resize(n.value + 1, nullptr);
  nodes_[n.value] = node.ptr();
  made_.push_back(std::move(node));
}

// ---------------------------------------------------------------- metadata

MetaId LiveGraph::read(NodeId n) {
  // Where another thread had the GIL, waiting for it again for each node would take a turn of that thread each.
  constexpr auto kContended = std::chrono::microseconds(200);
  constexpr std::size_t kAhead = 512;
  const auto asked = std::chrono::steady_clock::now();
  const nb::gil_scoped_acquire gil;
  const bool contended = std::chrono::steady_clock::now() - asked > kContended;
  const MetaId meta = read_now(n);
  for (std::size_t i = n.value + 1; contended && i < std::min(walked_, n.value + kAhead); ++i) {
    const NodeId next(static_cast<std::uint32_t>(i));
    if (graph_.alive(next) && graph_.meta_waits(next)) graph_.set_meta(next, read_now(next));
  }
  return meta;
}

MetaId LiveGraph::read_now(NodeId n) {
  try {
    const Names& k = names();
    const Ref meta = attribute(nodes_[n.value], k.meta);
    for (PyObject* key : {k.val, k.example_value, k.tensor_meta}) {
      PyObject* value = PyDict_GetItem(meta.get(), key);
      if (value != nullptr && value != Py_None) return read_[n.value] = meta_of(value);
    }
  } catch (nb::python_error&) {
    // A value that does not say what it is (a tensor without storage, a sparse one) is not known.
  }
  return {};
}

bool LiveGraph::metadata_changed(NodeId n) const {
  if (n.value >= walked_ || graph_.meta_waits(n) || !graph_.meta(n).valid()) return false;
  return read_[n.value].valid() && read_[n.value] != graph_.meta(n);
}

MetaId LiveGraph::meta_of(PyObject* value) {
  ValueMeta meta;
  if (is(value, hooks_.tensor) || PyObject_HasAttr(value, names().dtype) != 0) {
    meta = tensor(value);  // a tensor, or a TensorMetadata of one
  } else if (PyTuple_Check(value) || PyList_Check(value)) {
    meta.kind = MetaKind::tuple;
    for (const nb::handle part : nb::handle(value)) {
      const bool nested = PyTuple_Check(part.ptr()) || PyList_Check(part.ptr());
      meta.parts.push_back(nested || part.is_none() ? MetaId() : meta_of(part.ptr()));
    }
  } else if (PyBool_Check(value) == 0 &&
             (PyLong_Check(value) || PyObject_IsInstance(value, hooks_.symbolic_ints.ptr()) == 1)) {
    meta.kind = MetaKind::symbolic;
    meta.value = size(value);
    if (!meta.value.known) return {};
  } else {
    return {};
  }
  return graph_.metas().intern(meta);
}

ValueMeta LiveGraph::tensor(PyObject* value) {
  const Names& k = names();
  ValueMeta out;
  const Ref dtype = attribute(value, k.dtype);
  const auto [known, fresh] = dtypes_.try_emplace(dtype.get(), Dtype::unknown);
  if (fresh) {
    held_.push_back(nb::borrow(dtype.get()));
    known->second = parse_dtype(nb::cast<std::string>(nb::str(nb::handle(dtype.get())))).value_or(Dtype::unknown);
  }
  out.tensor.dtype = known->second;
  out.tensor.shape = sizes(attribute(value, k.shape).get());
  out.tensor.device = device_of(value);
  const Ref stride(PyObject_GetAttr(value, k.stride));
  if (stride && PyCallable_Check(stride.get())) {
    const Ref strides(PyObject_CallNoArgs(stride.get()));
    if (strides) out.tensor.strides = sizes(strides.get());
  } else if (stride && PyTuple_Check(stride.get())) {
    out.tensor.strides = sizes(stride.get());
  }
  PyErr_Clear();                                             // sparse tensors have no strides
  const Ref grad(PyObject_GetAttr(value, k.requires_grad));  // whether it is quantised its dtype tells
  if (!grad) PyErr_Clear();
  if (grad && PyBool_Check(grad.get())) out.tensor.requires_grad = grad.get() == Py_True;
  return out;
}

std::vector<Size> LiveGraph::sizes(PyObject* tuple) {
  std::vector<Size> out;
  out.reserve(static_cast<std::size_t>(PyTuple_GET_SIZE(tuple)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) out.push_back(size(PyTuple_GET_ITEM(tuple, i)));
  return out;
}

Size LiveGraph::size(PyObject* value) {
  if (PyLong_Check(value)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow != 0 ? Size::unknown() : Size::of(number);
  }
  const std::string text = nb::cast<std::string>(hooks_.size_text(nb::handle(value)));
  return graph_.metas().expressions().parse(text).value_or(Size::unknown());
}

SymbolId LiveGraph::device_of(PyObject* value) {
  // A FakeTensor's `device` is a property in Python; what it returns is this attribute.
  Ref device(PyObject_GetAttr(value, names().fake_device));
  if (!device) {
    PyErr_Clear();
    device = Ref(PyObject_GetAttr(value, names().device));
  }
  if (!device || device.get() == Py_None) {
    PyErr_Clear();
    return {};
  }
  const auto [found, fresh] = devices_.try_emplace(device.get());
  if (fresh) {
    held_.push_back(nb::borrow(device.get()));
    found->second = graph_.symbols().intern(nb::cast<std::string>(nb::str(nb::handle(device.get()))));
  }
  return found->second;
}

}  // namespace fxrules::python
