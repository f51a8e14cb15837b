# SPDX-License-Identifier: MIT
"""scipy.ndimage's figures of labelled parts. They are computed here, with numpy: one pass over the array costs less than
to send it. Used by ndimage.py, which has the names."""
import numpy as np

from ._arguments import input_of
from ._intake import asarray


class _Groups:
    """The samples that belong to labels. Without labels, all are one group; without an index, all of a label above 0."""

    def __init__(self, name, input, labels, index):
        array = input_of(name, input, "bec")
        if labels is None and index is not None:
            raise ValueError(f"{name}: index without defined labels; labels must be given with index={index!r}")
        self.name, self.index, self.shape = name, index, array.shape
        self.is_single = index is None or np.ndim(index) == 0
        if labels is not None:
            array, labels = np.broadcast_arrays(array, asarray(labels))
            self.shape = array.shape
        flat = array.reshape(-1)
        if labels is None:
            self.at = np.arange(flat.size)
        elif self.is_single:
            self.at = np.flatnonzero(labels > 0 if index is None else labels == index)
        if self.is_single:
            self.values, self.slot, self.n, self.which = flat[self.at], None, 1, 0
            return
        keys, which = np.unique(asarray(index), return_inverse=True)
        self.n, self.which = len(keys), which.reshape(np.shape(index))
        self.at, self.slot = _slots(keys, labels.reshape(-1))
        self.values = flat[self.at]

    def sums(self, values):
        """In float64, of whole numbers in a single group in their own kind."""
        if self.is_single:
            return values.sum(dtype=float if values.dtype.kind == "f" else None)
        return np.bincount(self.slot, values, self.n)

    def counts(self):
        return len(self.at) if self.is_single else np.bincount(self.slot, minlength=self.n)

    def given(self, figures):
        """A figure of each group as the index has them."""
        return figures if self.is_single else figures[self.which]

    def places(self, at):
        """Indices along each axis, of indices of the flattened array."""
        found = np.unravel_index(at, self.shape)
        if self.is_single:
            return tuple(int(i) for i in found)
        return [tuple(int(i) for i in place) for place in np.stack(found, -1)[self.which].reshape(-1, len(found))]

    def parts(self):
        """The samples of each group."""
        if self.is_single:
            return [self.values]
        order = np.argsort(self.slot, kind="stable")
        return np.split(self.values[order], np.cumsum(self.counts())[:-1])


def _slots(keys, labels):
    """The indices of the labels that are among the keys, which are in order, and their places there."""
    if not len(keys):
        return np.zeros(0, int), np.zeros(0, int)
    if keys.dtype.kind in "iu" and labels.dtype.kind in "iu" and int(keys[-1]) - int(keys[0]) <= 2 * labels.size:
        places = np.full(int(keys[-1]) - int(keys[0]) + 1, -1)
        places[keys - keys[0]] = np.arange(len(keys))
        at = np.flatnonzero((labels >= keys[0]) & (labels <= keys[-1]))
        slots = places[labels[at].astype(np.int64) - int(keys[0])]
        return at[slots >= 0], slots[slots >= 0]
    slots = np.minimum(np.searchsorted(keys, labels), len(keys) - 1)
    at = np.flatnonzero(keys[slots] == labels)
    return at, slots[at]


def sum_labels(input, labels=None, index=None):
    """The sum of the samples of each label."""
    return _sum("sum_labels", input, labels, index)


def sum(input, labels=None, index=None):
    """sum_labels by its older name."""
    return _sum("sum", input, labels, index)


def _sum(name, input, labels, index):
    groups = _Groups(name, input, labels, index)
    return groups.given(groups.sums(groups.values))


def _means(groups):
    return groups.sums(groups.values) / np.asarray(groups.counts(), float)


def mean(input, labels=None, index=None):
    """The mean of the samples of each label; NaN of none."""
    groups = _Groups("mean", input, labels, index)
    return groups.given(_means(groups))


def _variances(groups):
    means = _means(groups)
    distances = groups.values - (means if groups.is_single else means[groups.slot])
    return groups.given(groups.sums((distances * np.conj(distances)).real) / np.asarray(groups.counts(), float))


def variance(input, labels=None, index=None):
    """The mean squared distance of the samples of each label from their mean."""
    return _variances(_Groups("variance", input, labels, index))


def standard_deviation(input, labels=None, index=None):
    """The square root of the variance."""
    return np.sqrt(_variances(_Groups("standard_deviation", input, labels, index)))


