# SPDX-License-Identifier: MIT
"""scipy's own tests of the filters, from the installed scipy, run against gpufilter.ndimage. scipy_left_out.txt lists
those left out, with the reason of each; every other one must pass, and must have called a function of ours."""
import fnmatch
import os
import re

import pytest

scipy = pytest.importorskip("scipy", reason="scipy, the package python3-scipy, is not installed")
theirs = pytest.importorskip("scipy.ndimage.tests.test_filters",
                             reason="the tests of this scipy are not installed, or need other packages")

from gpufilter import ndimage as ours  # noqa: E402

LISTED = re.compile(r"(?P<how>fails|other) +(?P<test>\S+) +(?P<reason>\S.*)")
TRIED = "1.10.1"  # of other versions, what is listed is left out untried, and what is not must pass

if hasattr(theirs, "make_xp_test_case"):
    pytest.skip(f"the tests of scipy {scipy.__version__} are for other array packages, too, by fixtures of its own",
                allow_module_level=True)
globals().update({name: value for name, value in vars(theirs).items() if re.match("test_|Test", name)})


def _listed():
    path = os.path.join(os.path.dirname(__file__), "scipy_left_out.txt")
    with open(path, encoding="utf-8") as lines:
        found = [LISTED.fullmatch(line.rstrip("\n")) for line in lines if line.strip() and line[0] != "#"]
    assert None not in found
    return [match.group("how", "test", "reason") for match in found]


LEFT_OUT = _listed()


class Doors:
    """Our functions where there are some, scipy's beside them; counts the calls of ours."""

    def __init__(self):
        self.n_called = 0

    def __getattr__(self, name):
        if name not in ours.__all__:
            return getattr(scipy.ndimage, name)

        def call(*args, **kwargs):
            self.n_called += 1
            return getattr(ours, name)(*args, **kwargs)
        return call

    def instead_of(self, value):
        """Ours, where a parameter of a test is a function of scipy."""
        name = getattr(value, "__name__", None)
        return getattr(self, name) if name in ours.__all__ and value is getattr(scipy.ndimage, name) else value

    def run(self, test, must_fail):
        def run(**arguments):
            arguments = {name: self.instead_of(value) for name, value in arguments.items()}
            if not must_fail:
                test(**arguments)
                return
            try:
                test(**arguments)
            except (Exception, pytest.fail.Exception):
                pytest.skip(must_fail)
            pytest.fail("it is listed as failing and passes: take it off the list")
        return run


def _name(node):
    return node.nodeid.split("::", 1)[1]


@pytest.fixture(autouse=True)
def doors(request, monkeypatch):
    """Puts our functions in the place of scipy's. A test that is listed as failing must fail."""
    if request.node.obj.__module__ == __name__:
        yield
        return
    name = _name(request.node)
    how, reason = next(((h, r) for h, test, r in LEFT_OUT if fnmatch.fnmatchcase(name, test)), (None, None))
    if how == "other" or (how and scipy.__version__ != TRIED):
        pytest.skip(reason)
    made = Doors()
    monkeypatch.setattr(theirs, "ndimage", made)
    request.node.obj = made.run(request.node.obj, reason)
    yield
    assert made.n_called or scipy.__version__ != TRIED, f"{name} calls none of our functions: list it as other"


def test_the_list_names_tests(request):
    run = [_name(item) for item in request.session.items]
    if scipy.__version__ == TRIED and len(run) > 300:  # not where a few tests were picked
        assert [test for _, test, _ in LEFT_OUT if not any(fnmatch.fnmatchcase(name, test) for name in run)] == []
