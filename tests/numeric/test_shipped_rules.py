"""Every shipped rule was applied by some numeric test, or, where it only speaks, was provoked."""

import unittest

import pytest

import harness


def test_every_shipped_rule_was_applied():
    if not harness.REPORTS:
        raise unittest.SkipTest("needs the reports of all numeric tests; `./dev test` keeps them")
    acted = harness.rules_that_acted(harness.kept_reports())
    missing = []
    for path in sorted(harness.rule_file("").glob("*.rules")):
        for rule, (line, body) in harness.shipped_rules(path.name).items():
            if (path.name, rule) not in acted:
                missing.append(f"rules/{path.name}:{line}: {rule}: {body}")
    assert not missing, "no numeric test applies\n" + "\n".join(missing)


@pytest.mark.parametrize("name", sorted(path.name for path in harness.rule_file("").glob("*.rules")))
def test_all_rules_are_seen(name):
    """The list of rules above is as long as the program's."""
    checked = harness.run_program("check", harness.rule_file(name))
    assert int(checked.stdout.split()[0]) == len(harness.shipped_rules(name))
