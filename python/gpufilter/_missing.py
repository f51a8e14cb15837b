# SPDX-License-Identifier: MIT
"""Names of another package that a module does not provide: calling them raises NotImplementedError and says what to use
instead. Used by ndimage.py and cv.py."""


def missing(module, table):
    """The functions __getattr__ and __dir__ of a module. `table` maps a reason, in which {0} is the name, to names
    separated by spaces."""
    why = {name: reason.format(name) for reason, listed in table.items() for name in listed.split()}

    def get(name):
        if name not in why:
            raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")

        def function(*_, **__):
            raise NotImplementedError(f"{name}: {why[name]}")

        function.__name__ = function.__qualname__ = name
        function.__doc__ = f"Not here: {why[name]}."
        return function

    return get, lambda: sorted([*module, *why])
