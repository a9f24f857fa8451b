# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 5 s
# The workloads of examples: small, readable, with a verdict and a row of their page, and nothing of whoever made them.
. tests/lib.sh
kt=$B/ktrace
corpus=examples/workloads
page=$(<$corpus/README.md)
libraries='len(d["verdict"]["libraries"]) if d["verdict"] else 0'
for file in "$corpus"/*.ktw; do
    [ -e "$file" ] || { skip "workloads" "there are none: make workloads"; break; }
    name=$(basename "$file" .ktw)
    "$kt" distill --show --json "$file" >"$T/shown"
    same "$name: check finds nothing" 0 "$("$kt" check "$file" >/dev/null 2>&1; echo $?)"
    same "$name: at most 100 KB" True "$([ "$(stat -c %s "$file")" -le 102400 ] && echo True)"
    same "$name: a verdict of two libraries" 2 "$(query "$libraries" <"$T/shown")"
    same "$name: no path of a computer" "" "$(grep -oE '"[^"]*/(usr|home|root|tmp|work|opt|lib)/[^"]*"' "$T/shown")"
    has "$name: a row of README.md" "^\| \[$name\]\($name\.ktw\) \|" "$page"
done
