# SPDX-License-Identifier: MIT
"""Selects the client that runs a call, and calls single operations. Owns each thread's default client. Used by _ops.py,
_pipe.py and __init__.py."""
from __future__ import annotations

import os
import threading
from typing import Any

from ._array import DeviceArray
from ._client import Client, Submitter
from ._jobs import Job, find_plan, keep_plan
from ._program import program_of, shown, step_text
from .errors import TooLarge

_local = threading.local()


def default_client() -> Client:
    """The client of this thread: opened at its first use, and again after a fork or a close."""
    client = getattr(_local, "client", None)
    if client is None or client._handle is None:
        client = _local.client = Client()
    return client


def client_for(client: Client | None, operands: Any) -> Client:
    """The client that was given, otherwise the client of an operand on the device, otherwise this thread's."""
    if client is not None:
        if not isinstance(client, (Client, Submitter)):
            raise TypeError(f"client={shown(client)}; it must be a gpufilter.Client, or None for this thread's")
        return client
    for operand in operands:
        if type(operand) is DeviceArray:
            return operand._client
    return default_client()


def call(op, client, inputs, values, out, channel_axis):
    """Runs one operation; the functions of _ops.py call it. A call that differs from an earlier one only in its data
    reuses the earlier plan."""
    client = client_for(client, inputs)
    plan, key = find_plan(op.name, values, inputs, out, channel_axis)
    if plan is not None:
        return client._run_job(lambda owner: plan.job(owner, [v for v in inputs if v is not None], out))
    refs, operands = [], []
    for input, value in zip(op.inputs, inputs):
        if value is None and input.optional:
            continue
        if operands:
            refs.append((input.name, f"@{len(operands)}"))
        operands.append(value)
    program = program_of(step_text(op, refs, values), True)

    def make(owner):
        job = Job(owner, program, operands, out, channel_axis)
        if key is not None:
            keep_plan(key, job, values, operands)
        return job

    try:
        return client._run_job(make)
    except (TypeError, ValueError, TooLarge) as error:
        if not (getattr(error, "unfit", False) or type(error) is TooLarge) or type(client) is not Client or \
                DeviceArray in map(type, inputs):
            raise
        refused = error
    from ._instead import instead
    made = instead(call, refused, op, client, program, inputs, values, out, channel_axis)
    if made is None:
        raise refused
    return made


def _after_fork():
    """In a child process: forget the parent's client."""
    global _local
    _local = threading.local()


os.register_at_fork(after_in_child=_after_fork)
