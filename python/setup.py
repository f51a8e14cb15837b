# SPDX-License-Identifier: MIT
"""Tags the wheel: it is for every Python 3, and for one platform where scripts/wheel has put the library inside. What
else there is to say is in pyproject.toml."""
import os
import sys

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpufilter")
LIBRARY = os.path.join(PACKAGE, "libgpufilterclient.so.0")
if not os.path.exists(os.path.join(PACKAGE, "_ops.py")):
    sys.exit(f"{PACKAGE}/_ops.py is missing; the build generates it: install the folder python/ of a build folder, "
             "such as build/cpu-only/python")


class Package(Distribution):
    def has_ext_modules(self):
        return os.path.exists(LIBRARY)


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(distclass=Package, cmdclass={"bdist_wheel": Wheel})
