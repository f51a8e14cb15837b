# SPDX-License-Identifier: MIT
"""Runs pytest on files, or prints what is missing and exits with 77. usage: run.py FILE..."""
import importlib.util
import sys


def main():
    missing = [name for name in ("numpy", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped:", sys.executable, "has no", " and no ".join(missing))
        return 77
    import pytest
    status = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", "--durations=3", *sys.argv[1:]])
    return 77 if status == pytest.ExitCode.NO_TESTS_COLLECTED else status  # a file that needs what is not installed


if __name__ == "__main__":  # a pool that spawns imports this file
    sys.exit(main())
