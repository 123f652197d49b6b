// What the binding asks Python about torch: it links no torch itself, so that one build serves all versions.
#pragma once

#include <nanobind/nanobind.h>

namespace fxrules::python {

struct Hooks {
  nanobind::object tensor, symbolic_ints;                     // torch.Tensor; a tuple of types
  nanobind::object dtype, device, layout, memory_format, op;  // types of arguments that have a kind of their own
  nanobind::object target_text;                               // target of a call_function -> as FX prints it
  nanobind::object size_text;                                 // torch.SymInt, sympy.Expr -> its expression
  nanobind::object other_text;                                // any other argument -> text
  nanobind::object type_text;                                 // Node.type -> text
};

}  // namespace fxrules::python
