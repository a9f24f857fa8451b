# SPDX-License-Identifier: BSD-3-Clause
# check: slow, 25 s
# The Debian package is made of what is built here: it holds what make install installs, and lintian has nothing to say.
# The recipes for Spack and conda can be read, and are of this version. make deb-test tries the package where it belongs.
. tests/lib.sh
version=$(sed -n 's/^VERSION *:= //p' Makefile)

# --- Spack and conda
true_that "Spack: the recipe compiles" "$PYTHON" -c 'compile(open("packaging/spack/package.py").read(), "package.py", "exec")'
has "Spack: this version" "^    version\\(\"$version\"\\)$" "$(<packaging/spack/package.py)"
true_that "conda: the script has no faults" sh -n packaging/conda/build.sh
if "$PYTHON" -c 'import yaml' 2>/dev/null; then
    recipe() { "$PYTHON" -c 'import sys, yaml; d = yaml.safe_load(open("packaging/conda/meta.yaml")); print(eval(sys.argv[1]))' "$1"; }
    same "conda: the recipe" "ktrace $version" "$(recipe 'd["package"]["name"] + " " + d["package"]["version"]')"
    same "conda: its source is the project" "$PWD" "$(realpath "packaging/conda/$(recipe 'd["source"]["path"]')")"
else skip "conda: the recipe" "python3-yaml is not installed"; fi

# --- Debian
for tool in dh dpkg-buildpackage git; do
    command -v $tool >/dev/null || { skip "a Debian package" "$tool is not installed"; exit $((failures != 0)); }
done
true_that "a Debian package" make -s deb-made O="$B" DEB="$T/deb"
deb=$T/deb/ktrace_${version}_amd64.deb
same "... of this version" "$version" "$(dpkg-deb -f "$deb" Version)"
true_that "make install" make -s install O="$B" DESTDIR="$T/root" PREFIX=/usr ZSH_DIR=/usr/share/zsh/vendor-completions
# Debian's own: its rules want manual pages packed, and a changelog, a copyright and what lintian is not to say.
in_package() { dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's|^\.||; s|\(/man1/.*\)\.gz$|\1|' | grep -v '/$' | grep -vxE '/usr/share/(doc/ktrace/(changelog\.gz|copyright)|lintian/overrides/ktrace)' | sort; }
same "it holds what make install installs" "" "$(diff <(cd "$T/root" && find . -type f -o -type l | sed 's/^\.//' | sort) <(in_package))"
needed=$(dpkg-deb -f "$deb" Depends | sed 's/ ([^)]*)//g')
for library in libarchive13 libc6 libdw1 libhwloc15 libjansson4 libprotobuf-c1 libsqlite3-0 libzstd1; do
    has "it depends on $library" "(^|, )$library(,|$)" "$needed"
done
dpkg-deb -x "$deb" "$T/unpacked"
same "its command runs" "ktrace $version" "$("$T/unpacked/usr/bin/ktrace" --version)"
true_that "... and finds its recorder" "$T/unpacked/usr/bin/ktrace" run -o "$T/none" -- true
if command -v lintian >/dev/null; then
    same "lintian has nothing to say" "" "$(make -s deb-lintian O="$B" DEB="$T/deb" 2>&1 | grep -E '^[EW]:|Error')"
else skip "lintian has nothing to say" "lintian is not installed"; fi
exit $((failures != 0))
