# SPDX-License-Identifier: MIT
"""gpufilter.ndimage's morphology of masks, labels, figures of labels and distances, compared with scipy."""
import numpy as np
import pytest
from conftest import same, says
from gpufilter import ndimage

scipy_ndimage = pytest.importorskip("scipy.ndimage", reason="scipy, the package python3-scipy, is not installed")
rng = np.random.default_rng(8)
BINARY = ("binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes", "binary_hit_or_miss",
          "binary_opening", "binary_propagation", "generate_binary_structure", "iterate_structure")
FIGURES = ("center_of_mass", "extrema", "find_objects", "histogram", "maximum", "maximum_position", "mean", "median",
           "minimum", "minimum_position", "standard_deviation", "sum", "sum_labels", "variance")
REGIONS = ("distance_transform_edt", "label")
STEPPED = ("binary_closing", "binary_dilation", "binary_erosion", "binary_opening")
SHAPES = ((23,), (15, 17), (3, 4, 6))


def structures(n):
    """Usual ones, one without 4 or 8 neighbours, and one whose sides are even."""
    odd = np.zeros((3,) * n, bool)
    odd[(1,) * n] = odd[(0,) * n] = True
    return [None, np.ones((3,) * n, bool), odd, np.ones((2, 3, 1)[:n], bool)]


@pytest.mark.parametrize("name", STEPPED)
@pytest.mark.parametrize("shape", SHAPES)
def test_steps(name, shape):
    ours, theirs = getattr(ndimage, name), getattr(scipy_ndimage, name)
    mask, allowed = rng.random(shape) < 0.6, rng.random(shape) < 0.7
    for structure in structures(len(shape)):
        for options in ({"border_value": 1}, {"iterations": 3, "origin": [-1] + [0] * (len(shape) - 1)},
                        {"iterations": 2, "mask": allowed}, {"iterations": 0}, {"iterations": -1, "mask": allowed}):
            same(ours(mask, structure, **options), theirs(mask, structure, brute_force=True, **options))
    for array in (mask.astype("f8") * 0.5, mask.astype("i4") * 3):
        same(ours(array), theirs(array))
    out = np.full(shape, 7, "u2")
    assert ours(mask, output=out) is out and (out == theirs(mask)).all()
    assert ours(mask, output=np.int32).dtype == np.int32


def test_many_steps():
    """More of them than one request has."""
    mask = np.ones((3, 700), bool)
    same(ndimage.binary_erosion(mask, np.ones((1, 3)), 300), scipy_ndimage.binary_erosion(mask, np.ones((1, 3)), 300))
    for times in (255, 256, 511, 10**30, 10**30 + 1):
        assert ndimage.binary_erosion(mask, np.ones((1, 3)), times).any() == (times < 350)
        assert ndimage.binary_dilation(np.eye(9), iterations=times).all()
        assert ndimage.binary_dilation(np.eye(9), iterations=times, mask=np.ones((9, 9))).all()
    seed = np.zeros((40, 200), bool)
    seed[3, 5] = True
    assert ndimage.binary_dilation(seed, iterations=-1).all()


@pytest.mark.parametrize("shape, gaps", [((40,), [1, 0, 1]), ((4, 30), [[1, 0, 1]]), ((3, 2, 20), [[[1, 0, 1]]])])
def test_steps_that_come_again(shape, gaps):
    """A structure without its own pixel swaps every second pixel, for ever."""
    mask = np.indices(shape)[-1] % 2 == 1
    for allowed in (None, np.ones(shape)):
        for times in (1, 2, 255, 256, 767, 10**30, 10**30 + 1):
            same(ndimage.binary_erosion(mask, gaps, times, allowed, border_value=1), mask if times % 2 == 0 else ~mask)
    gaps = np.array([1, 0, 0, 0, 0, 1, 0], bool)  # 3 to the left and 2 to the right
    line = rng.random(60) < 0.97
    for times in (300, 1000, 10**5):
        same(ndimage.binary_erosion(line, gaps, times, border_value=1),
             scipy_ndimage.binary_erosion(line, gaps, times, border_value=1))


