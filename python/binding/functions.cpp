#include "python/binding/functions.hpp"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace fxrules::python {
namespace {

using Kind = UserValue::Kind;

thread_local FunctionCalls* calls = nullptr;

nb::object to_python(const UserValue& v) {
  const auto made = [&](nb::object payload) -> nb::object {
    return nb::make_tuple(static_cast<int>(v.kind), std::move(payload));
  };
  switch (v.kind) {
    case Kind::boolean:
      return made(nb::bool_(v.integer != 0));
    case Kind::integer:
      return made(nb::int_(v.integer));
    case Kind::floating:
      return made(nb::float_(v.floating));
    case Kind::string:
    case Kind::dtype:
    case Kind::device:
    case Kind::symbolic:
      return made(nb::str(v.text.c_str(), v.text.size()));
    case Kind::node: {
      PyObject* node = calls == nullptr ? nullptr : calls->graph().node(v.node);
      return made(node == nullptr ? nb::object(nb::str(v.text.c_str(), v.text.size())) : nb::borrow(node));
    }
    case Kind::list:
    case Kind::tuple: {
      nb::list items;
      for (const UserValue& item : v.items) items.append(to_python(item));
      return made(std::move(items));
    }
    default:
      return made(nb::none());
  }
}

UserValue from_python(nb::handle value) {
  const nb::tuple pair = nb::cast<nb::tuple>(value);
  UserValue out;
  out.kind = static_cast<Kind>(nb::cast<int>(pair[0]));
  const nb::object payload = pair[1];
  switch (out.kind) {
    case Kind::boolean:
    case Kind::integer:
      out.integer = nb::cast<std::int64_t>(payload);
      break;
    case Kind::floating:
      out.floating = nb::cast<double>(payload);
      break;
    case Kind::string:
    case Kind::dtype:
    case Kind::device:
    case Kind::symbolic:
    case Kind::node:
      out.text = nb::cast<std::string>(payload);
      break;
    case Kind::list:
    case Kind::tuple:
      for (const nb::handle item : payload) out.items.push_back(from_python(item));
      break;
    default:
      break;
  }
  return out;
}

// A callable that may be let go by a thread that does not hold the GIL.
std::shared_ptr<nb::object> shared(nb::object callable) {
  return {new nb::object(std::move(callable)), [](nb::object* held) {
            const nb::gil_scoped_acquire gil;
            delete held;
          }};
}

UserValue call(const nb::object& callable, std::span<const UserValue> arguments) {
  const nb::gil_scoped_acquire gil;
  try {
    nb::list given;
    for (const UserValue& v : arguments) given.append(to_python(v));
    return from_python(callable(given));
  } catch (...) {
    if (calls == nullptr) throw;
    calls->keep(std::current_exception());
    return {};
  }
}

}  // namespace

std::shared_ptr<const Functions> functions_of(const nb::dict& functions) {
  auto out = std::make_shared<Functions>();
  for (const auto [name, entry] : functions) {
    const nb::tuple fields = nb::cast<nb::tuple>(entry);
    Function function;
    function.name = nb::cast<std::string>(name);
    function.min_arguments = nb::cast<std::uint8_t>(fields[0]);
    function.max_arguments = nb::cast<std::uint8_t>(fields[1]);
    function.call = [callable = shared(fields[2])](std::span<const UserValue> arguments) {
      return call(*callable, arguments);
    };
    out->add(std::move(function));
  }
  return out;
}

FunctionCalls::FunctionCalls(LiveGraph& graph) : graph_(&graph), outer_(calls) { calls = this; }
FunctionCalls::~FunctionCalls() { calls = outer_; }
FunctionCalls* FunctionCalls::current() { return calls; }
void FunctionCalls::rethrow() {
  if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
}

}  // namespace fxrules::python
