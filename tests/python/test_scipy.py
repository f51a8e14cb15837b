# SPDX-License-Identifier: MIT
"""Runs the installed scipy's own tests of filters, morphology and measurements against gpufilter.ndimage. LISTED names
the tests that are left out, with the reason; every other test must pass and must have called one of our functions."""
import fnmatch
import re

import numpy as np
import pytest

scipy = pytest.importorskip("scipy", reason="scipy, the package python3-scipy, is not installed")
THEIRS = [pytest.importorskip("scipy.ndimage.tests.test_" + name,
                              reason="the tests of this scipy are not installed, or need other packages")
          for name in ("filters", "morphology", "measurements")]

from gpufilter import ndimage as ours  # noqa: E402

# Tests of scipy 1.10.1 and 1.17.1 (ndimage/tests: test_filters, test_morphology, test_measurements) that are not run
# against gpufilter.ndimage, or that fail there: how, test (with * for anything), reason. fails: it is run and must fail.
# refused: it is run, and ends where a TypeError or a NotImplementedError says what is not taken; otherwise it must pass.
# other: it calls none of the functions there are, or takes long to fail, and is not run. @ and a version: of that scipy
# alone. The first line that names a test counts.
LISTED = """
other@1.17.1 TestVectorizedFilter::*            no functions of Python
other *::test_generic_filter*                   no functions of Python
other test_ticket_701                           no functions of Python
other test_gaussian_kernel1d                    scipy's own weights
other *::test_distance_transform_bf*            Euclidean distances alone
other *test_distance_transform_cdt*             Euclidean distances alone
other *::test_distance_transform_edt6           Euclidean distances alone
other@1.17.1 *::test_binary_axes[[]binary_hit_or_miss*-1]     it skips itself
other@1.17.1 *::test_binary_axes[[]binary_fill_holes*-1]      it skips itself
other@1.17.1 test_gh_19423*                     no watersheds
other TestWatershedIft::*                       no watersheds
other test_value_indices0*                      no indices of values
other Test_measurements_stats::*                scipy's own parts
other Test_measurements_select::*               scipy's own parts
refused *::test_distance_transform_edt0[12]*    indices of distances
refused *::test_distance_transform_edt4*        pixels that are no squares
refused *::test_*_tophat0[34]                   heights of bool
fails *::test_gauss03                           float32 has weights of 24 bits: a sum of 5e7 is off by 2, not by 1.5
fails *::test_prewitt01[[]uint*                 negative results of unsigned integers saturate, scipy's wrap and unwrap
fails *::test_prewitt02[[]uint*                 as test_prewitt01
fails *::test_prewitt03[[]uint*                 as test_prewitt01
fails *::test_sobel01[[]uint*                   as test_prewitt01
fails *::test_sobel02[[]uint*                   as test_prewitt01
fails *::test_sobel03[[]uint*                   as test_prewitt01
refused *::test_gaussian_gradient_magnitude0?[[]complex*   a magnitude is real
fails *::test_gaussian_laplace0?[[]int32]       rounded to integers once, not cut off after each pass
fails *::test_gaussian_laplace0?[[]float32]     rounded to float32 once, not after each pass
fails *::test_gaussian_laplace0?[[]complex64]   rounded to float32 once, not after each pass
fails *::test_gaussian_gradient_magnitude0?[[]int32]     as test_gaussian_laplace
fails@1.10.1 *::test_gaussian_gradient_magnitude0?[[]float32]   as test_gaussian_laplace
fails *::test_generic_laplace01[[]*int*         rounded to integers once, not cut off after each pass
fails test_uniform_filter1d_roundoff_errors     means of integers are rounded, not cut off
fails@1.17.1 *::test_filter_invalid_axes[[]axes0-*   the same TypeError, which names the axis in other words
fails test_gaussian_filter*                     float16 is refused by a TypeError, there by a RuntimeError
"""
LINE = re.compile(r"(?P<how>fails|refused|other)(@(?P<version>\S+))? +(?P<test>\S+) +(?P<reason>\S.*)")
TRIED = ("1.10.1", "1.17.1")  # of other versions, what is listed is left out untried, and what is not must pass

globals().update({name: value for module in THEIRS for name, value in vars(module).items()
                  if re.match("test_|Test", name)})


def _listed():
    """(how, test, reason) of the list's entries for this scipy."""
    found = [LINE.fullmatch(line) for line in LISTED.strip().splitlines()]
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
        call.__name__ = name  # tests ask which function they have
        setattr(self, name, call)
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
        if hasattr(test, "__self__"):
            run.__self__ = test.__self__  # whose setup_method is to be called
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
    for module in THEIRS:
        monkeypatch.setattr(module, "ndimage", made)
    request.node.obj = made.run(request.node.obj, how, reason)
    yield
    assert made.n_called or scipy.__version__ not in TRIED, f"{name} calls none of our functions: list it as other"


def test_the_list_names_tests(request):
    run = [_name(item) for item in request.session.items]
    if scipy.__version__ in TRIED and len(run) > 300:  # not where a few tests were picked
        assert [test for _, test, _ in LEFT_OUT if not any(fnmatch.fnmatchcase(name, test) for name in run)] == []
