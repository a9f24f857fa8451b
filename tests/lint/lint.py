# SPDX-License-Identifier: BSD-3-Clause
"""What the lints share: which files there are, what object files hold, and lines of TAP."""
import subprocess

failures = 0


def check(name, faults):
    global failures
    failures += bool(faults)
    print(f"{'not ok' if faults else 'ok'} - {name}")
    for fault in faults[:20]:
        print(f"#   {fault}")


def status():
    """Of the script: whether a check has failed."""
    return int(failures != 0)


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def sources(*patterns):
    return output_of("git", "ls-files", "--", *patterns).split()


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def symbols_of(paths):
    """Path, symbol and kind, of all symbols of these object files."""
    for line in output_of("nm", "--print-file-name", "--format=posix", *paths).splitlines():
        path, _, rest = line.partition(": ")
        yield path, *rest.split()[:2]
