# SPDX-License-Identifier: MIT
"""Runs the installed scipy's own tests of filters against gpufilter.ndimage. scipy_left_out.txt lists the tests that
are left out, with the reason; every other test must pass and must have called one of our functions."""
import fnmatch
import os
import re

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="scipy, the package python3-scipy, is not installed")
theirs = pytest.importorskip("scipy.ndimage.tests.test_filters",
                             reason="the tests of this scipy are not installed, or need other packages")

from gpufilter import ndimage as ours  # noqa: E402

LISTED = re.compile(r"(?P<how>fails|refused|other)(@(?P<version>\S+))? +(?P<test>\S+) +(?P<reason>\S.*)")
TRIED = ("1.10.1", "1.17.1")  # of other versions, what is listed is left out untried, and what is not must pass

globals().update({name: value for name, value in vars(theirs).items() if re.match("test_|Test", name)})


def _listed():
    """(how, test, reason) of the list's entries for this scipy."""
    path = os.path.join(os.path.dirname(__file__), "scipy_left_out.txt")
    with open(path, encoding="utf-8") as lines:
        found = [LISTED.fullmatch(line.rstrip("\n")) for line in lines if line.strip() and line[0] != "#"]
    assert None not in found
    untried = scipy.__version__ not in TRIED
    return [match.group("how", "test", "reason") for match in found
            if untried or match["version"] in (None, scipy.__version__)]


LEFT_OUT = _listed()
NOT_HERE = {None: (), "refused": (NotImplementedError, TypeError), "fails": (Exception, pytest.fail.Exception)}


class Doors:
    """Our functions, and scipy's where we have none; counts the calls of ours."""

    def __init__(self):
        self.n_called = 0

    def __getattr__(self, name):
        if name not in ours.__all__:
            return getattr(scipy.ndimage, name)

        def call(*args, **kwargs):
            self.n_called += 1
            return getattr(ours, name)(*args, **kwargs)
        setattr(self, name, call)  # tests ask which function they have
        return call

    def instead_of(self, value):
        """Ours, where a parameter of a test is a function of scipy."""
        name = getattr(value, "__name__", None)
        return getattr(self, name) if name in ours.__all__ and value is getattr(scipy.ndimage, name) else value

    def run(self, test, how, reason):
        def run(**arguments):
            arguments = {name: self.instead_of(value) for name, value in arguments.items()}
            try:
                test(**arguments)
            except NOT_HERE[how]:
                pytest.skip(reason)
            if how == "fails":
                pytest.fail("it is listed as failing and passes: take it off the list")
        return run


@pytest.fixture
def xp():
    """The array package, which the tests of newer scipys ask for; they are for others, too."""
    return np


@pytest.fixture
def num_parallel_threads():
    """As many threads as run one test at a time, which they ask for, too."""
    return 1


def _name(node):
    return node.nodeid.split("::", 1)[1]


@pytest.fixture(autouse=True)
def doors(request, monkeypatch):
    """Replaces scipy's functions by ours. A test that is listed as failing must fail."""
    if request.node.obj.__module__ == __name__:
        yield
        return
    name = _name(request.node)
    how, reason = next(((h, r) for h, test, r in LEFT_OUT if fnmatch.fnmatchcase(name, test)), (None, None))
    if how == "other" or (how and scipy.__version__ not in TRIED):
        pytest.skip(reason)
    made = Doors()
    monkeypatch.setattr(theirs, "ndimage", made)
    request.node.obj = made.run(request.node.obj, how, reason)
    yield
    assert made.n_called or scipy.__version__ not in TRIED, f"{name} calls none of our functions: list it as other"


def test_the_list_names_tests(request):
    run = [_name(item) for item in request.session.items]
    if scipy.__version__ in TRIED and len(run) > 300:  # not where a few tests were picked
        assert [test for _, test, _ in LEFT_OUT if not any(fnmatch.fnmatchcase(name, test) for name in run)] == []
