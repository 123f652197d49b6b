"""The program `fxrules` of the package: verify and bisect here, everything else by the program that comes with it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Optional, Sequence

PROGRAM = Path(__file__).parent / "bin" / "fxrules"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] in (["verify"], ["bisect"]):
        from fxrules.commands import run

        return run(given)
    sys.stdout.flush()
    os.execv(PROGRAM, [str(PROGRAM), *given])
    return 1


if __name__ == "__main__":
    sys.exit(main())
