"""inplace.rules as a functionaliser: programs of every kind, captured by make_fx and Dynamo, against eager PyTorch."""

import os
import unittest
import warnings

try:
    import pytest
    import torch
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import functional_captures
import functional_programs
import fx_text
import harness

if harness.program() is None:
    missing = "needs a built fxrules: set FXRULES or build the release preset"
    raise FileNotFoundError(missing) if os.environ.get("CI") == "true" else unittest.SkipTest(missing)

warnings.filterwarnings("ignore")
RULES = [harness.rule_file("inplace.rules")]
# Dynamo captures none of these.
NO_CAPTURE = {("Dynamo", "another_data"), ("Dynamo", "a_smaller_size")}
MOST_REFUSED = 8


def check(capture):
    applied = harness.apply(RULES, capture.text())
    shown = f"--- before\n{capture.text()}\n--- after\n{applied.text}"
    old = harness.run(capture.text(), capture.inputs, capture.attributes)
    new = harness.run(applied.text, capture.inputs, capture.attributes)
    found = harness.differences_of_writes(old, new, applied.report["mutated_inputs"], tolerance=1e-6)
    assert found == [], shown
    return applied


@pytest.mark.parametrize("name", functional_programs.PROGRAMS)
@pytest.mark.parametrize("by", functional_captures.BY)
def test_program(by, name):
    program = functional_programs.PROGRAMS[name]
    inputs = harness.make_inputs(program.inputs)
    if (by, name) in NO_CAPTURE:
        with pytest.raises(Exception):
            functional_captures.BY[by](program.function, inputs)
        return
    capture = functional_captures.BY[by](program.function, inputs)
    if program.refused:
        with pytest.raises(harness.Refused) as refusal:
            harness.apply(RULES, capture.text())
        assert program.refused in refusal.value.kinds
    else:
        check(capture)


def test_few_are_refused():
    refused = [name for name, program in functional_programs.PROGRAMS.items() if program.refused]
    assert len(functional_programs.PROGRAMS) >= 77 and len(refused) <= MOST_REFUSED, refused


@pytest.mark.parametrize("name", ["the_result_of_a_write_is_written", "operators_in_place", "ternary_writes", "a_counter"])
def test_a_program_without_views_keeps_its_node_count(name):
    program = functional_programs.PROGRAMS[name]
    capture = functional_captures.by_make_fx(program.function, harness.make_inputs(program.inputs))
    assert len(fx_text.read_graph(check(capture).text).nodes) == len(capture.graph.nodes)
