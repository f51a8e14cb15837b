# SPDX-License-Identifier: MIT
"""Runs pytest on files, or prints what is missing and exits with 77. usage: run.py FILE..."""
import importlib.util
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from skips import lines  # noqa: E402  pylint: disable=wrong-import-position


class Reasons:
    """Prints why tests and files were skipped, as the tests of the command do."""
    def pytest_terminal_summary(self, terminalreporter):
        skipped = terminalreporter.stats.get("skipped", [])
        for line in lines(report.longrepr[2].removeprefix("Skipped: ") for report in skipped):
            terminalreporter.write_line(line)


def main():
    missing = [name for name in ("numpy", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped:", sys.executable, "has no", " and no ".join(missing))
        return 77
    import pytest
    status = pytest.main(["-q", "-p", "no:cacheprovider", "--durations=3", *sys.argv[1:]], [Reasons()])
    return 77 if status == pytest.ExitCode.NO_TESTS_COLLECTED else status  # a file that needs what is not installed


if __name__ == "__main__":  # a pool that spawns imports this file
    sys.exit(main())
