# SPDX-License-Identifier: MIT
"""pipe(): a chain of calls, recorded as one request. The methods of a pipe are generated in _ops.py (Steps); they add a
step here, and _client.py runs it."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from . import _ops
from ._calls import client_for
from ._program import Op, program_of, step_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._array import DeviceArray
    from ._client import Client
    from ._futures import Future


class Pipe(_ops.Steps):
    """Steps on a picture or array. Each call adds a step and returns a new pipe; run() runs all steps as one request
    and returns only the last step's result."""

    def __init__(self, array: ArrayLike | DeviceArray | None, *, channel_axis: int | Literal["auto"] | None = "auto",
                 client: Client | None = None) -> None:
        self._operands, self._texts = (array,), ()
        self._channel_axis, self._client = channel_axis, client

    def _step(self, op: Op, others: tuple[Any, ...], values: tuple[Any, ...]) -> Pipe:
        operands, refs = self._operands, []
        for input, value in zip(op.inputs[1:], others):
            if value is not None:
                refs.append((input.name, f"@{len(operands)}"))
                operands += (value,)
        made = Pipe(None, channel_axis=self._channel_axis, client=self._client)
        made._operands, made._texts = operands, (*self._texts, step_text(op, refs, values))
        return made

    @property
    def text(self) -> str:
        """The program as text, which Client.run() also accepts."""
        return " | ".join(self._texts)

    def _program(self):
        if not self._texts:
            raise ValueError("the pipe has no steps; add one, as in pipe(picture).gaussian(2).run()")
        return program_of(self.text, False)

    def run(self, out: Any = None) -> Any:
        """Runs the steps and returns the last step's result."""
        client = client_for(self._client, self._operands)
        return client._work(self._program(), self._operands, out, self._channel_axis)

    def submit(self, out: Any = None) -> Future:
        """The same, but returns a Future at once."""
        client = client_for(self._client, self._operands)
        return client._submit(self._program(), self._operands, out, self._channel_axis)

    def __repr__(self) -> str:
        return f"<gpufilter.pipe {self.text!r}>"


def pipe(array: ArrayLike | DeviceArray | None, *, channel_axis: int | Literal["auto"] | None = "auto",
         client: Client | None = None) -> Pipe:
    """Begins a chain of operations on an array: pipe(picture).gaussian(2).sobel().histogram(64).run()."""
    return Pipe(array, channel_axis=channel_axis, client=client)
