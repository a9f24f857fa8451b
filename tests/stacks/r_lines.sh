# SPDX-License-Identifier: BSD-3-Clause
# check: fast, 25 s
# Lines of R (KTRACE_STACKS), where R keeps sources. Each product below has an order of its own. The matrix comes from
# mark(), which asks R for its caller's line, and logs it: `ORDER FILE:LINE`. The trace must say the same.
. tests/lib.sh
export KTRACE_QUIET=1 OPENBLAS_NUM_THREADS=1 PLACES=$T/places SECOND=$T/second.R
if ! command -v Rscript >/dev/null; then skip "lines of R" "R is not installed"; exit 0; fi
cat >"$T/kinds.R" <<'END'
places <- file(Sys.getenv("PLACES"), "w")
mark <- function(n) {
  call <- sys.call()
  writeLines(paste0(n, " ", utils::getSrcFilename(call), ":", utils::getSrcLocation(call, "line")), places)
  matrix(1, n, n)
}
plain <- function(n) {
  m <- mark(n); m %*% m
}
loops <- function(n) {
  for (i in 1:3) {
    m <- mark(n); m %*% m
  }
  while (i < 5) {
    i <- i + 1
    m <- mark(n + 1); m %*% m
  }
  repeat {
    if (i == 5) {
      m <- mark(n + 2); m %*% m
    } else if (i == 6) {
      m <- mark(n + 3); m %*% m
    } else break
    i <- i + 1
  }
  for (i in 1:2)
    plain(n + 4)
}
maker <- function(n) {
  made <- function() {
    m <- mark(n); m %*% m
  }
  made
}
again <- function(n) {
  if (n > 30) return(Recall(n - 1))
  m <- mark(n); m %*% m
}
solve.own <- function(a, ...) {
  m <- mark(31); m %*% m
}
setGeneric("area", function(x) standardGeneric("area"))
setClass("sheet", representation(n = "numeric"))
setMethod("area", "sheet", function(x) {
  m <- mark(x@n); sum(m %*% m)
})
timed <- function(code) {
  before <- proc.time()
  code
  proc.time() - before
}
leaving <- function(n) {
  on.exit({
    m <- mark(n); m %*% m
  })
  invisible(n)
}
default <- function(m = {
                      m <- mark(34); m %*% m
                    }) {
  force(m)
}
inside <- function(n) {
  tryCatch({
    m <- mark(n); m %*% m
  }, error = function(e) stop(e))
  withCallingHandlers({
    m <- mark(n + 1); m %*% m
  }, warning = identity)
  tryCatch(stop("x"), error = function(e) {
    m <- mark(n + 2); m %*% m
  }, finally = {
    m <- mark(n + 3); m %*% m
  })
  timed({
    m <- mark(n + 4); m %*% m
  })
  suppressWarnings(local({
    m <- mark(n + 5); m %*% m
  }))
  eval(quote({
    m <- mark(n + 6); m %*% m
  }))
  switch("b", a = 1, b = {
    m <- mark(n + 7); m %*% m
  })
}
unbraced <- function(n)
  mark(n) %*%
    mark(n)
after_block <- function() {
  if ({ TRUE })
    timed({ m <- mark(59); m %*% m })
  NULL
}
for (round in 1:4) { # compiled from the third one on
  plain(20)
  loops(21)
  made <- maker(26); made()
  again(32)
  solve(structure(list(), class = "own"))
  area(new("sheet", n = 32))
  default()
  leaving(35)
  unbraced(36)
  inside(40)
  sapply(50, function(n) {
    m <- mark(n); sum(m %*% m)
  })
  Map(function(n) {
    m <- mark(n); m %*% m
  }, 51)
  do.call(plain, list(52))
  do.call("plain", list(53))
  timed({
    m <- mark(54); m %*% m
  })
  m <- mark(55); m %*% m
  after_block()
}
m <- mark(56); m %*% m
local({
  m <- mark(57); m %*% m
})
with(list(n = 58), {
  m <- mark(n); m %*% m
})
source(Sys.getenv("SECOND"))
close(places)

