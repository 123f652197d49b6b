"""Every example of docs/python runs; those of a page share their names."""

import pathlib
import re

import pytest
import torch

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python"


@pytest.mark.parametrize("page", sorted(p.name for p in DOCS.glob("*.md")))
def test_page(page, capsys):
    torch._dynamo.reset()
    blocks = list(re.finditer(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.MULTILINE | re.DOTALL))
    assert blocks, f"{page} has no example"
    text = (DOCS / page).read_text()
    names = {"__name__": "__main__"}
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block.group(1), str(DOCS / page), "exec"), names)