@pytest.mark.parametrize("shape", SHAPES)
def test_growth_in_a_mask(shape):
    n = len(shape)
    for density in (0.4, 0.7):
        mask, seeds = rng.random(shape) < density, rng.random(shape) < 0.05
        for structure in structures(n)[:-1]:
            same(ndimage.binary_fill_holes(mask, structure), scipy_ndimage.binary_fill_holes(mask, structure))
            for edge in (0, 1):
                same(ndimage.binary_propagation(seeds, structure, mask, border_value=edge),
                     scipy_ndimage.binary_propagation(seeds, structure, mask, border_value=edge))
        same(ndimage.binary_propagation(seeds), scipy_ndimage.binary_propagation(seeds))


def test_hit_or_miss():
    mask, other = rng.random((15, 17)) < 0.5, np.array([[1, 0, 0], [1, 0, 1]], bool)
    for options in ({}, {"structure1": other}, {"structure1": np.ones((3, 3))},
                    {"structure1": other, "structure2": ~other, "origin1": (0, 1)},
                    {"structure1": other, "structure2": ~other, "origin1": (0, 1), "origin2": (-1, 0)}):
        same(ndimage.binary_hit_or_miss(mask, **options), scipy_ndimage.binary_hit_or_miss(mask, **options))


def test_structures():
    for rank in range(4):
        for connectivity in range(5):
            same(ndimage.generate_binary_structure(rank, connectivity),
                 scipy_ndimage.generate_binary_structure(rank, connectivity))
    for structure in structures(2)[1:]:
        for steps in (2, 4):
            got, wanted = (m.iterate_structure(structure, steps, 1) for m in (ndimage, scipy_ndimage))
            same(got[0], wanted[0])
            assert got[1] == wanted[1]
        same(ndimage.iterate_structure(structure, 1, 1), scipy_ndimage.iterate_structure(structure, 1, 1))


def test_masks_refused():
    mask = np.ones((4, 5), bool)
    says(RuntimeError, "structure.ndim (1) must match len(axes) (2)", lambda: ndimage.binary_erosion(mask, np.ones(3)))
    says(RuntimeError, "structure must not be empty; it has shape (0, 3)",
         lambda: ndimage.binary_erosion(mask, np.ones((0, 3))))
    says(RuntimeError, "mask and input must have equal sizes; mask has (3,), input (4, 5)",
         lambda: ndimage.binary_dilation(mask, mask=np.ones(3)))
    says(TypeError, "iterations=1.5", lambda: ndimage.binary_closing(mask, iterations=1.5))
    says(TypeError, "binary_opening: input has dtype complex128", lambda: ndimage.binary_opening(mask + 0j))
    says(TypeError, "output has dtype complex128; it must not be complex",
         lambda: ndimage.binary_opening(mask, output=np.empty((4, 5), complex)))
    says(RuntimeError, "output has shape (3,)", lambda: ndimage.binary_opening(mask, output=np.empty(3)))
    says(NotImplementedError, "a window with sides of [256, 3]",
         lambda: ndimage.binary_erosion(mask, np.ones((256, 3))))
    assert ndimage.binary_erosion(np.ones((0, 3), bool)).shape == (0, 3)


# ---- labels ----

def test_labels_of_every_structure():
    """Numbers in scipy's order."""
    for shape in ((), (40,), (20, 30), (6, 9, 11), (3, 4, 5, 6)):
        n = len(shape)
        for density in (0.2, 0.45, 0.7):
            array = np.asarray(rng.random(shape) < density)
            some = rng.random((3,) * n) < 0.3
            symmetric = some | np.flip(some)
            for structure in (None, *(scipy_ndimage.generate_binary_structure(n, c) for c in range(1, n + 1)), symmetric):
                if n or structure is None:
                    got, wanted = (m.label(array, structure) for m in (ndimage, scipy_ndimage))
                    assert got[1] == wanted[1]
                    same(got[0], wanted[0])
    says(RuntimeError, "structure has shape (3,); structure and input must have equal rank",
         lambda: ndimage.label(np.ones((3, 3)), [1, 1, 1]))
    says(ValueError, "structuring element is not symmetric", lambda: ndimage.label(np.ones((3, 3)), np.tri(3)))


