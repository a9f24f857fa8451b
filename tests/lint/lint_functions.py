# SPDX-License-Identifier: BSD-3-Clause
"""Function sizes: median at most 8 lines, 90th percentile at most 20, none over 45 (of tests: 80). No file of the product
has more than 500 lines. Printed as TAP.

A function begins at a line in column 0 that ends a head with ')' and is followed by '{' in column 0; its size counts
the lines between its braces. Generated code does not count, tests do.
"""
import subprocess
import sys

sizes, files = [], []
for path in subprocess.run(["git", "ls-files", "*.c", "*.h"], capture_output=True, text=True, check=True).stdout.split():
    lines = open(path, encoding="utf-8").read().split("\n")
    if not path.startswith("tests/"):
        files.append((len(lines) - 1, path))
    start = None
    for number, line in enumerate(lines):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            sizes.append((number - start - 1, f"{path}:{start}"))
            start = None
sizes.sort()
if not sizes:
    sys.exit("no functions found")
median = sizes[len(sizes) // 2][0]
tenth = sizes[len(sizes) * 9 // 10][0]
largest = sizes[-1]
longest = max(files)
largest_of_product = [size for size in sizes if not size[1].startswith("tests/")][-1]


def check(good, text):
    print(f"{'ok' if good else 'not ok'} - {text}")
    return good


fine = [
    check(median <= 8, f"median function of {len(sizes)}: {median} lines, at most 8"),
    check(tenth <= 20, f"90th percentile: {tenth} lines, at most 20"),
    check(largest_of_product[0] <= 45, f"largest outside of tests: {largest_of_product[0]} lines in {largest_of_product[1]}, at most 45"),
    check(longest[0] <= 500, f"longest file outside of tests: {longest[0]} lines, {longest[1]}, at most 500"),
    check(largest[0] <= 80, f"largest: {largest[0]} lines in {largest[1]}, at most 80"),
]
sys.exit(0 if all(fine) else 1)
