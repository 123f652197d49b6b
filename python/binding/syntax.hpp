// The syntax tree of a rule file as Python data, for tools that make inputs for rules and change rules.
#pragma once

#include <string>

#include <nanobind/nanobind.h>

namespace fxrules::python {

// {"terms": [(kind, text, annotation, begin, end, children, callee or None)], "rules": […], "params": […],
//  "sets": […], "imports": […], "phases": […], "tests": […]}; places are byte offsets. Raises ValueError with
// the drawn errors where the text has some.
[[nodiscard]] nanobind::dict syntax(const std::string& text, const std::string& name);

}  // namespace fxrules::python
