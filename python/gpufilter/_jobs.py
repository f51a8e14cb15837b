# SPDX-License-Identifier: MIT
"""A job: one program on arrays, as one request or, for a stack, one request per picture. Owns the arrays of its
operands and results until the last answer. Made and run by _client.py."""
import ctypes
import math
import sys

import numpy as np

from . import _views, errors
from ._array import DeviceArray
from ._library import RESIDENT, Result, View
from ._program import Input

WINDOW = 16  # most requests of a stack in flight
_ANY = Input("operand", "buffer", False, _views.WORDS)


class Request:
    """One request: what was passed to the library, and what must live until its answer."""

    __slots__ = ("job", "views", "results", "keep", "id")  # views are bytes, because they are only read

    def __init__(self, job, views, results, keep):
        self.job = job
        self.views, self.results = views, results
        self.keep = keep
        self.id = ctypes.c_uint64()


def _refuse_overlap(program, what, operand):
    name = program.operands[operand][1].name if program.own else f"operand {operand}"
    raise ValueError(f"{program.name}: out for {what.name} overlaps {name}; give other memory")


class Job:
    """The constructor checks the arguments and allocates memory for results, before anything is sent."""

    __slots__ = ("client", "program", "flying", "error", "done", "abandoned", "future", "given", "operands", "lead",
                 "shared", "found", "first", "count", "next", "shapes", "dtypes", "outputs", "residents")

    def __init__(self, client, program, values, out, channel_axis):
        self._begin(client, program, out is not None and out is not RESIDENT)
        self.operands = self._operands(values, channel_axis)
        self.lead = self.operands[0].lead if self.operands else ()
        self.count = math.prod(self.lead)
        # View and array of each operand that is the same in all requests.
        self.shared = [(o.resident, o.array) if o.resident is not None else
                       (None, None) if o.lead else _views.view_of(o.array, o.sides, o.channels) for o in self.operands]
        views, keep = self._views_at((0,) * len(self.lead))
        self.found, error = _views.infer(program, views)
        if error is not None:
            raise errors.from_struct(error, program.own)
        self._take_results(self.found, out)
        self.first = self._request((0,) * len(self.lead), views, keep)

    def _begin(self, client, program, given):
        self.client = client
        self.program = program
        self.given = given  # the caller gave memory for results
        self.flying = set()  # tokens of unanswered requests
        self.next = 0  # the next request to submit, of `count`
        self.error = self.future = None
        self.done = False
        self.abandoned = False  # the result is no longer wanted

    # ---- operands ----

    def _operands(self, values, channel_axis):
        operands = []
        for i, value in enumerate(values):
            op, input = self.program.operands.get(i, (None, _ANY))
            name = op.name if op else "operand"
            taken = None
            if type(value) is DeviceArray:
                taken = value._device_view(self.client)
            like = operands[0].dtype if operands else None
            operand = _views.operand_of(name, input, value, channel_axis, taken, like, self.program.takes_truth)
            if operand.lead and operands and operand.lead != operands[0].lead:
                raise ValueError(f"{name}: {input.name} is a stack of {operand.lead}; it must be one picture, or a stack like "
                                 f"the first input: {operands[0].lead or 'none'}")
            operands.append(operand)
        return operands

    def _views_at(self, index):
        views, keep = [], []
        for operand, (view, array) in zip(self.operands, self.shared):
            if view is None:
                view, array = _views.view_of(operand.array[index], operand.sides, operand.channels)
            views.append(view)
            keep.append(array)
        return views, keep

    # ---- requests ----

    def request(self, k):
        """The k-th request; made when it is submitted, because the pictures of a stack may have to be copied."""
        if k == 0:
            return self.first
        index = tuple(map(int, np.unravel_index(k, self.lead)))
        return self._request(index, *self._views_at(index))

    def _request(self, index, views, keep):
        results = [Result(self._result_view(k, self.found[k], index), w.output)
                   for k, w in enumerate(self.program.wanted)]
        return Request(self, bytes((View * len(views))(*views)), (Result * len(results))(*results), keep)

    # ---- results ----

    def _take_results(self, found, out):
        """An array for each result, the caller's or a new one; None if it stays on the device."""
        wanted = self.program.wanted
        given = [None] * len(wanted)
        stays = out is RESIDENT or any(o.resident is not None for o in self.operands)
        if stays and self.lead:
            raise ValueError(f"{self.program.name}: a stack of {self.lead} goes through the host; on the device arrays "
                             "have 1 or 2 axes, and one of channels")
        if out is not None and out is not RESIDENT:
            if len(wanted) > 1 and not isinstance(out, (tuple, list)):
                raise TypeError(f"{self.program.name}: out is a {type(out).__name__}; for {len(wanted)} results it is "
                                "a tuple of arrays or None")
            given = [out] if len(wanted) == 1 else out
        if len(given) != len(wanted):
            raise ValueError(f"{self.program.name}: out has {len(given)} arrays; there are {len(wanted)} results")
        self.shapes, self.dtypes, self.outputs, self.residents = [], [], [], [None] * len(wanted)
        place = self._place([o.array for o in self.operands if o.resident is None])
        for k, (what, shape_in, array) in enumerate(zip(wanted, found, given)):
            shape = _views.shape_of(what, shape_in, self.operands[0])
            dtype = _views.dtype_of(what, shape_in[2], self.operands[0])
            width, height, _, channels = shape_in
            if math.prod(shape) != width * height * channels:  # the daemon writes as much as the view says
                raise RuntimeError(f"{self.program.name}: {what.name} has {width}x{height}x{channels} elements, which "
                                   f"are no array of shape {shape}")
            self.shapes.append(shape)
            self.dtypes.append(dtype)
            if type(array) is DeviceArray:
                array._check_out(self.program.name, what.name, shape, dtype)
                self.residents[k], array = array, None
            elif array is not None:
                self._check_out(array, what, self.lead + shape, dtype)
            elif stays and what.form == "picture":
                self.residents[k] = RESIDENT
            else:
                array = place(self.lead + shape, dtype)
            self.outputs.append(array)

    def _place(self, arrays):
        """The allocator of memory for results: shared with the daemon if an operand's memory is."""
        for array in arrays:
            if self.client.owns(array):
                return self.client.empty
        return np.empty

    def _check_out(self, array, what, shape, dtype):
        name = self.program.name
        _views.check_out(name, array, what.name, shape, dtype)
        if what.form != "picture":
            if not array.flags.c_contiguous:
                raise ValueError(f"{name}: out for {what.name} has strides {array.strides}; it must lie without gaps")
        else:
            sides = self.operands[0].sides
            one = array[(0,) * len(self.lead)]
            _views.check_out_layout(name, what.name, one, sides, shape[-1] if one.ndim > sides else 0)
        for i, operand in enumerate(self.operands):
            if operand.resident is None and _views.overlap(array, operand.array):
                _refuse_overlap(self.program, what, i)
        for other in self.outputs:
            if other is not None and _views.overlap(array, other):
                raise ValueError(f"{name}: out for {what.name} overlaps another result")

    def _result_view(self, k, found, index):
        width, height, code, channels = found
        array, resident = self.outputs[k], self.residents[k]
        if resident is not None:
            return View(RESIDENT) if resident is RESIDENT else resident._device_view(self.client)
        if self.lead:
            array = array[index] if len(index) < array.ndim else array[index + (None,)]
        pitch = 0
        if not array.flags.c_contiguous and array.ndim > 1 and height > 1:
            pitch = array.strides[0]
        return View(_views.address_of(array), width, height, 0, pitch, 0, code, channels)

    # ---- afterwards ----

    def submitted(self, request):
        """The library has named the buffers of results that stay on the device."""
        for k, resident in enumerate(self.residents):
            if resident is RESIDENT:
                self.residents[k] = DeviceArray(self.client, request.results[k].view, self.shapes[k], self.dtypes[k],
                                                self.operands[0].sides)

    def value(self):
        """What the caller gets; raises what went wrong. To be called once."""
        error = self.error
        if error is None and len(self.outputs) == 1:
            made = self._made(0)
            self.clear()
            return made
        try:
            if error is not None:
                raise error
            return self._value()
        finally:
            self.clear()
            del error

    def clear(self):
        """Drops all references, so that no memory waits for the cycle collector."""
        self.first = self.shared = self.operands = self.outputs = self.residents = self.error = None

    def _value(self):
        made = [self._made(k) for k in range(len(self.outputs))]
        counts = [array for array, w in zip(made, self.program.wanted) if w.form == "values"]
        for k, what in enumerate(self.program.wanted):
            if what.form == "counted" and not self.given and counts:
                made[k] = made[k][..., :min(made[k].shape[-1], int(np.max(counts[0])))]
            elif what.form == "boxes" and not self.given and counts:
                made[k] = made[k][..., :min(made[k].shape[-2], int(np.max(counts[0]))), :]
        return self.program.result(*made) if self.program.result else tuple(made)

    def _made(self, k):
        array, resident = self.outputs[k], self.residents[k]
        if resident is not None:
            return resident
        return array[()] if not self.given and array.ndim == 0 else array


