#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Of conda's flags those that say where headers and libraries are: the recorder is built with the flags that it is tested with.
set -e
flags() { make -j"${CPU_COUNT:-1}" OTF2= CC="$CC" CPPFLAGS="-isystem $PREFIX/include" LDFLAGS="-L$PREFIX/lib -Wl,-rpath,$PREFIX/lib" PREFIX="$PREFIX" "$@"; }
flags built manuals
flags install
