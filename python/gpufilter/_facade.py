# SPDX-License-Identifier: MIT
"""Modules with the names of another package, whose functions are in several files. Used by ndimage.py and cv.py."""
import functools
import importlib

from ._intake import warn_caller


class FallbackWarning(UserWarning):
    """A function of another package computed what the function of its name here refuses."""


class Lacking(NotImplementedError, AttributeError):
    """A constant of the other package that is not here; hasattr() is False."""


# Numpy's names of reductions, by ours.
_REDUCTIONS = {"sum": "sum", "prod": "product", "min": "min", "amin": "min", "max": "max", "amax": "max",
               "argmin": "argmin", "argmax": "argmax", "mean": "mean", "average": "mean", "std": "std", "var": "var",
               "count_nonzero": "count", "any": "any", "all": "all"}
# Numpy's and scipy's names of operations, by ours.
_OPERATIONS = {"cumsum": "scan", "cumprod": "scan", "nonzero": "select",
               "flatnonzero": "select", "einsum": "matmul", "blur": "box", "filter2D": "correlate", "invert": "map",
               "zoom": "resize", "where": "expr"}


def hint(name, names):
    """What a name that the package lacks may have meant, as the rest of a sentence; `names` are those that it has."""
    import difflib
    import importlib
    if name in _REDUCTIONS:
        return f"; did you mean gpufilter.reduce(array, {_REDUCTIONS[name]!r})?"
    if name in _OPERATIONS:
        return f"; did you mean gpufilter.{_OPERATIONS[name]}?"
    if name in ("cv", "dask", "ndimage"):
        return f": it is a module of its own, import gpufilter.{name}"
    found = []
    for module in ("ndimage", "cv"):
        public = vars(importlib.import_module(f"{__package__}.{module}"))
        found += [f"gpufilter.{module}.{name}"] if callable(public.get(name)) else []
    found += [f"gpufilter.{near}" for near in difflib.get_close_matches(name, names, 1)]
    return f"; did you mean {' or '.join(found[:2])}?" if found else ""


def adopt(module, prefix):
    """Functions from files that begin with the prefix get the module's name, which help() shows and pickle stores."""
    for value in module.values():
        if (getattr(value, "__module__", None) or "").startswith(prefix):
            value.__module__ = module["__name__"]


def missing(module, table):
    """The functions __getattr__ and __dir__ of a module, for names that it does not provide: calling one raises
    NotImplementedError and says what to use instead. `table` maps a reason, in which {0} is the name, to names
    separated by spaces; WARP_* stands for all constants that begin with WARP_, which raise Lacking when they are
    read."""
    every = {name: reason for reason, listed in table.items() for name in listed.split()}
    why = {name: reason.format(name) for name, reason in every.items() if not name.endswith("*")}
    families = {name[:-1]: reason for name, reason in every.items() if name.endswith("*")}

    def get(name):
        for prefix, reason in families.items():
            if name.startswith(prefix):
                raise Lacking(f"{name}: {reason.format(name)}")
        if name not in why:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")

        def function(*_, **__):
            raise NotImplementedError(f"{name}: {why[name]}")

        function.__module__, function.__name__, function.__qualname__ = module["__name__"], name, name
        function.__doc__ = f"Not here: {why[name]}."
        return function

    return get, lambda: sorted([*module, *why])


def with_fallback(module, other):
    """The module's functions, and those that are missing, refer to the module named `other` for what they refuse. With
    fallback = True in the module they call that module instead, and warn once for each function. Returns a function
    that puts the module's functions in the place of the other's, with fallback = True."""
    warned, replaced = set(), {}

    def guarded(name, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            try:
                return function(*args, **kwargs)
            except (NotImplementedError, TypeError, ValueError, RuntimeError) as error:
                if "nan" in kwargs:  # no other module has this keyword
                    raise
                if not module["fallback"]:
                    if type(error) is NotImplementedError and other not in str(error):
                        raise NotImplementedError(f"{error}; on the host: {other}.{name}") from None
                    raise
                theirs = replaced.get(name) or getattr(importlib.import_module(other), name)
                made = theirs(*args, **kwargs)
                if name not in warned:
                    warned.add(name)
                    warn_caller(f"{other} computes this: {error}", FallbackWarning)
                return made
        return call

    def replace():
        package, module["fallback"] = importlib.import_module(other), True
        for name in module["__all__"]:
            replaced.setdefault(name, getattr(package, name))
            setattr(package, name, module[name])

    for name in module["__all__"]:
        module[name] = guarded(name, module[name])
    missing_function = module["__getattr__"]
    module["__getattr__"] = lambda name: guarded(name, missing_function(name))
    return replace