class Plan:
    """What is known of a job before its addresses are: made from the first job of its kind, so that the next one on
    arrays of the same shape, dtype and layout is checked by a table lookup."""

    __slots__ = ("program", "values", "views", "results", "results_type", "found")

    def __init__(self, job, values):
        request = job.first
        self.program = job.program
        self.values = values  # parameters of the call
        size, address = ctypes.sizeof(View), ctypes.sizeof(ctypes.c_void_p)
        self.views = [request.views[at + address:at + size] for at in range(0, len(request.views), size)]
        self.results, self.results_type = bytes(request.results), type(request.results)
        self.found = list(zip(job.shapes, job.dtypes))

    def job(self, client, values, out):
        job = Job.__new__(Job)
        job._begin(client, self.program, out is not None)
        views = b"".join([_views.address_of(array).to_bytes(8, sys.byteorder) + view
                          for view, array in zip(self.views, values)])
        results = self.results_type.from_buffer_copy(self.results)
        if out is None:
            place = job._place(values)
            job.outputs = [place(shape, dtype) for shape, dtype in self.found]
        else:
            job.outputs = [out]
            for i, array in enumerate(values):
                if _views.overlap(out, array):
                    _refuse_overlap(self.program, self.program.wanted[0], i)
        for result, array in zip(results, job.outputs):
            result.view.data = _views.address_of(array)
        job.residents = (None,) * len(self.found)
        job.count, job.first = 1, Request(job, views, results, values)
        return job


_plans: dict = {}


def find_plan(name, values, arrays, out, channel_axis):
    """The plan of a call like this one, and its key for keep_plan(); None if there is no plan yet, or can be none."""
    if channel_axis.__class__ not in (str, int, type(None)):
        return None, None
    key = [name, values, channel_axis]
    for array in arrays if out is None else (*arrays, out):
        if type(array) is np.ndarray:
            key += (array.shape, array.strides, array.dtype, array.flags.num)
        elif array is None:
            key.append(None)
        else:
            return None, None
    key = tuple(key)
    try:
        plan = _plans.get(key)
    except TypeError:  # a list of values
        return None, None
    if plan is not None and plan.values is not values:
        for now, then in zip(values, plan.values):
            if now is not then and (not all(now) if type(now) is tuple else not now):  # 0.0 equals -0.0
                return None, None
    return plan, key


def keep_plan(key, job, values, operands):
    """Keeps what is known after a job was made, if the next one needs no more."""
    if job.count == 1 and not job.lead and all(mine is given for mine, given in zip(job.first.keep, operands)):
        if len(_plans) >= 256:
            _plans.clear()
        _plans[key] = Plan(job, values)
