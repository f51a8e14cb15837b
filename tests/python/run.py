# SPDX-License-Identifier: MIT
"""Runs pytest on files, or says what is missing and ends with 77. usage: run.py FILE..."""
import importlib.util
import sys

missing = [name for name in ("numpy", "pytest") if importlib.util.find_spec(name) is None]
if missing:
    print("skipped:", sys.executable, "has no", " and no ".join(missing))
    sys.exit(77)

import pytest  # noqa: E402

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--durations=3", *sys.argv[1:]]))
