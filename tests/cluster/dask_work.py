# SPDX-License-Identifier: MIT
"""Runs on the machine `client` for test_dask.py, with the Python that has Dask: a scheduler, and work for the workers
of the nodes. usage: dask_work.py tiles|scale ADDRESS FILE [TASKS]; prints the results as JSON. FILE names the processes
of each node; the last node is killed at the end of `tiles`."""
import json
import os
import signal
import sys
import time

import dask
import dask.array as da
import gpufilter as gf
import numpy as np
from distributed import Client, LocalCluster, futures_of
from gpufilter import dask as tiled

from nodes import WAIT

TEXTS = (("u1", "gaussian sigma=3 | sobel"), ("f4", "gaussian sigma=2,4 border=wrap"), ("u1", "box size=31x7 border=wrap"),
         ("f4", "unsharp sigma=2 amount=3"), ("u1", "log sigma=1.5 dtype=i16"), ("f4", "correlate mask='1 2 3; 4 5 6' size=valid"),
         ("u1", "gaussian sigma=1 | gaussian sigma=4 | combine src=#1 other=#2 mode=absdiff"),
         ("f4", "laplacian connectivity=8 border=reflect | box size=9 border=constant border_value=2"))
CONTROLS = [TEXTS[k] for k in (1, 2, 3, 7)]  # programs whose results depend on the farthest pixels of the halo
ROWS, COLUMNS = 400, 600  # 4 x 6 tiles of 100 x 100


def differ(got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        return -1
    return int((np.ascontiguousarray(got).view(np.uint8) != np.ascontiguousarray(want).view(np.uint8)).sum())


def pictures():
    random = np.random.default_rng(1)
    return {"u1": random.integers(0, 256, (ROWS, COLUMNS), dtype=np.uint8),
            "f4": random.normal(0, 50, (ROWS, COLUMNS)).astype("f4")}


def tiles():
    """The numbers of different bytes: of tiles, of controls with a halo one pixel smaller, of merged results."""
    arrays = pictures()
    cut = {name: da.from_array(a, chunks=(100, 100)) for name, a in arrays.items()}
    whole = [gf.run(text, arrays[name]) for name, text in TEXTS]
    made = dask.compute(*[tiled.map_tiles(cut[name], text) for name, text in TEXTS])
    found = {"tiles": {text: differ(a, b) for (_, text), a, b in zip(TEXTS, made, whole)}}
    told = tiled.reach_of
    tiled.reach_of = lambda *a: (told(*a)[0]._replace(above=told(*a)[0].above - 1), None)
    # Under other names, since a scheduler that has not yet forgotten a result of the same name would return that result.
    other = {name: da.from_array(a, chunks=(100, 100), name=f"control-{name}") for name, a in arrays.items()}
    small = dask.compute(*[tiled.map_tiles(other[name], text) for name, text in CONTROLS])
    tiled.reach_of = told
    found["too small"] = {text: differ(a, gf.run(text, arrays[name])) for (name, text), a in zip(CONTROLS, small)}
    rows = da.from_array(arrays["f4"].reshape(-1), chunks=4096 * 6)
    texts = ("reduce", "reduce op=mean", "reduce op=std", "reduce op=argmax", "histogram bins=99 lo=-99 hi=99", "stats")
    merged = dask.compute(*[tiled.reduction(rows, text) for text in texts])
    found["merged"] = {text: repr(a) == repr(gf.run(text, arrays["f4"].reshape(-1))) for text, a in zip(texts, merged)}
    return found


def kill(pids):
    """Kills a node, with its worker and daemon, when a third of the tiles is done."""
    (name, text), arrays = TEXTS[1], pictures()
    made = tiled.map_tiles(da.from_array(arrays[name], chunks=(50, 50)), text).persist()
    parts, done, end = futures_of(made), 0, time.monotonic() + WAIT
    while done < len(parts) // 3:
        assert time.monotonic() < end, "no third of the tiles within %g s" % WAIT
        time.sleep(0.002)
        done = sum(p.done() for p in parts)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return {"done": done, "of": len(parts), "differ": differ(made.compute(), gf.run(text, arrays[name]))}


def scale(client, tasks):
    """Tasks per second with one worker and with all; a task takes the time of the stand-in device."""
    workers = list(client.scheduler_info(n_workers=-1)["workers"])
    picture, found = pictures()["u1"][:64, :64].copy(), {}
    for some in (workers[:1], workers):
        client.gather([client.submit(gf.run, "sobel", picture, workers=[w], pure=False) for w in some])  # connected
        begin = time.monotonic()
        client.gather([client.submit(gf.run, "sobel", picture, workers=some, pure=False)
                       for _ in range(tasks * len(some))])
        found[len(some)] = tasks * len(some) / (time.monotonic() - begin)
    return found


def main():
    what, address, path = sys.argv[1:4]
    with open(path, encoding="utf-8") as f:
        nodes = json.load(f)
    with LocalCluster(n_workers=0, host=address, scheduler_port=8786, dashboard_address=None, silence_logs=False) as \
            cluster, Client(cluster) as client:
        client.wait_for_workers(len(nodes), timeout=WAIT)
        found = {**tiles(), "killed": kill(nodes[-1])} if what == "tiles" else scale(client, int(sys.argv[4]))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
