# SPDX-License-Identifier: BSD-3-Clause
# From a clone, with this folder in a repository of Spack's (packages/ktrace): spack dev-build ktrace@0.2.0
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Ktrace(MakefilePackage):
    """Records every BLAS and LAPACK call of a program, which is neither changed nor recompiled. Makes the same calls
    again, with their operands in cache and in memory, on the same library and on others."""

    license("BSD-3-Clause")

    version("0.2.0")

    variant("plot", default=False, description="Pictures of rooflines and libraries")
    variant("counters", default=False, description="Hardware counters by the names of libpfm4")

    requires("platform=linux")
    requires("target=x86_64:")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("elfutils")
    depends_on("jansson")
    depends_on("libarchive")
    depends_on("zstd")
    depends_on("sqlite")
    depends_on("hwloc")
    depends_on("protobuf-c")
    depends_on("otf2")
    depends_on("libpfm4", when="+counters")
    depends_on("gnuplot", type="run", when="+plot")

    @property
    def build_targets(self):
        return ["built", "manuals", "OTF2=yes", f"CC={spack_cc}"]

    @property
    def install_targets(self):
        return ["install", "OTF2=yes", f"CC={spack_cc}", f"PREFIX={self.prefix}"]
