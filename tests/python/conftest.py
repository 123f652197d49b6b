"""The package as pip installed it. Without it nothing here can run: ./dev installs it first."""

import pytest

fxrules = pytest.importorskip("fxrules")