def _least_and_greatest(groups):
    """The indices among a group's samples of the least and of the greatest. Of equal ones the first is the least; the
    greatest is the first of a single group and otherwise the last, as scipy has it."""
    if groups.is_single:
        if not groups.values.size:
            raise ValueError(f"{groups.name}: no sample has label {groups.index}; a minimum or maximum needs one")
        return groups.values.argmin(), groups.values.argmax()
    order = np.lexsort((groups.values, groups.slot))
    ends = np.cumsum(groups.counts())
    return order[np.minimum(ends - groups.counts(), len(order) - 1)], order[ends - 1]


def _extremes(name, input, labels, index):
    """The least, the greatest, and where they lie. Of a label without samples: 0, at the origin."""
    groups = _Groups(name, input, labels, index)
    if not groups.is_single and not groups.values.size:
        none = groups.given(np.zeros(groups.n, groups.values.dtype))
        places = groups.places(np.zeros(groups.n, int))
        return none, none, places, places
    made = []
    has = True if groups.is_single else groups.counts() > 0
    for which in _least_and_greatest(groups):
        at = np.where(has, groups.at[which], 0)
        figures = groups.values[which]
        made.append((figures if groups.is_single else groups.given(np.where(has, figures, 0).astype(figures.dtype)),
                     groups.places(at)))
    return made[0][0], made[1][0], made[0][1], made[1][1]


def minimum(input, labels=None, index=None):
    """The least sample of each label."""
    return _extremes("minimum", input, labels, index)[0]


def maximum(input, labels=None, index=None):
    """The greatest sample of each label."""
    return _extremes("maximum", input, labels, index)[1]


def minimum_position(input, labels=None, index=None):
    """The indices of the least sample of each label."""
    return _extremes("minimum_position", input, labels, index)[2]


def maximum_position(input, labels=None, index=None):
    """The indices of the greatest sample of each label."""
    return _extremes("maximum_position", input, labels, index)[3]


def extrema(input, labels=None, index=None):
    """The least and the greatest sample of each label, and their indices."""
    return _extremes("extrema", input, labels, index)


def median(input, labels=None, index=None):
    """The median of the samples of each label, of an even number the mean of both in the middle; NaN of none."""
    groups = _Groups("median", input, labels, index)
    if groups.is_single:
        return np.median(groups.values)
    order = np.lexsort((groups.values, groups.slot))
    counts = groups.counts()
    begins = np.cumsum(counts) - counts
    made, has = np.full(groups.n, np.nan), counts > 0
    values = groups.values[order].astype(float)
    made[has] = (values[begins[has] + (counts[has] - 1) // 2] + values[begins[has] + counts[has] // 2]) / 2
    return groups.given(made)


def center_of_mass(input, labels=None, index=None):
    """The mean of the indices of each label's samples, weighted by the samples."""
    groups = _Groups("center_of_mass", input, labels, index)
    total = groups.sums(groups.values)
    along = [groups.given(np.asarray(groups.sums(groups.values * i.astype(float)) / total))
             for i in np.unravel_index(groups.at, groups.shape)]
    if groups.is_single:
        return tuple(float(mass) for mass in along)
    return [tuple(place) for place in np.stack(along, -1).reshape(-1, len(along))]


def histogram(input, min, max, bins, labels=None, index=None):
    """The counts of the samples of each label in bins of equal width; a label without samples has None."""
    groups = _Groups("histogram", input, labels, index)
    edges = np.linspace(min, max, bins + 1)
    made = np.empty(groups.n, object)
    for k, part in enumerate(groups.parts()):
        made[k] = np.histogram(part, edges)[0] if part.size or index is None else None
    return made[0] if groups.is_single else groups.given(made)


def find_objects(input, max_label=0):
    """The smallest box that holds each label from 1 to max_label, or to the greatest: a tuple of slices, or None."""
    labels = input_of("find_objects", input, "b")
    if labels.dtype.kind == "f":
        raise TypeError(f"find_objects: input has dtype {labels.dtype}; labels must be whole numbers")
    at = np.flatnonzero(labels > 0)
    found = labels.reshape(-1)[at].astype(np.int64)
    count = int(max_label) if max_label > 0 else int(found.max(initial=0))
    at, found = at[found <= count], found[found <= count]
    order = np.argsort(found, kind="stable")
    present, begins = np.unique(found[order], return_index=True)
    boxes = [None] * count
    if len(present):
        bounds = [(np.minimum.reduceat(i[order], begins), np.maximum.reduceat(i[order], begins) + 1)
                  for i in (np.unravel_index(at, labels.shape) if labels.ndim else ())]
        for k, one in enumerate(present):
            boxes[one - 1] = tuple(slice(int(low[k]), int(high[k])) for low, high in bounds)
    return boxes
