"""The test of what all the others applied comes last."""


def pytest_collection_modifyitems(session, items):
    items.sort(key=lambda item: item.path.stem == "test_shipped_rules")
