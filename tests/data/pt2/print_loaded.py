"""Prints what torch.export.load makes of the archives beside this file: NAME.txt for each NAME.pt2 that loads.

Each graph is printed with tensor metadata (see ../README.md), nested graphs behind it under a line `# PATH`. The
getitem nodes that loading makes for outputs which nothing uses (`max_1_unused_1`) are left out: they are in no graph
that was saved. Written with torch 2.13.
"""

import pathlib
import re
import warnings

import torch


def without_unused(module):
    for node in reversed(list(module.graph.nodes)):
        if re.search(r"_unused_\d+(_\d+)?$", node.name) and not node.users:
            module.graph.erase_node(node)


def dump(module, title):
    without_unused(module)
    lines = [f"# {title}" if title else "", "graph():"]
    for node in module.graph.nodes:
        lines.append("    " + node.format_node(include_tensor_metadata=True) if node.op != "output"
                     else f"    return {node.args[0]}")
    text = "\n".join(lines[0 if title else 1:]) + "\n"
    for name, child in module.named_children():
        if isinstance(child, torch.fx.GraphModule):
            text += dump(child, f"{title}.{name}" if title else name)
    return text


def main():
    warnings.filterwarnings("ignore")
    for path in sorted(pathlib.Path(__file__).parent.glob("*/*.pt2")):
        try:
            program = torch.export.load(path)
        except Exception as error:  # noqa: BLE001: archives of other releases may not load
            print(f"{path.name}: {type(error).__name__}")
            continue
        path.with_suffix(".txt").write_text(dump(program.graph_module, ""))


if __name__ == "__main__":
    main()
