# SPDX-License-Identifier: MIT
# %% [markdown]
# # Operators of your own
# reduce and scan take any operator, written as expressions: `lift` turns an element into a state, `combine` two
# consecutive states into one, `finish` the last state into the result. Each operator is checked against plain
# Python. A notebook as a script: editors run it cell by cell.

# %%
import itertools
import math

import gpufilter as gf
import numpy as np

random = np.random.default_rng(7)

# %% [markdown]
# ## The point farthest from the origin
# A point is a pixel of three channels. A state is a point and its squared distance. Of two equally far
# points the earlier one stays.

# %%
points = random.normal(0, 10, (1, 20000, 3))
farthest = gf.reduce(points, "user",
                     lift="a[0], a[1], a[2], a[0]*a[0] + a[1]*a[1] + a[2]*a[2]",
                     combine="far = b3 > a3; select(far, b0, a0), select(far, b1, a1), select(far, b2, a2), max(a3, b3)",
                     finish="a0, a1, a2")
assert tuple(farthest.ravel()) == max(map(tuple, points[0].tolist()), key=lambda p: p[0]**2 + p[1]**2 + p[2]**2)
print("farthest point:", *farthest.ravel().round(3))

# %% [markdown]
# ## The logarithm of a sum of exponentials
# exp(800) exceeds the range of f64. A state is the greatest element m and the sum of exp(x - m).

# %%
scores = random.normal(800, 20, 5000)
logsumexp = gf.reduce(scores, "user", lift="a, 1.0",
                      combine="m = max(a0, b0); m, a1*exp(a0 - m) + b1*exp(b0 - m)",
                      finish="a0 + log(a1)")
top = scores.max()
assert math.isclose(logsumexp, top + math.log(math.fsum(math.exp(v - top) for v in scores.tolist())), rel_tol=1e-14)
print("log of the sum of exponentials:", logsumexp)

# %% [markdown]
# ## Mean and variance in one pass
# Welford's method in the form of Chan, Golub and LeVeque: count, mean, and the sum of squared distances from it. With
# axis="rows" there is a result for every row.

# %%
rows = random.normal(1e6, 0.5, (20, 3000))
moments = gf.reduce(rows, "user", axis="rows", lift="1.0, a, 0.0",
                    combine="n = a0 + b0; delta = b1 - a1; n, a1 + delta*b0/n, a2 + b2 + delta*delta*a0*b0/n",
                    finish="a1, a2/(a0 - 1)")
for row, (mean, variance) in zip(rows.tolist(), moments.reshape(20, 2).tolist()):
    exact = math.fsum(row) / len(row)
    assert math.isclose(mean, exact, rel_tol=1e-15)
    assert math.isclose(variance, math.fsum((v - exact)**2 for v in row) / (len(row) - 1), rel_tol=1e-9)
print("mean and variance of row 0:", *moments.reshape(20, 2)[0])

# %% [markdown]
# ## Products of 2 x 2 matrices, and all prefixes
# The operator does not commute, and the order is kept. scan gives every prefix: here the Fibonacci numbers.

# %%
steps = np.tile(np.array([1, 1, 1, 0], np.int64), (1, 60, 1))
product = "a0*b0 + a1*b2, a0*b1 + a1*b3, a2*b0 + a3*b2, a2*b1 + a3*b3"
prefixes = gf.scan(steps, "user", lift="a[0], a[1], a[2], a[3]", combine=product)
fibonacci = [0, 1]
while len(fibonacci) < 62:
    fibonacci.append(fibonacci[-2] + fibonacci[-1])
assert prefixes[0, :, 1].tolist() == fibonacci[1:61] and prefixes[0, :, 0].tolist() == fibonacci[2:]
print("Fibonacci's number 60:", prefixes[0, -1, 1])

# %% [markdown]
# ## The longest run of ones
# A state is a stretch: the ones at its start, at its end, the longest run inside, and its length.

# %%
bits = (random.random(100000) < 0.9).astype(np.uint8)
longest = gf.reduce(bits, "user", lift="a, a, a, 1",
                    combine="select(a0 == a3, a3 + b0, a0), select(b1 == b3, b3 + a1, b1), "
                            "max(a2, b2, a1 + b0), a3 + b3",
                    finish="a2")
assert longest == max(len(list(run)) for bit, run in itertools.groupby(bits.tolist()) if bit == 1)
print("longest run of ones:", longest)

# %% [markdown]
# ## Where the light is
# An expression may also use the element's x and y: here for the centre of brightness of a picture.

# %%
y, x = np.mgrid[:200, :300]
spot = np.exp(-((x - 210.25)**2 + (y - 64.5)**2) / 200).astype(np.float32)
centre = gf.reduce(spot, "user", lift="f64(a)*x, f64(a)*y, f64(a)", combine="a0 + b0, a1 + b1, a2 + b2",
                   finish="a0/a2, a1/a2")
assert np.allclose(centre.ravel(), (210.25, 64.5), atol=1e-4)
print("centre of brightness:", *centre.ravel().round(3))