def test_a_long_spiral():
    """One part of many pieces in every layer."""
    layers = np.zeros((40, 3, 80), bool)
    layers[:, 0, ::2] = layers[0, 0] = layers[-1, :, ::4] = layers[:, 2, ::4] = True
    same(ndimage.label(layers)[0], scipy_ndimage.label(layers)[0])


@pytest.mark.parametrize("name", sorted(set(FIGURES) - {"find_objects", "histogram"}))
def test_figures(name):
    ours, theirs = getattr(ndimage, name), getattr(scipy_ndimage, name)
    for dtype in ("u1", "i4", "f8", "?"):
        values = rng.permutation(240).reshape(4, 6, 10).astype(dtype)  # no ties, of which scipy takes any
        labels = rng.integers(0, 5, values.shape)
        if dtype == "?" and name not in ("sum", "mean", "center_of_mass"):
            continue
        for args in ((), (labels,), (labels, 2), (labels, [3, 1, 1]), (labels, [[4, 2], [0, 1]]), (labels[0], [1, 2])):
            if name.endswith(("mass", "position", "extrema")) and args and np.ndim(args[-1]) == 2:
                continue  # scipy has no places for them
            got, wanted = ours(values, *args), theirs(values, *args)
            for a, b in zip(got, wanted) if name == "extrema" else ((got, wanted),):
                assert np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-12, atol=0)
    if name not in ("median", "center_of_mass", "extrema"):  # a label of no sample
        values = rng.permutation(240).reshape(4, 6, 10)
        with np.errstate(all="ignore"):
            assert np.allclose(ours(values, labels, [7, 1]), theirs(values, labels, [7, 1]), equal_nan=True)
    says(ValueError, f"{name}: index without defined labels", lambda: ours(values, None, 3))


def test_medians_and_extrema_of_nothing():
    values, labels = np.arange(6.0), np.array([1, 1, 1, 3, 3, 0])
    assert np.isnan(ndimage.median(values, labels, [2, 1])).tolist() == [True, False]
    assert ndimage.minimum(values, labels, [2, 1]).tolist() == [0, 0]
    says(ValueError, "minimum: no sample has label 2", lambda: ndimage.minimum(values, labels, 2))


def test_boxes_and_histograms():
    labels = rng.integers(0, 7, (5, 8, 9)) * (rng.random((5, 8, 9)) < 0.1)
    labels[labels == 4] = 0
    for most in (0, 3, 9):
        assert ndimage.find_objects(labels, most) == scipy_ndimage.find_objects(labels, most)
    assert ndimage.find_objects(np.zeros((3, 3), int)) == []
    says(TypeError, "labels must be whole numbers", lambda: ndimage.find_objects(np.ones(3)))
    values = rng.random(labels.shape) * 20
    for args in ((), (labels,), (labels, 2), (labels, 4)):
        got, wanted = (m.histogram(values, 0, 20, 5, *args) for m in (ndimage, scipy_ndimage))
        assert (got is None) == (wanted is None) and (got is None or (got == wanted).all())
    got, wanted = (m.histogram(values, 0, 20, 5, labels, [1, 4, 2]) for m in (ndimage, scipy_ndimage))
    assert [None if g is None else g.tolist() for g in got] == [None if w is None else w.tolist() for w in wanted]


# ---- distances ----

def test_sampling():
    for shape in ((40,), (23, 31)):
        mask = rng.random(shape) < 0.9
        mask.flat[0] = False
        for sampling in (0.7, [3] * len(shape)):
            got, wanted = (m.distance_transform_edt(mask, sampling) for m in (ndimage, scipy_ndimage))
            assert got.dtype == wanted.dtype and (np.abs(got - wanted) <= 4e-16 * wanted).all()
    says(NotImplementedError, "sampling=[1, 2]; pixels must be squares; on the host: scipy.ndimage.distance_transform",
         lambda: ndimage.distance_transform_edt(mask, [1, 2]))
    says(NotImplementedError, "input has 3 axes", lambda: ndimage.distance_transform_edt(mask[None]))
    says(NotImplementedError, "indices; only distances are available",
         lambda: ndimage.distance_transform_edt(mask, return_indices=True))
    says(RuntimeError, "at least one of return_distances/return_indices",
         lambda: ndimage.distance_transform_edt(mask, return_distances=False))
