# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 20 s
# Functions of R (KTRACE_STACKS): each product below has an order of its own, which tells who made it.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1
if ! command -v Rscript >/dev/null; then skip "functions of R" "R is not installed"; exit 0; fi
cat >"$T/script.R" <<'END'
product <- function(n) { a <- matrix(1, n, n); a %*% a }
maker <- function() function(n) product_of(matrix(2, n, n))
product_of <- function(a) { force(a); a %*% a }
solve.own <- function(a, b) unclass(a) %*% unclass(a)
again <- function(n) if (n > 24) Recall(n - 1) else { a <- matrix(1, n, n); a %*% a }
reduced <- function(n) Reduce(`%*%`, list(matrix(1, n, n), matrix(1, n, n)))
lazy <- function(a) a
for (i in 1:5) product(20) # compiled after some calls
made <- maker()
print(sum(made(21)))
invisible(sapply(22, function(n) { a <- matrix(1, n, n); a %*% a }))
invisible(do.call("product", list(23)))
invisible(again(26))
invisible(reduced(25))
invisible(solve(structure(diag(27), class = "own")))
invisible(tryCatch(product(28), error = identity))
invisible(local({ a <- matrix(1, 29, 29); a %*% a }))
a <- matrix(1, 30, 30)
invisible(a %*% a)
invisible(lazy(matrix(1, 31, 31) %*% matrix(1, 31, 31)))
invisible(prcomp(matrix(sin(1:320), 32)))
invisible(base::solve(diag(33) + 1))
END
cat >"$T/who.py" <<'END'
import json, sys
who = {}
for call in map(json.loads, sys.stdin):
    if call["depth"] == 0 and call["symbol"] in ("dgemm_", "dsyrk_", "dgesdd_", "dgesv_"):
        a, source = call["args"], call.get("source")
        assert all(s["file"] is None and s["line"] is None for s in source or [])
        who.setdefault(a.get("m", a.get("n")), set()).add("<".join(s["function"] for s in source) if source else "-")
for n in sorted(who):
    print(n, *sorted(who[n]))
END
# recorded STACKS: who made which product
recorded() {
    "$B/ktrace" run --stacks "$1" -o "$T/$1" -- Rscript "$T/script.R" >"$T/said" 2>&1
    same "$1: the program runs as without" "$plain" "$(cat "$T/said")"
    "$B/ktrace" dump --json "$T/$1" | "$PYTHON" "$T/who.py" >"$T/who"
}
plain=$(Rscript "$T/script.R" 2>&1)
recorded lines
same "the innermost function of the program" "20 product
21 product_of
22 FUN
23 product
24 again
25 reduced
27 solve.own
28 product
29 (top level)
30 (top level)
31 lazy
32 prcomp
33 base::solve" "$(cat "$T/who")"
has "report: where" "^product in R +dgemm" "$("$B/ktrace" report "$T/lines")"
same "report --by line: functions, calls" "('product', 'R', None, 7)" \
     "$("$B/ktrace" report --json "$T/lines" | query 'next((c["function"], c["object"], c["line"], c["calls"]) for c in d["lines"] if c["function"] == "product")')"
recorded paths
same "with all that called it" "20 product
21 product_of<made
22 FUN<lapply<sapply
23 product<do.call
24 again<Recall<again<Recall<again
25 reduced
27 solve.own<solve
28 product
29 (top level)
30 (top level)
31 lazy
32 prcomp
33 base::solve" "$(cat "$T/who")"
recorded off
same "neither" "-" "$(cut -d' ' -f2 "$T/who" | sort -u)"
exit $((failures != 0))
