# SPDX-License-Identifier: BSD-3-Clause
"""One routine: its arguments in the notation of the routine table."""
import re

from importer.expression import (NotUnderstood, Parser, choose, has_abs, mentions, negate, packed_order, show,
                                 vector_of, without_max1)
from importer.fortran import REAL_OF
from importer.scope import describe_scope, leading_dimensions, learn_counts, learn_from_text, learn_locals
from importer.wording import bounds, dimension_list, dimension_texts, is_work, unreferenced_when

USUAL_LETTERS = {"trans": "NTC", "uplo": "UL", "side": "LR", "diag": "NU"}


class Describer:
    """Arguments of one routine in the table's notation."""

    def __init__(self, routine, returned):
        self.routine = routine
        self.returned = returned
        self.scope = describe_scope(routine)
        learn_counts(routine, self.scope)
        learn_locals(routine, self.scope)
        self.ld = leading_dimensions(routine)
        self.args = {a.name: a for a in routine.args}
        self.type = self.own_type()
        self.notes = []

    def own_type(self):
        """T: the type that the name stands for, or what the arrays have."""
        name = self.routine.name
        kinds = [a.type for a in self.routine.args if a.type in REAL_OF] + [self.routine.result]
        for pattern, kind in (("s[c]", "C"), ("d[z]", "Z"), ("c[s]", "C"), ("z[d]", "Z")):
            if re.match(pattern, name) and kind in kinds and re.fullmatch(r"(sc|dz)sum1|(cs|zd)rscl", name):
                return kind
        for letter in name[:4]:
            if letter in "sdcz" and (letter.upper() in kinds or letter == name[0]):
                return letter.upper()
        return "D"

    def type_suffix(self, kind):
        if kind == self.type:
            return ""
        if kind in "IL":
            return ":I"
        return ":R" if kind == REAL_OF[self.type] else f":{kind}"

    def line(self):
        parts = [self.argument(a) for a in self.routine.args]
        if self.routine.result:
            kind = self.routine.result
            kind = "I" if kind == "L" else kind
            parts.append("-> " + ("T" if kind == self.type else (self.type_suffix(kind) or ":T")[1:]))
        return " ".join(parts)

    def argument(self, a):
        if a.type == "FUN" or a.type is None or (a.type == "L" and re.search(r"(?i)\b(logical )?function of", a.text)):
            return f"fun:{a.name}"
        if a.type == "CHAR":
            return self.option(a)
        if a.dims is not None:
            return self.array(a)
        if a.name == "info" and a.type == "I" and a.direction != "in":
            return "info:info"
        if a.direction != "in" and (a.name not in self.scope or a.type == "L"):
            return f"{'out' if a.direction == 'out' else 'io'}:{a.name}[1]{self.type_suffix(a.type)}"
        if a.type == "L":
            return f"log:{a.name}"
        if a.type == "I":
            return self.integer(a)
        return f"scal:{a.name}{self.type_suffix(a.type)}"

    def option(self, a):
        letters = self.scope["letters"][a.name]
        base = re.match(r"trans[ab]?$|uplo[abc]?$|side$|diag$", a.name)
        role = base.group().rstrip("abc") if base else "opt"
        if not letters and role in USUAL_LETTERS:
            letters = USUAL_LETTERS[role]
        if role in ("side", "diag") and set(letters) != set(USUAL_LETTERS[role]):
            role = "opt"
        if role == "uplo" and not set(letters) & set("UL"):
            role = "opt"
        if role == "trans" and not set(letters) <= set("NTC"):
            role = "opt"
        if role == "trans" and letters == "NC" and self.tests_letter(a, "T") and not self.tests_letter(a, "C"):
            letters = "NT"  # the comment is that of the complex routine
        if a.direction != "in":
            role = "optio"
        if not letters:
            self.notes.append(f"no letters of {a.name}")
        if re.search(r"(?i)\bnot\s+(yet\s+)?available", a.text):  # the last one described
            letters = letters[:-1]
        if not letters or set(letters) == set(USUAL_LETTERS.get(role, "")):
            return f"{role}:{a.name}"
        return f"{role}:{a.name}{{{letters}}}"

    def tests_letter(self, a, letter):
        return any(re.search(rf"(?i)LSAME\( ?{a.name}, ?'{letter}' ?\)", s) for s in self.routine.statements)

    def least(self, a):
        """Least legal value of a length of workspace, None if neither text nor check say."""
        scope = learn_from_text(a, self.scope)
        found = (choose(bounds(a, scope)[::-1]) or choose([(None, v) for v in self.checks(a.name)[:1]]) or
                 self.exact(a, scope))
        return None if mentions(found, a.name) else found

    def exact(self, a, scope):
        """LWORK = 2*N"""
        text = re.sub(r"\s+", " ", a.text)
        for m in re.finditer(rf"(?i)\b{a.name} *=(?! *-) *", text):
            try:
                return Parser(text[m.end():], scope).sum()
            except NotUnderstood:
                pass
        return None

    def checks(self, name):
        """What the routine compares the argument with before it does anything: IF( LDA.LT.MAX( 1, N ) )."""
        out = []
        for s in self.routine.statements:
            for m in re.finditer(rf"(?i)\b{name} ?(?:\.LT\.|<(?!=)) ?", s):
                try:
                    value = Parser(s[m.end():], self.scope).sum()
                except NotUnderstood:
                    return []
                if value not in out and not mentions(value, name):
                    out.append(value)
        return out

    def integer(self, a):
        if a.name in self.ld:
            return f"ld:{a.name}"
        if re.match(r"inc", a.name) or re.search(r"(?i)\bincrement between|spacing between", a.text):
            return f"inc:{a.name}" + ("{2}" if re.search(rf"(?i)(?<!if ){a.name} > 0", a.text) else "")
        if re.match(r"l\w*w\w*k\w*$|l(work|rwork|iwork)\d*$|lwrk\d*$", a.name) or self.is_query(a):
            return self.work_length(a)
        if self.is_size(a):
            limit = self.upper_limit(a)
            return f"dim:{a.name}" + (f"{{{show(limit)}}}" if limit is not None else "")
        return f"int:{a.name}" + self.legal_integer(a)

    def is_query(self, a):
        """Whether -1 asks for the best length."""
        pattern = rf"(?i)\b{a.name} ?(?:\.EQ\.|==) ?-1\b"
        return bool(re.search(rf"(?i)query|{a.name}\s*=\s*-\s*1\b", a.text) or
                    any(re.search(pattern, s) for s in self.routine.statements))

    def work_length(self, a):
        least = self.least(a)
        role = "lwork" if self.is_query(a) else "int"
        if least is None:
            self.notes.append(f"no least {a.name}")
            return f"{role}:{a.name}"
        return f"{role}:{a.name}{{{show(least)}}}"

    def is_size(self, a):
        if re.search(rf"(?i)\b{a.name}\s*>=?\s*0|\b0\s*(?:<=|\.le\.)\s*{a.name}\b|>=\s*{a.name}\s*>=\s*0", a.text):
            return a.name not in ("ijob", "icompq", "sqre", "wtype", "itype")
        used = any(re.search(rf"(?i)\b{a.name}\b", d) for b in self.routine.args for d in (b.dims or []))
        return used or bool(re.match(r"[mnkpql]$|nrhs$|k[udlab]$|nb$|mb$|mm$|n[lrbh]$", a.name))

    def upper_limit(self, a):
        """Of 'min(M,N) >= K >= 0' or '0 <= K <= N': the expression above."""
        text = re.sub(r"\s+", " ", a.text)
        if m := re.search(rf"(?i)SIDE = 'L', (?:([MN]) *>= *{a.name} *>= *0|0 *<= *{a.name} *<= *([MN]))", text):
            left = (m.group(1) or m.group(2)).lower()
            return ("?", ("opt", "side", "L"), left, "n" if left == "m" else "m")
        for m in re.finditer(rf"(?i)\b{a.name}\s*(?:<=|\.le\.)\s*", text):
            try:
                return self.usable_limit(Parser(text[m.end():], self.scope).sum(), a)
            except NotUnderstood:
                pass
        if m := re.search(rf"(?<![\w>=] )(?<![\w>=]){a.name} *>= *([mnkp])\b(?! *>)", text, re.I):  # N >= M
            return self.usable_limit(m.group(1).lower(), a)
        for m in re.finditer(rf"(?i)([\w(),]+) *>= *{a.name} *>=", text):
            try:
                return self.usable_limit(Parser(m.group(1), self.scope).sum(), a)
            except NotUnderstood:
                pass
        return None

    def usable_limit(self, e, a):
        """A limit may name earlier sizes only: otherwise two sizes would wait for each other."""
        names = [b.name for b in self.routine.args]
        if isinstance(e, int) or mentions(e, a.name):
            return None
        if any(mentions(e, n) for n in names[names.index(a.name):]):
            return None
        return e

    def legal_integer(self, a):
        """A legal value in braces: the last of indices that end a range, else the first that the text names."""
        if a.name in ("ihi", "iu", "k2", "ihiz", "kbot", "ilast", "bn") and "n" in self.scope:
            return "{n}"
        text = re.sub(r"\s+", " ", a.text)
        patterns = (rf"(?i)\b{a.name} *= *(\d+)\b", r"(?<![\w\])] )(?<![<>\w])= *(\d+)\b *[:,]",
                    rf"(?i)\b(\d+) *<=? *{a.name}\b", rf"(?i)\b{a.name} *>= *(\d+)\b", r"(?<!\w)(\d+) *=> ",
                    r"(?i)\b(?:either|be) (\d+)(?:,| or)")
        found = next((m.group(1) for p in patterns for m in [re.search(p, text)] if m), None)
        if not found and re.match(r"il|k1|ifst|itype|isgn|ifirst|[bjn]1$|kstart|dol|i$|nw$|twist", a.name):
            found = "1"
        return f"{{{found}}}" if found else ""

    # --- arrays

    def access(self, a):
        if is_work(a):
            return "work"
        return {"in": "in", "out": "out"}.get(a.direction, "io")

    def data(self, a):
        """What legal contents are: @spd, ..."""
        if a.direction == "out" or is_work(a):
            return ""
        text = re.sub(r"\s+", " ", a.text)
        if a.type == "I":
            return "@pivots" if a.name == "ipiv" else ""
        if a.direction == "in" and a.name == "tau" and len(a.dims) == 1:
            return "@tau"
        if len(a.dims) != 2 and not re.match(r"a?f?p$|ap|bp", a.name):
            return ""
        if a.direction == "in" and re.search("(?i)elementary reflector", text):
            return "@reflectors"
        if a.direction == "in" and re.search("(?i)factors L and U|LU factorization", text):
            return "@lu"
        triangle = r"(?i)[^.]*Cholesky factorization|[^.]*\. *The (upper or lower )?triangular (factor|(band )?matrix)"
        if re.match(triangle, text):
            return "@triangle"
        definite = re.match(r"[sdcz]p[opb](trf|tf2|sv|con)", self.routine.name) and a.name in ("a", "ap", "ab")
        if definite or re.search(r"(?i)positive definite", text):
            return "@spd"
        return ""

    def array(self, a):
        outer, self.scope = self.scope, learn_from_text(a, self.scope)
        try:
            return self.array_in_scope(a)
        finally:
            self.scope = outer

    def array_in_scope(self, a):
        dims = dimension_list(dimension_texts(a), self.scope)
        dims = [(c, d) for c, d in dims if len(d) == len(a.dims)] or []
        if len(a.dims) == 2 and not dims:
            dims = self.declared(a) if "*" not in a.dims[1] else []
        shape = self.matrix(a, dims) if len(a.dims) == 2 else self.vector(a, dims or self.declared(a))
        if len(a.dims) > 2:
            shape = None
        if shape is None and self.scope.get("l" + a.name) == "int":
            shape = f"[max(1,l{a.name})]"
        if shape is None:
            self.notes.append(f"no size of {a.name}")
            shape = "[1]"
        shown = f"/{self.returned[a.name]}" if a.name in self.returned else ""
        return f"{self.access(a)}:{a.name}{shown}{shape}{self.type_suffix(a.type)}{self.data(a)}"

    def declared(self, a):
        try:
            return [(None, [Parser(d, self.scope).sum() for d in a.dims])]
        except NotUnderstood:
            return []

    def conditional(self, a, size):
        """SIZE, or 0 where the array is not referenced."""
        condition = unreferenced_when(a, self.scope)
        if condition is None or condition[0] == "=" and condition[2] == 0 and self.scope.get(condition[1]) == "int":
            return size  # without rows or columns anyway
        try:
            return ("?", negate(condition, self.scope), size, 0)
        except NotUnderstood:
            return ("?", condition, 0, size)

    def vector(self, a, dims):
        size = choose([(c, d[0]) for c, d in dims])
        if size is None:
            return None
        if has_abs(size) and not vector_of(size):
            return None
        if packed := self.packed(a, size):
            return packed
        if strided := vector_of(size):
            n, inc = strided
            return f"[{show(n)};{inc}]" if inc.startswith("inc") else None
        following = self.routine.args[self.routine.args.index(a) + 1:][:1]
        if following and following[0].name.startswith("inc") and following[0].type == "I":
            return f"[{show(size)};{following[0].name}]"
        if self.access(a) != "work":
            size = without_max1(size)
        return f"[{show(self.conditional(a, size))}]"

    def packed(self, a, size):
        order = packed_order(size)
        if order is None or "uplo" not in self.args or "transr" in self.args:
            return None
        order = self.conditional(a, order)
        return f"[{show(order)};packed;uplo{self.diag(a)}]"

    def diag(self, a):
        unit = "diag" in self.args and re.search(r"(?i)diagonal elements[^.]*not\s+referenced", a.text)
        return ";diag" if unit else ""

    def matrix(self, a, dims):
        first = a.dims[0].lower()
        columns = choose([(c, d[1]) for c, d in dims])
        if columns is None:
            columns = self.by_words(a, 1)
        if columns is None or has_abs(columns):
            return None
        if columns == 0:
            return "[0]"
        columns = self.conditional(a, without_max1(columns))
        if first not in self.ld:
            try:
                rows = Parser(first, self.scope).sum()
            except NotUnderstood:
                return None
            step = first if first in self.scope else show(rows)
            return f"[{show(rows)},{show(columns)};{step}]" if re.fullmatch(r"\w+", step) else None
        if band := self.band(a, columns):
            return band
        rows = self.rows(a, first)
        if rows is None:
            return None
        triangle = ";uplo" + self.diag(a) if self.is_triangle(a, rows, columns) else ""
        return f"[{show(rows)},{show(columns)};{first}{triangle}]"

    def rows(self, a, ld):
        checked = list(dict.fromkeys(show(without_max1(v)) for v in self.checks(ld) if v != 1))
        if len(checked) == 1:
            return Parser(checked[0], self.scope).sum() if "?" not in checked[0] else without_max1(self.checks(ld)[-1])
        found = [(c, without_max1(v)) for c, v in bounds(self.args[ld], self.scope) if not mentions(v, ld)]
        larger = [(c, v) for c, v in found if v != 1] or found
        if any(c is None and v == 1 for c, v in found) and len(larger) == 1:
            return larger[0][1]
        return choose(larger) or self.by_words(a, 0)

    def by_words(self, a, which):
        """Of 'the M-by-N matrix'."""
        text = re.sub(r"\s+", " ", a.text)
        for m in re.finditer(r"(?i)([\w()+*,-]+?)(?:[- ]{1,2}by[- ]{1,2}| x )\(?(\w[\w()+*,-]*)", text):
            try:
                return Parser(m.group(1 + which).strip("()"), self.scope).sum()
            except NotUnderstood:
                pass
        m = re.search(r"(?i)\border (\w+)", text)
        try:
            return Parser(m.group(1), self.scope).sum() if m else None
        except NotUnderstood:
            return None

    def band(self, a, columns):
        ld = a.dims[0].lower()
        least = choose([(None, v) for v in self.checks(ld)] or bounds(self.args[ld], self.scope))
        if least is None or not re.match(r"lda?f?b", ld):
            return None
        least = show(without_max1(least))
        columns = show(columns)
        rows = "m" if "m" in self.args else columns
        if least == "kl+ku+1":
            return f"[{rows},{columns},kl,ku;{ld}]"
        if least in ("2*kl+ku+1", "kl+ku+kl+1"):
            return f"[{rows},{columns},kl,kl+ku;{ld}]"
        m = re.fullmatch(r"(k[dab]?)\+1", least)
        if not m or "uplo" not in self.args:
            return None
        k = m.group(1)
        tail = ";uplo" + self.diag(a) if self.diag(a) else ""
        return f"[{columns},{columns},uplo=U?0:{k},uplo=U?{k}:0;{ld}{tail}]"

    def is_triangle(self, a, rows, columns):
        if "uplo" not in self.args or not re.search(r"(?i)triang|factor|multiplier", a.text):
            return False
        if re.search(r"(?i)eigenvectors|(orthogonal|unitary)\s+matrix\s+[QZ]\b(?!\s+as\b)|is destroyed\.? *$", a.text):
            return False
        if show(rows) == show(columns):
            return True
        return bool(re.search(r"(?i)not referenced|trapez", a.text))
