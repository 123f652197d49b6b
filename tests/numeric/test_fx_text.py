"""The Python reader of the text IR: what it reads prints as the text that it came from."""

import pathlib
import re
import unittest

try:
    import torch
    from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the ops of quantized_decomposed)
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")

import fx_text

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
# An op of another torch, a user function that no module holds, and a string with an open bracket.
UNREADABLE = {"903_textir_zoo_args_214.txt", "argument_kinds.txt"}


def dumps():
    """Files that hold one graph and nothing else."""
    for path in sorted(DATA.glob("*/*.txt")):
        text = path.read_text()
        if text.startswith("graph(") and len(re.findall(r"^graph\(", text, re.MULTILINE)) == 1:
            yield path.name, text


def without_metadata(text):
    return re.sub(r'^(    %\w+ : )Tensor "[^"]*"', r"\1", text, flags=re.MULTILINE)


class RoundTrip(unittest.TestCase):
    def test_every_readable_dump_prints_again(self):
        read = 0
        for name, text in dumps():
            if name not in UNREADABLE:
                with self.subTest(name):
                    self.assertEqual(f"{fx_text.read_graph(text)}\n", without_metadata(text))
                    read += 1
        self.assertGreater(read, 30)


class Values(unittest.TestCase):
    def arguments(self, call):
        text = f"graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %n : [num_users=1] = {call}\n    return n"
        return list(fx_text.read_graph(text).nodes)[1]

    def test_bare_words_follow_their_role(self):
        node = self.arguments("call_function[target=torch.full](args = ((2,), -inf), kwargs = {device: cuda:0})")
        self.assertEqual(node.args, ((2,), float("-inf")))
        self.assertEqual(node.kwargs, {"device": torch.device("cuda", 0)})
        node = self.arguments("call_function[target=torch.ops.aten.index_reduce.default](args = (%x, 0, %x, %x, 1), kwargs = {})")
        self.assertEqual((node.args[1], node.args[4]), (0, "1"))
        node = self.arguments("call_function[target=torch.ops.aten.to.device](args = (%x, cpu, torch.float32), kwargs = {})")
        self.assertEqual(node.args[1:], (torch.device("cpu"), torch.float32))

    def test_strings_keep_their_text(self):
        node = self.arguments("call_method[target=f](args = (%x, ij,kj->ik, , it's), kwargs = {})")
        self.assertEqual(node.args[1:], ("ij,kj->ik", "", "it's"))

    def test_numbers_keep_their_kind(self):
        node = self.arguments("call_method[target=f](args = (9223372036854775807, 2.0, (1+2j), 2j, True), kwargs = {})")
        self.assertEqual([(type(a), a) for a in node.args],
                         [(int, 2**63 - 1), (float, 2.0), (complex, 1 + 2j), (complex, 2j), (bool, True)])

    def test_metadata(self):
        plain = self.arguments("call_method[target=f](args = (%x,), kwargs = {})")
        self.assertNotIn("text", plain.meta)
        text = ('graph():\n    %x : Tensor "bf16[Max(7, s0), 2][2, 1]cuda:0"[num_users=1] = '
                "call_function[target=torch.empty](args = (2,), kwargs = {})\n    return x")
        (node, _) = fx_text.read_graph(text).nodes
        self.assertEqual(node.meta["text"], fx_text.TensorText(torch.bfloat16, ["Max(7, s0)", 2], [2, 1], "cuda:0"))

    def test_refusals(self):
        for text, message in [("class M:\n", "graph header"), ("graph():\n    %x : 5\n", "not a node line"),
                              ("graph():\n    return (y,)", "return value"),
                              ("graph():\n    %x : [num_users=0] = call_method[target=f](args = ((,), kwargs = {})", "brackets")]:
            with self.subTest(text), self.assertRaisesRegex(fx_text.MalformedText, message):
                fx_text.read_graph(text)


if __name__ == "__main__":
    unittest.main()
