"""Every shipped rule was applied by some numeric test of this run, or, where it only speaks, was provoked."""

import pathlib
import unittest

import pytest

import harness

HERE = pathlib.Path(__file__).parent


def whole_run(session):
    """Whether every test that applies rules was collected: a part of them proves nothing here."""
    collected = {item.path.name for item in session.items}
    applying = {path.name for path in HERE.glob("test_*.py") if "harness.apply(" in path.read_text()}
    return applying <= collected and not session.config.getoption("keyword") and session.testsfailed == 0


@pytest.mark.xfail(reason="the numeric tests of some error rules are still to be written", strict=False)
def test_every_shipped_rule_was_applied(request):
    if harness.program() is None or not whole_run(request.session):
        raise unittest.SkipTest("only a whole run without failures can say which rules were not applied")
    acted = harness.rules_that_acted(harness.REPORTS)
    missing = []
    for path in sorted(harness.rule_file("").glob("*.rules")):
        for rule, (line, body) in harness.shipped_rules(path.name).items():
            if (path.name, rule) not in acted and not body.startswith("writeback"):  # a text has no signature
                missing.append(f"rules/{path.name}:{line}: {rule}: {body}")
    assert not missing, "no numeric test applies\n" + "\n".join(missing)


@pytest.mark.parametrize("name", sorted(path.name for path in harness.rule_file("").glob("*.rules")))
def test_all_rules_are_seen(name):
    """The list of rules above is as long as the program's."""
    checked = harness.run_program("check", harness.rule_file(name))
    assert int(checked.stdout.split()[0]) + checked.stderr.count("[not-acting]") == len(harness.shipped_rules(name))
