#!/usr/bin/env python3
"""Captures the graph dumps of demo/ and torch213/ with the installed PyTorch, always the same bytes.

    capture.py            rewrites the files
    capture.py --check    compares them instead; exit status 1 if any differs
    capture.py --list     names them

A name that ends in `.meta.txt` is printed with tensor metadata. Needs torch 2.13 on Python 3.11: other
versions print the same models as other graphs.
"""

import argparse
import pathlib
import sys

import captures
from captures import demo, models  # noqa: F401  (importing them registers their captures)

HERE = pathlib.Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the committed files")
    parser.add_argument("--list", action="store_true", help="name the files, capture nothing")
    parser.add_argument("names", nargs="*", help="only these files")
    return parser.parse_args()


def settle(name, text, check):
    """Writes one dump, or compares it; false if it differs."""
    path = HERE / name
    if check:
        same = path.exists() and path.read_bytes() == text.encode()
        print(("same     " if same else "DIFFERS  ") + name)
        return same
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return True


def main():
    arguments = parse_arguments()
    if arguments.list:
        print("\n".join(captures.names()))
        return 0
    wanted = arguments.names or captures.names()
    results = [settle(name, captures.text(name), arguments.check) for name in wanted]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
