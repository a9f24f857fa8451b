# SPDX-License-Identifier: BSD-3-Clause
# check: never
# The package of make deb in a minimal Debian 12: it installs with what it needs, records and replays a NumPy script there,
# completes, and goes without a trace. make deb-test runs this, as root: it downloads a Debian.
. tests/lib.sh
[ "$(id -u)" = 0 ] || { skip "the package in a minimal Debian" "needs root"; exit 0; }
version=$(sed -n 's/^VERSION *:= //p' Makefile)
deb=$PWD/$B/deb/ktrace_${version}_amd64.deb
true_that "there is a package (make deb)" test -e "$deb"
base=$PWD/$B/deb-base/minimal # deeper than where make looks for files *.d
root=$T/root
mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1)
if [ ! -e "$base/.ready" ]; then
    rm -rf "$base"
    mkdir -p "${base%/*}"
    true_that "a minimal Debian" debootstrap --variant=minbase bookworm "$base" ${mirror:+"$mirror"}
    find /etc/apt/apt.conf.d -name '99*' -exec cp {} "$base/etc/apt/apt.conf.d/" \;
    [ $failures = 0 ] && touch "$base/.ready"
fi
cp -a "$base" "$root"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"
mount -t devtmpfs dev "$root/dev"
trap 'umount -l "$root/proc" "$root/dev"' EXIT
inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive OPENBLAS_NUM_THREADS=1 sh -c "$1" </dev/null 2>&1; }
# What lists, caches and logs of apt and dpkg are, is theirs.
files() { (cd "$root" && find . -xdev \( -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log -o -path ./root -o -path ./tmp \) -prune -o -print | sort); }

true_that "NumPy" inside "apt-get -qq update && apt-get -qq install -y --no-install-recommends python3-numpy"
files >"$T/before"
cp "$deb" "$root/tmp/ktrace.deb"
true_that "the package installs" inside "apt-get -qq install -y --no-install-recommends /tmp/ktrace.deb"
same "its version" "ktrace $version" "$(inside "ktrace --version")"
cat >"$root/tmp/script.py" <<'END'
import numpy as np
a = np.eye(60) + 0.01 * np.ones((60, 60))
for _ in range(40):
    b = a @ a
    np.linalg.solve(a, b[0])
END
has "it records a NumPy script" "calls recorded in /tmp/numpy.t" "$(inside "ktrace run -o /tmp/numpy.t -- python3 /tmp/script.py")"
calls_of() { inside "ktrace report --json /tmp/numpy.t" | query "{r['routine']: r['calls_top'] for r in d['routines']}.get('$1')"; }
same "... with its 40 calls of dgesv" 40 "$(calls_of dgesv)"
has "... from the lines of the script" "script\.py:5 " "$(inside "ktrace report --by line /tmp/numpy.t")"
same "LD_PRELOAD finds the recorder by its name" 0 "$(inside "KTRACE_OUT=/tmp/preloaded.t LD_PRELOAD=libktrace.so python3 /tmp/script.py 2>/dev/null && ktrace check /tmp/preloaded.t >/dev/null; echo \$?")"
same "it replays" 0 "$(inside "ktrace replay --budget 2 /tmp/numpy.t >/dev/null 2>/tmp/err; echo \$?")"
same "bash completes" "report replay repro" "$(inside "bash -c '. /usr/share/bash-completion/completions/ktrace; COMP_WORDS=(ktrace rep); COMP_CWORD=1; _ktrace; echo \${COMPREPLY[*]}'")"
true_that "it goes" inside "apt-get -qq purge -y --auto-remove ktrace"
files >"$T/after"
same "... without a trace" "" "$(diff "$T/before" "$T/after")"
same "... dpkg knows nothing of it" "" "$(inside "dpkg-query -W ktrace 2>/dev/null; ls /var/lib/dpkg/info | grep ktrace")"
exit $((failures != 0))