# Without lines: no source is kept; whose argument it is has returned.
eval(parse(text = "hidden <- function(n) { m <- matrix(1, n, n); m %*% m }", keep.source = FALSE))
for (i in 1:3) hidden(70)
held <- function(code) function() code
hold <- function() {
  held({
    m <- matrix(1, 71, 71); m %*% m
  })
}
kept <- hold()
kept()
END
cat >"$T/second.R" <<'END'
m <- mark(60); m %*% m

for (i in 1:3) {
  m <- mark(61); m %*% m
}
second <- function(n) {

  m <- mark(n); m %*% m
}
compiled <- compiler::cmpfun(second)
compiled(62)
END
cat >"$T/where.py" <<'END'
import json, os.path, sys
where = {}
for call in map(json.loads, sys.stdin):
    if call["depth"] == 0 and call["symbol"] in ("dgemm_", "dsyrk_"):
        place = lambda s: "%s:%s" % (os.path.basename(s["file"]), s["line"]) if s["file"] else s["function"]
        n = call["args"].get("m", call["args"].get("n"))
        where.setdefault(n, set()).add("<".join(map(place, call["source"][:int(sys.argv[1])])))
for n in sorted(where):
    print(n, *sorted(where[n]))
END
# recorded STACKS DEPTH COMMAND...: where each product was made, by the innermost DEPTH places
recorded() {
    local stacks=$1 depth=$2
    shift 2
    rm -rf "$T/t"
    "$B/ktrace" run --stacks "$stacks" -o "$T/t" -- "$@" >/dev/null 2>&1 || not_ok "recording" "status $?"
    "$B/ktrace" dump --json "$T/t" | "$PYTHON" "$T/where.py" "$depth" >"$T/got"
}
sourced="options(keep.source = TRUE); source('$T/kinds.R')"
for jit in 0 3; do
    for stacks in lines paths; do
        R_ENABLE_JIT=$jit recorded $stacks 1 Rscript -e "$sourced"
        same "$stacks, compiler $jit: the lines that R logged" "$(sort -u "$PLACES")" "$(sed '/^7/d' "$T/got")"
        same "$stacks, compiler $jit: functions where lines are not known" "70 hidden
71 kept" "$(sed -n '/^7/p' "$T/got")"
    done
done
same "kinds of callers" 34 "$(sort -u "$PLACES" | wc -l)"
recorded lines 1 Rscript -e "$sourced"
has "report: where" "^kinds.R:8 +plain +R" "$("$B/ktrace" report --top 100 --by line "$T/t")"
same "report --by line" "('plain', 'R', 8, 16)" \
     "$("$B/ktrace" report --json "$T/t" | query 'next((c["function"], c["object"], c["line"], c["calls"]) for c in d["lines"] if c["function"] == "plain")')"
recorded paths 9 Rscript -e "$sourced"
same "paths" "25 kinds.R:8<kinds.R:26<kinds.R:98
30 kinds.R:37<Recall<kinds.R:36<Recall<kinds.R:36<kinds.R:100
44 kinds.R:76<kinds.R:106
50 kinds.R:108<lapply<sapply<kinds.R:107
61 second.R:4<kinds.R:128
62 second.R:8<second.R:11<kinds.R:128" "$(grep -E '^(25|30|44|50|61|62) ' "$T/got")"
recorded lines 1 Rscript -e "source('$T/kinds.R')"
same "sources that are not kept" "20 plain" "$(sed -n '/:[0-9]/p; /^20 /p' "$T/got")"
sed '1i options(keep.source = TRUE)' "$T/kinds.R" >"$T/console.R"
recorded lines 1 Rscript "$T/console.R"
same "a console's input has no lines" "20 plain
60 second.R:1
70 hidden" "$(grep -E '^(20|60|70) |console' "$T/got")"
exit $((failures != 0))
