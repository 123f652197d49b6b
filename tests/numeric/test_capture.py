"""The committed dumps are what the installed torch captures, byte for byte."""

import pathlib
import subprocess
import sys
import unittest

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
sys.path.insert(0, str(DATA))

try:
    import captures
    from captures import demo, models  # noqa: F401
except ImportError as missing:
    raise unittest.SkipTest(f"needs torch: {missing}")


@unittest.skipUnless(captures.supported(), f"the dumps come from {captures.origin()}")
class Capture(unittest.TestCase):
    def test_every_dump_is_captured_again(self):
        run = subprocess.run([sys.executable, DATA / "capture.py", "--check"], capture_output=True, text=True)
        differing = [line for line in run.stdout.splitlines() if not line.startswith("same")]
        self.assertEqual((run.returncode, differing), (0, []), run.stderr)

    def test_no_dump_is_left_without_its_capture(self):
        found = {f"{folder}/{path.name}" for folder in ("demo", "torch213") for path in (DATA / folder).iterdir()}
        self.assertEqual(found, set(captures.names()))

    def test_pairs_differ_in_metadata_only(self):
        names = set(captures.names())
        for name in sorted(n for n in names if n.endswith(".meta.txt") and n.replace(".meta", "") in names):
            with self.subTest(name):
                plain = (DATA / name.replace(".meta", "")).read_text()
                self.assertEqual(without_metadata((DATA / name).read_text()), plain)


def without_metadata(text):
    """The plain form; a node that shows metadata has no type annotation in these files."""
    lines = text.split("\n")
    return "\n".join(line.split('Tensor "')[0] + line.split('"', 2)[2] if ' : Tensor "' in line else line for line in lines)


if __name__ == "__main__":
    unittest.main()
