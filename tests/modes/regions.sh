# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 5 s
# Regions of R and Octave scripts: functions that are called in one have its name in the report, also those that fail, and all that
# is outside has none. Without ktrace a script does the same.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

# of each region, which routines the program called in it; "" is outside of all
named() {
    KTRACE_NESTED=none "$B/ktrace" run -o "$T/$1" -- "${@:2}" >"$T/$1.out" 2>&1
    "$B/ktrace" dump --json "$T/$1" | "$PYTHON" -c 'import json, sys
names = {}
for call in map(json.loads, sys.stdin):
    if call["depth"] == 0:
        names.setdefault(" > ".join(call.get("region") or []), set()).add(call["routine"])
print({name: sorted(names[name]) for name in sorted(names)})'
}
# share TRACE: is at least 95 % of the BLAS time in regions?
share() { "$B/ktrace" report --by region --json "$T/$1" | query 'sum(r["share"] for r in d["regions"] if len(r["path"]) == 1) >= 0.95'; }

if command -v Rscript >/dev/null; then
    cat >"$T/script.R" <<'END'
source("examples/ktrace.R")
a <- matrix(as.numeric(1:40000 * 7919 %% 1009), 200) + diag(200)
factors <- function(x) ktrace_region("factors", svd(x)$d)
d <- factors(a)
failed <- try(ktrace_region("fails", { crossprod(a); stop("no") }), silent = TRUE)
b <- ktrace_region("outer", ktrace_region("inner", a %*% a))
outside <- matrix(c(2, 1, 1, 3), 2) %*% diag(2)
cat(length(d), class(failed), dim(b), "\n")
END
    same "R: calls of each region" "{'': ['dgemm'], 'factors': ['dgesdd'], 'fails': ['dsyrk'], 'outer > inner': ['dgemm']}" \
        "$(named r Rscript "$T/script.R")"
    same "... by time" True "$(share r)"
    same "... the script does what it did, without ktrace too" "$(printf '200 try-error 200 200 \n%.0s' 1 2)" "$(cat "$T/r.out"; Rscript "$T/script.R")"
else skip "regions of R" "R is not installed (apt: r-base-core)"; fi

if command -v octave-cli >/dev/null; then
    cat >"$T/script.m" <<END
1;
addpath ("examples"); addpath ("$PWD/$B");
function [q, r] = factors (x)
  [q, r] = ktrace_region ("factors", @() qr (x));
end
a = reshape (mod ((1:40000) * 7919, 1009), 200, 200) + eye (200);
[q, r] = factors (a);
try
  ktrace_region ("fails", @() chol (-a * a'));
catch problem
  disp (problem.message);
end
b = ktrace_region ("outer", @() ktrace_region ("inner", @() a * a));
outside = [2, 1; 1, 3] * [1, 2; 3, 4];
disp ([size(q) size(r) size(b)]);
END
    same "Octave: calls of each region" "{'': ['dgemm'], 'factors': ['dgeqrf', 'dorgqr'], 'fails': ['dgemm', 'dpotrf'], 'outer > inner': ['dgemm']}" \
        "$(named octave octave-cli --norc --no-history "$T/script.m")"
    same "... by time" True "$(share octave)"
    same "... the script does the same without ktrace" "$(<"$T/octave.out")" "$(octave-cli --norc --no-history "$T/script.m" 2>&1)"
    has "... which is not nothing" '200 +200 +200 +200' "$(<"$T/octave.out")"
else skip "regions of Octave" "Octave is not installed (apt: octave)"; fi
exit $((failures != 0))
