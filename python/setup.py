# SPDX-License-Identifier: MIT
"""Says what a wheel adds that has programs inside, as scripts/wheel makes it: it is for every Python 3 of one platform,
and the licences of others apply, too. All else is in pyproject.toml."""
import os
import sys

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpufilter")
LICENCES = {
    "gpufilterd": "MIT AND BSD-3-Clause",  # libuv, inih
    "gpufilterd-worker-cuda": "MIT AND LicenseRef-NVIDIA-CUDA AND Apache-2.0 WITH LLVM-exception AND BSD-3-Clause",
}  # by the program
inside = [licence for program, licence in LICENCES.items() if os.path.exists(os.path.join(PACKAGE, program))]
if not inside and not os.path.exists(os.path.join(PACKAGE, "_ops.py")):
    sys.exit(f"{PACKAGE}/_ops.py is missing; the build generates it: install the folder python/ of a build folder, "
             "such as build/cpu-only/python")


class Package(Distribution):
    def has_ext_modules(self):
        return bool(inside)


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=Package, cmdclass={"bdist_wheel": Wheel}, license_expression=inside[0] if inside else "MIT")
