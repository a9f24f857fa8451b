#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the routine table's families of LAPACK from the sources and headers of the reference LAPACK.

    import.py SOURCES                      print all families, with what was not understood
    import.py SOURCES --update FOLDER      rewrite the families in the spec files of FOLDER that are not corrected
    import.py SOURCES --check FOLDER       report what differs from the sources without saying why

SOURCES is the top of the reference LAPACK's tree. What is used of a routine: its declarations (order and types of
the arguments) and the comments that describe each argument. Their wording is regular enough for most sizes, options
and least lengths of workspaces; where it is wrong or says too little, the spec file has a corrected family with a line
"# corrected: what and why" above it. Operation counts, @data and {legal} values that the sources leave open are not
the business of this program: it keeps those of a spec file.

The program works in three steps: read_routines() (Fortran), describe() (one routine to arguments in the table's
notation) and families() (variants of one routine in several precisions to one line).
"""
import argparse
import collections
import re
import sys
from pathlib import Path

# Which file a family belongs to: the first whose pattern its name without prefixes matches.
SUBJECTS = [
    ("lapack_norms", r"lan(?!eg)|disna"),
    ("lapack_generalized", r"gg|ge(gs|gv)|tg|hgeqz|(sy|he|sp|hp|sb|hb)(gv|gst|gs2)|pbstf|laqz|lags|lagv|latdf"),
    ("lapack_svd", r"ge(svd|sdd|svj|jsv|svd[qx]|brd|bd2)|gbbrd|bd|bbcsd|lals|lasd|lasq|gsvj|labrd|(or|un)(gbr|mbr|bdb|csd|m22)"),
    ("lapack_qr", r"ge(qr|lq|ql|rq|qp|ls|ml?q|mqr|tsqr|tsls)|(or|un)(g|m)(qr|ql|lq|rq|r3|2|l|r|hr_col)|(or|un)(g|m)ts|tz|tp(qr|lq|mqr|mlq|rfb)|"
                  r"t[sz]|la(rz|rf|rt|mtsqr|mswlq|tsqr|swlq|qp|tzm|trz|ic1|orhr|unhr)|(or|un)(hr)|getsq"),
    ("lapack_eigen", r"(sy|he|sp|hp|sb|hb|st)(ev|trd|td2|td_|ebz|edc|eqr|ein|emr|egr|erf)|pteqr|ge(ev|es|hrd|hd2|ba)|hse|tre|trs(en|na|yl)|"
                     r"(or|un|up|op)(g|m)(tr|hr)|la(hr|hqr|qr|ed|rr|ebz|eda|trd|ein|exc|ln2|ev|hrd|eqr|qtr|sy2|neg)|lar[1r]|trexc|hb2st|"
                     r"(sy|he)trd"),
    ("lapack_lu", r"(ge|gb|gt)(trf|tf2|trs|tri|sv|con|rfs|equ|ts2|tc2|sc2)|s?ge(sv)|cgesv|la(swp|gt[mfs]|_g[eb]|qge|qgb)"),
    ("lapack_cholesky", r"(po|pp|pb|pt|pf|ps)|s?posv|cposv|lau|la_po|laq(sy|sp|sb|he|hp|hb)$"),
    ("lapack_indefinite", r"(sy|sp|he|hp)(trf|tf2|trs|tri|sv|con|rfs|swap|equ|conv)|la(sy|he)f|la_(sy|he)"),
    ("lapack_triangular", r"(tr|tb|tp|tf)|la(t[brp]s|trs)|(hf|sf)rk"),
    ("lapack_auxiliary", r""),
]

TYPES = {
    "INTEGER": "I", "LOGICAL": "L", "CHARACTER": "CHAR", "REAL": "S", "DOUBLE PRECISION": "D", "COMPLEX": "C",
    "COMPLEX*16": "Z", "DOUBLE COMPLEX": "Z", "EXTERNAL": "FUN", "CHARACTER*1": "CHAR", "CHARACTER*(*)": "CHAR", "CHARACTER*3": "CHAR",
}
REAL_OF = {"S": "S", "D": "D", "C": "S", "Z": "D"}
USUAL_LETTERS = {"trans": "NTC", "uplo": "UL", "side": "LR", "diag": "NU"}


# --- expressions ------------------------------------------------------------------------------------------------
#
# An expression is a number, a name or a tuple (operator, operands...). The option test jobz=NV is ("opt", "jobz", "NV").

class NotUnderstood(Exception):
    """The text is no expression or condition in the arguments of the routine."""


TOKEN = re.compile(r"""\s*(\d+(?:\.\d*)?(?![a-z_])|[a-z]\w*|'[^']*'|\.[a-z]+\.|\*\*|>=|<=|=>|<>|==|/=|[-+*/()<>=,^])""")
DOTTED = {".eq.": "=", ".ne.": "<>", ".lt.": "<", ".le.": "<=", ".gt.": ">", ".ge.": ">=", ".and.": "and",
          ".or.": "or", ".not.": "not", "==": "=", "/=": "<>", "=>": ">="}


def tokens_of(text):
    """Tokens of the longest understood start of TEXT, each with the place where it ends."""
    out, at = [], 0
    text = text.lower()
    while True:
        m = TOKEN.match(text, at)
        if not m:
            return out
        at = m.end()
        out.append((DOTTED.get(m.group(1), m.group(1)), at))


class Parser:
    """Recursive descent over a text; SCOPE maps names of arguments to their kinds (int, opt, log), and those of other
    things to expressions (scope["constants"]) and conditions (scope["tests"])."""

    def __init__(self, text, scope):
        self.tokens = tokens_of(text)
        self.at = 0
        self.scope = scope
        self.constants = scope["constants"]

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def end(self):
        """Where in the text the part that was read ends."""
        return self.tokens[self.at - 1][1] if self.at else 0

    def accept(self, *wanted):
        if self.peek() in wanted:
            self.at += 1
            return self.tokens[self.at - 1][0]
        return None

    def expect(self, token):
        if not self.accept(token):
            raise NotUnderstood(f"expected {token} at {self.peek()}")

    def sum(self):
        left = ("-", 0, self.product()) if self.accept("-") else self.product()
        while op := self.accept("+", "-"):
            left = (op, left, self.product())
        return left

    def product(self):
        left = self.power()
        while True:
            if op := self.accept("*", "/"):
                left = (op, left, self.power())
            elif isinstance(left, int) and (self.peek() in self.scope or self.peek() in ("min", "max")) or self.peek() == "lg":
                left = ("*", left, self.power())  # 2N, 3 max(1,n), N lg N
            else:
                return left

    def power(self):
        base = self.primary()
        if not self.accept("**", "^"):
            return base
        exponent = self.primary()
        if exponent != 2:
            raise NotUnderstood("a power other than 2")
        return ("*", base, base)

    def primary(self):
        if self.accept("("):
            inner = self.sum()
            self.expect(")")
            return inner
        token = self.peek()
        if re.fullmatch(r"\d+\.?", token):
            self.at += 1
            return int(token.rstrip("."))
        if token in ("min", "max", "abs") and self.peek(1) == "(":
            self.at += 2
            operands = [self.sum()]
            while self.accept(","):
                operands.append(self.sum())
            self.expect(")")
            return nest(token, operands) if token != "abs" else ("abs", operands[0])
        if self.accept("lg"):
            return ("lg", self.primary())
        if self.scope.get(token) == "int":
            self.at += 1
            return token
        if token in self.constants:
            self.at += 1
            return self.constants[token]
        raise NotUnderstood(f"what is {token}?")

    def dimensions(self):
        """(E1,E2), (E) or E."""
        start = self.at
        if self.accept("("):
            dims = [self.sum()]
            while self.accept(","):
                dims.append(self.sum())
            self.expect(")")
            if len(dims) > 1 or self.peek() not in ("*", "/", "+", "-"):
                return dims
        self.at = start
        return [self.sum()]

    def condition(self):
        left = self.conjunction()
        while self.peek() == "or" and self.is_condition(1):
            self.at += 1
            left = ("||", left, self.conjunction())
        return left

    def conjunction(self):
        left = self.test()
        while self.peek() in ("and", ",") and self.is_condition(1):
            self.at += 1
            left = ("&&", left, self.test())
        return left

    def is_condition(self, ahead):
        """Whether a test, not a new clause, begins AHEAD tokens from here."""
        token, following = self.peek(ahead), self.peek(ahead + 1)
        if token in self.scope["tests"] or token == "lsame":
            return True
        if token in ("(", "not"):
            return self.is_condition(ahead + 1)
        if self.scope.get(token) in ("opt", "log"):
            return following in ("=", "is", "<>", ".true.", ".false.")
        return self.scope.get(token) == "int" and following in ("=", "<>", "<", ">", "is") or (
            self.scope.get(token) == "int" and following in (">=", "<=") and not token.startswith("l"))

    def test(self):
        if self.accept("not"):
            return negate(self.test(), self.scope)
        if self.peek() in self.scope["tests"]:
            return self.scope["tests"][self.accept(self.peek())]
        if self.peek() == "lsame":
            return self.same_letter()
        if self.peek() == "(":
            start = self.at
            try:
                self.at += 1
                inner = self.condition()
                self.expect(")")
                return inner
            except NotUnderstood:
                self.at = start
        kind = self.scope.get(self.peek())
        if kind == "opt":
            return self.option_test()
        if kind == "log":
            return self.logical_test()
        left = self.sum()
        relation = self.accept("=", "<>", "<", "<=", ">", ">=") or (self.accept("is") and "=")
        if not relation:
            raise NotUnderstood(f"no relation at {self.peek()}")
        right = self.sum()
        test = (relation, left, right)
        while relation == "=" and self.peek() in ("or", ",") and re.fullmatch(r"\d+", self.peek(1)):
            self.at += 1
            test = ("||", test, ("=", left, self.sum()))
        return test

    def option_test(self):
        name = self.accept(self.peek())
        if not self.accept("=", "<>", "is"):
            raise NotUnderstood("an option without a letter")
        opposite = self.tokens[self.at - 1][0] == "<>" or bool(self.accept("not"))
        letters = ""
        while True:
            self.accept("=")
            token = self.peek()
            if not re.fullmatch(r"'\w+'", token):
                break
            letters += token[1].upper()
            self.at += 1
            if not (self.peek() in ("or", ",", "/", "and") and re.fullmatch(r"'\w+'", self.peek(1))):
                if not (self.peek() == "or" and self.peek(1) == "=" and self.peek(2)[:1] == "'"):
                    break
            self.at += 1
        if not letters:
            raise NotUnderstood("an option without a letter")
        test = ("opt", name, "".join(dict.fromkeys(letters)))
        return negate(test, self.scope) if opposite else test

    def same_letter(self):
        """LSAME( SIDE, 'L' )"""
        self.at += 1
        self.expect("(")
        name = self.accept(self.peek())
        self.expect(",")
        letter = self.accept(self.peek())
        self.expect(")")
        if self.scope.get(name) != "opt" or not re.fullmatch(r"'\w'", letter or ""):
            raise NotUnderstood("no test of an option")
        return ("opt", name, letter[1].upper())

    def logical_test(self):
        name = self.accept(self.peek())
        opposite = False
        while word := self.accept("=", "is", "<>", "not"):
            opposite ^= word in ("<>", "not")
        word = self.accept(".true.", ".false.", "true", "false", "t", "f") or "true"
        test = (">" if "t" == word.strip(".")[0] else "=", name, 0)
        return negate(test, self.scope) if opposite else test


def nest(function, operands):
    out = operands[-1]
    for operand in reversed(operands[:-1]):
        out = (function, operand, out)
    return out


OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "=": "<>", "<>": "="}


def negate(test, scope):
    op = test[0]
    if op == "opt":
        legal = scope.get("letters", {}).get(test[1], "")
        rest = "".join(c for c in legal if c not in test[2])
        if not rest:
            raise NotUnderstood(f"what else is {test[1]}?")
        return ("opt", test[1], rest)
    if op in OPPOSITE:
        if op == ">" and scope.get(test[1]) == "log":
            return ("=", test[1], 0)
        if op == "=" and scope.get(test[1]) == "log":
            return (">", test[1], 0)
        return (OPPOSITE[op],) + test[1:]
    return ({"&&": "||", "||": "&&"}[op], negate(test[1], scope), negate(test[2], scope))


PRECEDENCE = {"?": 0, "||": 1, "&&": 2, "<": 3, ">": 3, "=": 3, ">=": 3, "<=": 3, "<>": 3, "+": 4, "-": 4,
              "*": 5, "/": 5}


def show(e, outer=0):
    """The expression in the table's notation."""
    if not isinstance(e, tuple):
        return str(e)
    op = e[0]
    if op in ("min", "max"):
        return f"{op}({show(e[1])},{show(e[2])})"
    if op in ("lg", "abs"):  # abs is only to be compared: the table has none
        return f"{op}({show(e[1])})"
    if op == "opt":
        return f"{e[1]}={e[2]}"
    if op == "?" and isinstance(e[1], tuple) and e[1][0] in (">=", "<=", "<>"):
        return show(("?", (OPPOSITE[e[1][0]],) + e[1][1:], e[3], e[2]), outer)
    if op == ">=":
        return show((">", plus(e[1], 1), e[2]), outer)
    if op == "<=":
        return show(("<", e[1], plus(e[2], 1)), outer)
    if op == "<>":
        return show(("||", ("<", e[1], e[2]), (">", e[1], e[2])), outer)
    level = PRECEDENCE[op]
    if op == "?":
        text = f"{show(e[1], 1)}?{show(e[2], 1)}:{show(e[3])}"
    elif op == "-" and e[1] == 0:
        text = "-" + show(e[2], 6)
    else:
        text = show(e[1], level) + op + show(e[2], level + (op in "-/"))
    return f"({text})" if level < outer else text


def plus(e, number):
    """e + number, constants folded."""
    if isinstance(e, int):
        return e + number
    if isinstance(e, tuple) and e[0] in "+-" and isinstance(e[2], int):
        number += e[2] if e[0] == "+" else -e[2]
        e = e[1]
    return ("+", e, number) if number > 0 else ("-", e, -number) if number < 0 else e


def without_max1(e):
    """max(1,e) is e: an array without elements needs no memory."""
    if isinstance(e, tuple) and e[0] == "max":
        if e[1] in (0, 1):
            return without_max1(e[2])
        if e[2] in (0, 1):
            return without_max1(e[1])
    if isinstance(e, tuple) and e[0] == "?":
        return ("?", e[1], without_max1(e[2]), without_max1(e[3]))
    return e


def choose(alternatives):
    """One expression of a list of (condition or None, value): the first that holds; the last one without a test."""
    alternatives = [a for i, a in enumerate(alternatives) if a not in alternatives[:i]]
    if not alternatives:
        return None
    if len({show(v) for _, v in alternatives}) == 1:
        return alternatives[0][1]
    plain = [v for c, v in alternatives if c is None]
    tested = [(c, v) for c, v in alternatives if c is not None]
    if not tested:
        return nest("max", plain)
    out = plain[-1] if plain else tested.pop()[1]
    for c, v in reversed(tested):
        if v != out:
            out = ("?", c, v, out)
    return out


# --- Fortran ------------------------------------------------------------------------------------------------------

class Argument:
    def __init__(self, name):
        self.name = name
        self.type = None        # one of the values of TYPES
        self.dims = None        # declared dimensions, texts
        self.direction = "in"   # in, out, in,out
        self.text = ""          # its description


class Routine:
    def __init__(self, name, kind, result, args):
        self.name = name
        self.result = result    # of a function: a type
        self.kind = kind
        self.args = args
        self.matgen = False
        self.statements = []
        self.text = ""          # all of its comments


def fixed_statements(text):
    """Statements of fixed-form Fortran, continuations joined."""
    out = []
    for line in text.splitlines():
        if not line.strip() or line[0] in "cC*!#":
            continue
        line = line.split("!")[0]
        if len(line) > 5 and line[:5].strip() == "" and line[5] not in " 0":
            out[-1] += line[6:72]
        elif line.strip():
            out.append(line[:72])
    return [re.sub(r"\s+", " ", s.strip()) for s in out]


def free_statements(text):
    joined = re.sub(r"&\s*\n\s*&?", " ", re.sub(r"(?m)![^\n]*$", "", text))
    return [re.sub(r"\s+", " ", s.strip()) for s in joined.splitlines() if s.strip() and not s.startswith("#")]


def split_outside(text):
    """Splits at commas that are outside of parentheses."""
    return [part.strip() for part in re.findall(r"(?:[^,()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+", text)]


HEAD = re.compile(r"(?i)(?:RECURSIVE )?(?:(INTEGER|LOGICAL|REAL(?:\(wp\))?|DOUBLE PRECISION|COMPLEX(?:\*16)?|"
                  r"DOUBLE COMPLEX|CHARACTER(?:\*1)?) )?(SUBROUTINE|FUNCTION) (\w+) ?(?:\((.*?)\))?$")
DECLARATION = re.compile(r"(?i)(INTEGER|LOGICAL|REAL|DOUBLE PRECISION|COMPLEX ?\*16|DOUBLE COMPLEX|COMPLEX|CHARACTER\*[13]|"
                         r"CHARACTER\*\( ?\* ?\)|CHARACTER|EXTERNAL)(?:\((wp)\))?(?: ?, ?INTENT ?\([^)]*\))?(?: ?::)? ?(.*)")


def fortran_type(word, wp, prefix):
    word = word.upper().replace(" (", "(").replace("( * )", "(*)").replace(" *", "*")
    kind = TYPES[word]
    return {"S": "D", "C": "Z"}.get(kind, kind) if wp and prefix in "dz" else kind


def read_routine(path):
    text = path.read_text(encoding="latin-1")
    statements = (free_statements if path.suffix in (".f90", ".F90") else fixed_statements)(text)
    routine = None
    for s in statements:
        head = HEAD.match(s)
        if head and routine:
            break
        if head:
            names = [n.strip().lower() for n in (head.group(4) or "").split(",") if n.strip()]
            routine = Routine(head.group(3).lower(), head.group(2).upper(), None, [Argument(n) for n in names])
            if routine.kind == "FUNCTION" and head.group(1):
                routine.result = fortran_type(head.group(1).split("(")[0], "wp" in s, routine.name[0])
        elif routine:
            read_declaration(s, routine)
            routine.statements.append(s)
    if routine:
        read_comments(text, routine)
    return routine


def read_declaration(statement, routine):
    m = DECLARATION.match(statement)
    if not m:
        return
    kind = fortran_type(m.group(1), m.group(2), routine.name[0])
    by_name = {a.name: a for a in routine.args}
    for item in split_outside(m.group(3)):
        name = re.match(r"\w*", item).group().lower()
        if name == routine.name and routine.kind == "FUNCTION":
            routine.result = kind
        if name in by_name and not (by_name[name].type and kind != "FUN"):
            by_name[name].type = kind
            if re.match(r"\w+ ?\(", item):
                dims = split_outside(item[item.index("(") + 1:item.rindex(")")])
                by_name[name].dims = [re.sub(r"^0 ?: ?(?:(\w+) ?- ?1$)?", r"\1", d) for d in dims]


def read_comments(text, routine):
    lines = [l[2:] for l in text.splitlines() if l[:2] in ("*>", "!>")]
    by_name = {a.name: a for a in routine.args}
    routine.text = "\n".join(lines)
    blocks = re.split(r"\\param\s*\[?", routine.text)[1:]
    found = [re.match(r"\s*(in,\s*out|in|out|inout|out,\s*in)\s*\]\s*(\w+)(.*?)(?:\\endverbatim|\Z)", b, re.S) for b in blocks]
    described = {m.group(2).lower(): m for m in found if m}
    renamed = [n for n in by_name if n not in described], [n for n in described if n not in by_name]
    if len(renamed[0]) == 1 and len(renamed[1]) == 1:  # under another name than it is declared
        described[renamed[0][0]] = described[renamed[1][0]]
    for name, m in described.items():
        if name in by_name:
            a = by_name[name]
            a.direction = {"in": "in", "out": "out"}.get(m.group(1), "in,out")
            a.text = re.sub(r"[ \t]+", " ", m.group(3).replace("\\verbatim", ""))


def not_built(top):
    """Routines that are only built with extended-precision BLAS."""
    makefile = (top / "SRC/Makefile").read_text().replace("\\\n", " ")
    return {name[:-2] for line in re.findall(r"(?m)^[SDCZ]XLASRC\s*=(.*)$", makefile) for name in line.split()}


def read_routines(top):
    """All routines of the library and of the test matrix generators, by name."""
    out = {}
    without = not_built(top)
    for folder in ("SRC", "SRC/DEPRECATED", "TESTING/MATGEN"):
        for path in sorted((top / folder).iterdir()):
            if path.suffix not in (".f", ".F", ".f90", ".F90") or path.stem in without:
                continue
            routine = read_routine(path)
            if routine and routine.name == path.stem:
                routine.matgen = folder.endswith("MATGEN")
                out[routine.name] = routine
    return out


# --- descriptions of arguments ----------------------------------------------------------------------------------

OPTION_LINE = re.compile(r"(?im)^\s*(?:if |when )?(?:%s\s*(?:=|is|\.eq\.)\s*|=\s*)?((?:['\"]\w['\"]\s*(?:,|/|or|=)?\s*(?:=\s*)?)+)")


def option_letters(argument):
    """Letters at the starts of lines ("= 'N':", "If JOB = 'N' or 'V'"); else any in the text."""
    if re.search(r"(?i)\botherwise\b|anything else|any other", argument.text):
        letters = option_letters_named(argument)
        if re.search(r"(?i)otherwise:?\s*all\b", argument.text) and "A" not in letters:
            return letters + "A"
        rest = [c for c in "NTLUV" if c not in letters]
        return letters + rest[0] if len(letters) == 1 else letters
    return option_letters_named(argument)


def option_letters_named(argument):
    out = ""
    for m in re.finditer(OPTION_LINE.pattern % re.escape(argument.name), argument.text):
        for letter in re.findall(r"['\"](\w)['\"]", m.group(1)):
            if letter.upper() not in out:
                out += letter.upper()
    if len(out) == 1 and re.search(r"(?i)<>|\.ne\.|\bnot '", argument.text):
        out += "N" if out != "N" else "Y"
    if len(out) < 2:
        for letter in re.findall(r"['\"](\w)['\"]", argument.text):
            if letter.upper() not in out:
                out += letter.upper()
    return "".join(c for c in out if re.match(r"[A-Z0-5]", c))


def clauses(text):
    """Sentences and their parts, so that a condition and what it governs stay together."""
    text = re.sub(r"(?i)(\.(?:true|false)\.)\.", r"\1;", re.sub(r"\s+", " ", text))
    return [c.strip() for c in re.split(r";|(?<=[\w)'])\.(?=\s|$)", text) if c.strip()]


IF = r"(?:if|when|for|and if|or if)"


def bounds(argument, scope):
    """What the text says about the least value: list of (condition or None, expression)."""
    out = []
    name = re.escape(argument.name)
    pattern = re.compile(rf"(?i)\b{name}\s*(?:>=|\.ge\.|=>|must be at least|should be at least|at least)\s*|"
                         r"\bmust be at least\s*")
    for clause in clauses(argument.text):
        at = 0
        for m in pattern.finditer(clause):
            parser = Parser(clause[m.end():], scope)
            try:
                value = parser.sum()
            except NotUnderstood:
                continue
            end = m.end() + parser.end()
            condition = condition_before(clause[at:m.start()], scope)
            at = end
            if condition is None:
                condition, length = condition_after(clause[end:], scope)
                at = end + length
            if condition != "unknown":
                out.append((condition, value))
    return out


def condition_before(text, scope):
    """The condition of '... if COND, [then]' at the end of TEXT; None: there is none; 'unknown'."""
    m = None
    for m in re.finditer(rf"(?i)\b{IF}\b", text):
        pass
    if not m:
        return None
    parser = Parser(text[m.end():], scope)
    try:
        condition = parser.condition()
    except NotUnderstood:
        return "unknown"
    rest = text[m.end() + parser.end():]
    return condition if re.fullmatch(r"(?i)[\s,:.]*(?:then|and)?[\s,:]*(?:the dimension[^.]*)?", rest) else "unknown"


def condition_after(text, scope):
    """The condition of ', if COND' at the start of TEXT and its length; None: there is none; 'unknown'."""
    m = re.match(rf"(?i)[\s,]*\b{IF}\b", text)
    if not m:
        return None, 0
    parser = Parser(text[m.end():], scope)
    try:
        condition = parser.condition()
    except NotUnderstood:
        return "unknown", 0
    end = m.end() + parser.end()
    governs_next = re.match(r"(?i)[\s,]*(?:then )?\w+ *>=", text[end:])
    return (None, 0) if governs_next else (condition, end)


def dimension_texts(argument):
    """What follows the word dimension."""
    text = re.sub(r"\s+", " ", argument.text)
    m = re.search(r"(?i)\b(?:array|vector)[^.]{0,60}?\bdimensions?\b\s*(?:is|>=|:|at least|=|of)?\s*(?:at least)?\s*", text)
    m = m or re.search(r"(?i)the dimension of \w+ (?:is|must be at least)\s*|(?:workspace|array) of size\s*", text)
    if not m:
        m = re.search(r"(?i)\bdimensions?\b\s*(?:is|>=|:|at least|=)?\s*(?:at least)?\s*(?=\()", text)
    return text[m.end():] if m else ""


def dimension_list(text, scope):
    """Reads '(E1,E2) if COND or (E1,E3) if COND': a list of (condition or None, [expressions])."""
    out = []
    while True:
        parser = Parser(text, scope)
        try:
            dims = parser.dimensions()
        except NotUnderstood:
            m = re.match(r"\([^()]*\) *(?=\()", text) if not out else None  # (LDU,UCOL) (LDU,M) if ...
            if not m:
                return out
            text = text[m.end():]
            continue
        rest = text[parser.end():]
        condition = None
        m = re.match(rf"[\s,]*\b{IF}\b", rest)  # a capital If begins a new sentence
        if m:
            p = Parser(rest[m.end():], scope)
            try:
                condition = p.condition()
            except NotUnderstood:
                return out
            rest = rest[m.end() + p.end():]
        out.append((condition, dims))
        following = r"(?=\()" if condition is None else r"(?=[\w(])"
        m = re.match(r"(?i)\s*[,.;]?\s*(?:or|and|otherwise|else)?\s*[,]?\s*(?:dimension)?\s*" + following, rest)
        if not m:
            return out
        text = rest[m.end():]


UNREFERENCED = re.compile(r"(?i)\b(?:is|are)?\s*(?:also )?not\s+(?:be )?(?:referenced|used|accessed)")


def unreferenced_when(argument, scope):
    """Condition under which the text says that the array is not referenced; None: never."""
    out = None
    for clause in clauses(argument.text):
        m = UNREFERENCED.search(clause)
        if not m:
            continue
        subject = clause[:m.start()]
        condition = None
        tail = re.match(rf"(?i)[\s,]*\b(?:{IF})\b", clause[m.end():])
        try:
            if tail:
                condition = Parser(clause[m.end() + tail.end():], scope).condition()
                if re.search(r"(?i)\bpart\b|element|row|column|diagonal|triang", subject):
                    continue
            else:
                h = re.search(rf"(?i)\b{IF}\b", subject)
                if h:
                    parser = Parser(subject[h.end():], scope)
                    condition = parser.condition()
                    about = subject[h.end() + parser.end():]
                    if not re.fullmatch(rf"(?i)[\s,:]*(?:then)?[\s,]*(?:the array|the matrix|array)?\s*"
                                        rf"(?:{re.escape(argument.name)}|it|this array)?\s*", about):
                        continue
        except NotUnderstood:
            continue
        if condition is not None:
            out = condition if out is None else ("||", out, condition)
    return out


def never_referenced(argument):
    return bool(re.search(r"(?i)^[^.]*\bnot referenced\b\s*(?:\.|$)", argument.text))


def is_work(argument):
    """Named as a workspace, or said to be one right behind its dimension."""
    return bool(re.match(r"[ridcsblz]?(?:work|wrk)\w*$", argument.name) or argument.direction != "in" and
                re.search(r"(?i)dimension[^a-z]*(?:[\w]+ *)?\([^a-z]*[^\n]*\)[\s.,]*(?:[^.]{0,30}\bwork\s?space|[^.]{0,30}\bwork array|used as work)", argument.text))


def describe_scope(routine):
    scope = {"letters": {}, "constants": {}, "tests": {}}
    for a in routine.args:
        if a.dims is not None and a.type != "CHAR":
            continue
        if a.type == "I" and a.direction == "in":
            scope[a.name] = "int"
        elif a.type == "I" and a.direction == "in,out" and re.match(r"lc?work$", a.name):
            scope[a.name] = "int"
        elif a.type == "CHAR":
            scope[a.name] = "opt"
            scope["letters"][a.name] = option_letters(a) or option_letters_named_in(routine.text, a.name)
        elif a.type == "L" and a.direction != "out":
            scope[a.name] = "log"
    return scope


def option_letters_named_in(text, name):
    """NORM = 'M' or 'm' anywhere in the comments."""
    found = re.findall(rf"(?i)\b{name}\s*=\s*((?:'\w'(?:\s*(?:,|or)\s*)?)+)", text)
    return "".join(dict.fromkeys(c.upper() for f in found for c in re.findall(r"'(\w)'", f)))


# What is computed once from the arguments (MN = MIN( M, N ), LEFT = LSAME( SIDE, 'L' )) may stand for it.

ASSIGNMENT = re.compile(r"(?i)(?:IF ?\((.*)\) ?)?(\w+) ?= ?(.*)$")


def assignments(statements):
    """Of each name that is assigned: list of (conditions around it, text)."""
    out = collections.defaultdict(list)
    around = []
    for s in statements:
        if m := re.match(r"(?i)IF ?\((.*)\) ?THEN$", s):
            around.append(m.group(1))
        elif re.match(r"(?i)ELSE ?IF", s):
            around[-1:] = ["?"]
        elif re.match(r"(?i)ELSE$", s):
            around[-1:] = ["?" if "?" in around[-1:] else f".NOT.({around[-1]})" if around else "?"]
        elif re.match(r"(?i)END ?IF", s):
            around = around[:-1]
        elif re.match(r"(?i)DO\b", s):
            around.append("?")
        elif re.match(r"(?i)END ?DO|\d+ CONTINUE", s):
            around = around[:-1] if around[-1:] == ["?"] else around
        elif m := ASSIGNMENT.match(s):
            test = [m.group(1)] if m.group(1) else []
            out[m.group(2).lower()].append((around + test, m.group(3)))
    return out


def learn_locals(routine, scope):
    """Adds the local variables that are functions of the arguments to the scope."""
    found = assignments(routine.statements)
    args = {a.name for a in routine.args}
    for name, values in found.items():
        if name in args or len(values) > 2:
            continue
        try:
            if len(values) == 1 and "?" not in values[0][0]:
                learn(name, values[0][1], scope)
            elif len(values) == 2 and values[1][0] == values[0][0][:-1] + [f".NOT.({values[0][0][-1]})" if values[0][0] else ""]:
                test = whole(Parser(values[0][0][-1], scope), "condition")
                first, second = (whole(Parser(v[1], scope), "sum") for v in values)
                scope["constants"][name] = ("?", test, first, second)
        except NotUnderstood:
            pass


def learn(name, text, scope):
    try:
        scope["constants"][name] = whole(Parser(text, scope), "sum")
    except NotUnderstood:
        scope["tests"][name] = whole(Parser(text, scope), "condition")


def whole(parser, part):
    """The expression or condition that is all of the text."""
    out = getattr(parser, part)()
    if parser.peek():
        raise NotUnderstood(f"something follows: {parser.peek()}")
    return out


def learn_from_text(argument, scope):
    """SCOPE with what the text of the argument defines: 'where MN = min(M,N)', 'where KA is K when TRANS = 'N' and is N
    otherwise', and unnamed lengths, 'LWORK >= N when NORM = 'I''."""
    constants = dict(scope["constants"])
    out = dict(scope, constants=constants)
    text = re.sub(r"\s+", " ", argument.text)
    for m in re.finditer(r"\b([A-Z]\w+) *= *", text):
        name = m.group(1).lower()
        if name not in scope and name not in scope["constants"]:
            try:
                constants[name] = Parser(text[m.end():], out).sum()
            except NotUnderstood:
                pass
    for m in re.finditer(r"(?i)where (\w+) is (\w+) when (.*?),? and (?:is )?(\w+) otherwise", text):
        try:
            constants[m.group(1).lower()] = ("?", Parser(m.group(3), out).condition(), Parser(m.group(2), out).sum(),
                                             Parser(m.group(4), out).sum())
        except NotUnderstood:
            pass
    for name in set(re.findall(r"\bl\w*work\b|\bldi?q\b", text.lower())) - set(scope) - set(constants):
        unnamed = Argument(name)
        unnamed.text = argument.text
        found = bounds(unnamed, out)
        if found and all(c for c, _ in found) and re.search(r"(?i)otherwise, \w+ is not referenced", text):
            found.append((None, 0))
        if found:
            constants[name] = choose(found)
    return out


def learn_counts(routine, scope):
    """Numbers that a routine returns count as their upper limits: '0 <= M <= N. If RANGE = 'I', M = IU-IL+1'."""
    for a in routine.args:
        if a.type != "I" or a.dims is not None or a.direction != "out" or a.name == "info":
            continue
        text = re.sub(r"\s+", " ", a.text)
        limit = "mm" if a.name == "m" and "mm" in scope else None
        if m := re.search(rf"(?i)0 *<= *{a.name} *<= *(?=\w)", text):
            try:
                limit = Parser(text[m.end():], scope).sum()
            except NotUnderstood:
                pass
        if limit is None:
            continue
        if re.search(rf"(?i)RANGE *= *'I', *{a.name} *= *IU-IL\+1", text):
            limit = ("?", ("opt", "range", "I"), ("+", ("-", "iu", "il"), 1), limit)
        scope["constants"][a.name] = limit


def leading_dimensions(routine):
    """Names of integers that are the declared first dimension of a matrix, or are said to be one."""
    out = {}
    ints = {a.name for a in routine.args if a.type == "I" and a.dims is None}
    for a in routine.args:
        if a.dims and len(a.dims) == 2 and a.dims[0].lower() in ints:
            out.setdefault(a.dims[0].lower(), []).append(a.name)
    for a in routine.args:
        if a.name in ints and a.name.startswith("ld") and a.name not in out:
            out[a.name] = []
    return {n: v for n, v in out.items() if n.startswith("ld") or re.search(r"(?i)leading dimension", text_of(routine, n))}


def text_of(routine, name):
    return next(a.text for a in routine.args if a.name == name)


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
        if a.direction != "in":
            role = "optio"
        if not letters:
            self.notes.append(f"no letters of {a.name}")
        if re.search(r"(?i)\bnot\s+(yet\s+)?available", a.text):  # the last one described
            letters = letters[:-1]
        if not letters or set(letters) == set(USUAL_LETTERS.get(role, "")):
            return f"{role}:{a.name}"
        return f"{role}:{a.name}{{{letters}}}"

    def least(self, a):
        """Least legal value of a length of workspace, None if neither text nor check say."""
        scope = learn_from_text(a, self.scope)
        found = choose(bounds(a, scope)[::-1]) or choose([(None, v) for v in self.checks(a.name)[:1]]) or self.exact(a, scope)
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
            return f"inc:{a.name}"
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
        patterns = (rf"(?i)\b{a.name} *= *(\d+)\b", r"(?<![\w\])] )(?<![<>\w])= *(\d+)\b *[:,]", rf"(?i)\b(\d+) *<=? *{a.name}\b",
                    rf"(?i)\b{a.name} *>= *(\d+)\b", r"(?<!\w)(\d+) *=> ", r"(?i)\b(?:either|be) (\d+)(?:,| or)")
        found = [m.group(1) for p in patterns for m in [re.search(p, text)] if m]
        return f"{{{found[0]}}}" if found else "{1}" if re.match(r"il|k1|ifst|itype|isgn|ifirst|[bjn]1$|kstart|dol|i$|nw$|twist", a.name) else ""

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
        if re.match("(?i)[^.]*Cholesky factorization", text) or re.search(r"(?i)^ *\w* is[^.]*\. *The (upper or lower )?triangular (factor|(band )?matrix)", text):
            return "@triangle"
        if re.search(r"(?i)positive definite", text) or re.match(r"[sdcz]p[opb](trf|tf2|sv|con)", self.routine.name) and a.name in ("a", "ap", "ab"):
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
        uplo = next((u for u in ("uplo",) if u in self.args), None)
        if order is None or not uplo or "transr" in self.args:
            return None
        order = self.conditional(a, order)
        return f"[{show(order)};packed;{uplo}{self.diag(a)}]"

    def diag(self, a):
        return ";diag" if "diag" in self.args and re.search(r"(?i)diagonal elements[^.]*not\s+referenced", a.text) else ""

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
        if m := re.fullmatch(r"(k[dab]?)\+1", least):
            k = m.group(1)
            tail = ";uplo" + self.diag(a) if self.diag(a) else ""
            return f"[{show(columns)},{show(columns)},uplo=U?0:{k},uplo=U?{k}:0;{ld}{tail}]" if "uplo" in self.args else None
        rows = "m" if "m" in self.args else show(columns)
        if least == "kl+ku+1":
            return f"[{rows},{show(columns)},kl,ku;{ld}]"
        if least in ("2*kl+ku+1", "kl+ku+kl+1"):
            return f"[{rows},{show(columns)},kl,kl+ku;{ld}]"
        return None

    def is_triangle(self, a, rows, columns):
        if "uplo" not in self.args or not re.search(r"(?i)triang|factor|multiplier", a.text):
            return False
        if re.search(r"(?i)eigenvectors|(orthogonal|unitary)\s+matrix\s+[QZ]\b(?!\s+as\b)|is destroyed\.? *$", a.text):
            return False
        if show(rows) == show(columns):
            return True
        return bool(re.search(r"(?i)not referenced|trapez", a.text))


def mentions(e, name):
    if isinstance(e, tuple):
        return e[0] == "opt" and e[1] == name or any(mentions(x, name) for x in e[1:])
    return e == name


def has_abs(e):
    return isinstance(e, tuple) and (e[0] == "abs" or any(has_abs(x) for x in e[1:]))


def packed_order(size):
    """n of n*(n+1)/2."""
    m = re.fullmatch(r"(\w+)\*\((\w+)\+1\)/2|\((\w+)\*\((\w+)\+1\)\)/2", show(without_max1(size))) if not has_abs(size) else None
    if not m:
        return None
    n = m.group(1) or m.group(3)
    return n if n == (m.group(2) or m.group(4)) else None


def vector_of(size):
    """(n, incx) of 1+(n-1)*abs(incx)."""
    if isinstance(size, tuple) and size[0] == "?":
        first, second = vector_of(size[2]), vector_of(size[3])
        return (("?", size[1], first[0], second[0]), first[1]) if first and second and first[1] == second[1] else None
    if isinstance(size, tuple) and size[0] == "max" and size[1] == 1:
        size = size[2]
    if not isinstance(size, tuple) or size[0] != "+":
        return None
    product = size[2] if size[1] == 1 else size[1] if size[2] == 1 else None
    if not isinstance(product, tuple) or product[0] != "*":
        return None
    count, step = product[1:]
    if isinstance(step, tuple) and step[0] == "abs":
        step = step[1]
    if not isinstance(step, str):
        return None
    return plus(count, 1), step


# --- families -----------------------------------------------------------------------------------------------------

Family = collections.namedtuple("Family", "pattern types flags arguments names notes matgen")


C_TYPES = {"float": "S", "double": "D", "lapack_int": "I", "lapack_logical": "L", "lapack_complex_float": "C",
           "lapack_complex_double": "Z"}


class Header:
    """What lapacke.h declares."""

    def __init__(self, path):
        text = path.read_text() if path else ""
        self.params = {name: [p.strip() for p in params.split(",")]
                       for name, params in re.findall(r"\bLAPACKE_(\w+)\s*\(([^;{]*?)\)\s*;", text)}

    def interfaces(self, name):
        return "lapacke" if name in self.params else "lapacke_work" if name + "_work" in self.params else ""

    def returned_works(self, routine):
        """Workspaces that the high-level interface has as parameters, with their names there."""
        declared = [p for p in self.params.get(routine.name, []) if not p.endswith(" matrix_layout")]
        works = [a for a in routine.args if a.dims is not None and is_work(a)]
        lengths = [a for a in routine.args if re.match(r"l[cris]?\w*work\d?$|ldwork$", a.name)]
        hidden = len(routine.args) - len(works) - len(lengths) - any(a.name == "info" for a in routine.args)
        if len(declared) <= hidden:
            return {}
        out = {}
        for param in declared:
            name = param.split()[-1].lstrip("*").lower()
            if any(a.name == name and a not in works for a in routine.args) or "*" not in param:
                continue
            kind = C_TYPES.get(param.replace("const ", "").split("*")[0].strip())
            found = next((a for a in works if a.name == name), None) or \
                next((a for a in works if a.type == kind and a.name not in out), None)
            if found:
                out[found.name] = name
        return out


def has_array(routine):
    return any(a.dims is not None or a.type == "FUN" for a in routine.args)


def stem_of(name, names):
    """The name with ? for the prefix of a precision, and that prefix."""
    special = re.fullmatch(r"(sc|dz)(sum1)|(cs|zd)(rscl)", name)
    if special:
        prefix, rest = special.group(1) or special.group(3), special.group(2) or special.group(4)
        return "?" + rest, prefix
    for m in re.finditer(r"[sdcz]", name[:4]):
        stem = name[:m.start()] + "?" + name[m.end():]
        others = [stem.replace("?", t) for t in "sdcz"]
        if m.start() == 0 and name[0] in "sdcz" or sum(o in names for o in others) > 1:
            if sum(o in names for o in others) > 1:
                return stem, m.group()
    return name, name[0] if name[0] in "sdcz" else ""


def same_line(real, complex_):
    """Whether the line of a real routine is that of the complex one but for marks :R."""
    return real == complex_.replace(":R", "")


def families(routines, header, without=()):
    """All families of routines that work on arrays, except routines WITHOUT."""
    groups = collections.OrderedDict()
    for name, r in sorted(routines.items()):
        if has_array(r) and name not in without:
            stem, prefix = stem_of(name, routines)
            groups.setdefault((stem, r.matgen), []).append((prefix, r))
    for (stem, matgen), members in sorted(groups.items()):
        lines = collections.OrderedDict()
        members.sort(key=lambda m: max(["sdcz".index(c) for c in m[0]], default=0))
        for prefix, r in members:
            d = Describer(r, header.returned_works(r))
            line = d.line()
            kind = d.type.lower()
            key = (header.interfaces(r.name), line)
            same = next((k for k in lines if k[0] == key[0] and (same_line(k[1], line) or same_line(line, k[1]))), key)
            key = same if len(same[1]) > len(line) else key  # the one with marks :R
            lines[key] = lines.pop(same, []) + [(prefix, kind, r.name, d.notes)]
        for (flag, line), variants in lines.items():
            types = [p if p == k else f"{p}:{k}" for p, k, _, _ in variants] if "?" in stem else [k for _, k, _, _ in variants]
            notes = sorted({n for v in variants for n in v[3]})
            yield Family(stem, types, flag, line, [v[2] for v in variants], notes, matgen)


def wrapped(text, width=118):
    """One line, or a line and its continuations."""
    out, line = [], ""
    for word in text.split(" "):
        if line and len(line) + 1 + len(word) > width:
            out.append(line)
            line = "    " + word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join(out + [line])


def text_of_family(family, cost=""):
    head = " ".join([family.pattern] + family.types + ([family.flags] if family.flags else []))
    return wrapped(f"{head} | {family.arguments} |{' ' + cost if cost else ''}")


def subject_of(family):
    if family.matgen:
        return "matgen"
    name = family.pattern.replace("?", "", 1) if "?" in family.pattern else family.pattern[1:]
    return next(subject for subject, pattern in SUBJECTS if re.match(pattern, name))


# --- spec files ---------------------------------------------------------------------------------------------------

class Entry:
    """A family of a spec file with the comment lines above it."""

    def __init__(self, comments, text):
        self.comments = comments
        self.text = re.sub(r"\s+", " ", text).strip()
        head, self.arguments, self.cost = (part.strip() for part in split_bars(self.text))
        words = head.split()
        self.pattern = words[0]
        self.flags = " ".join(w for w in words[1:] if w in ("cblas", "lapacke", "lapacke_work"))
        self.types = [w for w in words[1:] if w not in ("cblas", "lapacke", "lapacke_work")]
        self.names = [self.pattern.replace("?", t.split(":")[0]) for t in self.types]

    @property
    def corrected(self):
        return any(c.startswith("# corrected:") for c in self.comments)

    def described(self):
        """What the importer is responsible for."""
        return sorted(self.types), self.flags, without_data(self.arguments)


def split_bars(text):
    """The three parts of a family line; || is no bar."""
    parts = re.split(r"(?<!\|)\|(?!\|)", text)
    return parts[0], parts[1], "|".join(parts[2:])


def without_data(arguments):
    return re.sub(r"@\w+", "", arguments)


def read_spec(path):
    """(lines of the header, entries)."""
    header, entries, comments, current = [], [], [], []

    def finish():
        if current:
            entries.append(Entry(list(comments), " ".join(current)))
            comments.clear()
            current.clear()

    for line in path.read_text().splitlines():
        if line.startswith(" ") and current:
            current.append(line)
            continue
        finish()
        if line.startswith("["):
            header = comments + [line]
            comments = []
        elif line.startswith("#"):
            comments.append(line)
        elif line.strip():
            current.append(line)
    finish()
    return header, entries


def with_data(arguments, old):
    """ARGUMENTS with the @data that an older version has."""
    data = dict(re.findall(r":(\w+)(?:/\w+)?\[[^\]]*\](?::\w)?@(\w+)", old))
    return " ".join(re.sub(r"^(\w+(?:\(\w+\))?:(\w+)\S*)$", lambda m: m.group(1) + ("@" + data[m.group(2)] if m.group(2) in data else ""), w)
                    for w in without_data(arguments).split(" "))


def entry_of(family, old):
    arguments = with_added(with_data(family.arguments, old.arguments), old.arguments) if old else family.arguments
    entry = Entry([], text_of_family(family._replace(arguments=arguments), old.cost if old else ""))
    entry.comments = [c for c in old.comments] if old else []
    return entry


def update(folder, routines, header):
    """Rewrites all spec files of the folder; corrected families stay as they are."""
    specs = {p.stem: read_spec(p) for p in sorted(folder.glob("*.spec")) if p.stem in [n for n, _ in SUBJECTS] + ["matgen"]}
    old = {name: e for _, entries in specs.values() for e in entries for name in e.names}
    kept = {name for name, e in old.items() if e.corrected}
    new = collections.defaultdict(list)
    for family in families(routines, header, kept):
        first = next((old[n] for n in family.names if n in old), None)
        new[subject_of(family)].append(entry_of(family, first))
    for stem, (_, entries) in specs.items():
        new[stem] += [e for e in entries if e.corrected]
    for stem, entries in new.items():
        header = specs[stem][0] if stem in specs else [f"# {stem}. The notation is explained in trace/routines/README.md.", f"[{stem}]"]
        entries.sort(key=lambda e: (e.pattern.replace("?", ""), "sdcz".index(e.types[0][-1])))
        lines = header + [l for e in entries for l in e.comments + [wrapped(e.text)]]
        (folder / f"{stem}.spec").write_text("\n".join(lines) + "\n")


def check(folder, routines, header):
    """Prints each difference between spec files and sources that no comment explains; returns how many."""
    findings = []
    imported = {}
    entries = [(p.name, e) for p in sorted(folder.glob("*.spec")) for e in read_spec(p)[1] if e.names[0] in routines]
    for family in families(routines, header):
        entry = entry_of(family, None)
        for name, kind in zip(family.names, family.types):
            imported[name] = (kind, entry.flags, without_data(entry.arguments))
    described = collections.Counter(name for _, e in entries for name in e.names)
    for file, e in entries:
        differs = [n for n, t in zip(e.names, e.types)
                   if n not in imported or not equal(imported[n], (t, e.flags, without_data(e.arguments)))]
        if differs and not e.corrected:
            findings.append(f"{file}: {e.pattern} differs from the sources ({' '.join(differs)})")
        if e.corrected and not differs:
            findings.append(f"{file}: {e.pattern} does not differ from the sources: its comment is not needed")
    findings += [f"{n} is described {c} times" for n, c in described.items() if c > 1]
    findings += [f"{n} is not described" for n in imported if n not in described]
    for finding in findings:
        print(finding)
    return len(findings)


LEGAL = r"\{[^}]*\}"


def without_added(described, imported):
    """DESCRIBED without the {legal} values that IMPORTED leaves open."""
    words, sources = described.split(" "), imported.split(" ")
    if len(words) != len(sources):
        return described
    return " ".join(re.sub(LEGAL, "", w) if "{" not in s else w for w, s in zip(words, sources))


def with_added(imported, described):
    """IMPORTED with the {legal} values that it leaves open and DESCRIBED has."""
    words, sources = described.split(" "), imported.split(" ")
    if len(words) != len(sources):
        return imported
    return " ".join(s + re.search(LEGAL, w).group() if "{" in w and "{" not in s and re.sub(LEGAL, "", w) == s else s
                    for w, s in zip(words, sources))


def equal(imported, described):
    """The same but for legal values that the sources leave open and marks :R that a real routine does not need."""
    described = described[:2] + (without_added(described[2], imported[2]),)
    return imported[:2] == described[:2] and (imported[2] == described[2] or
                                              imported[0] in "sd" and imported[2] == described[2].replace(":R", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--header", type=Path, default=Path("/usr/include/lapacke.h"), help="lapacke.h")
    parser.add_argument("--update", type=Path, metavar="FOLDER")
    parser.add_argument("--check", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    routines = read_routines(options.sources)
    header = Header(options.header)
    if options.update:
        return update(options.update, routines, header)
    if options.check:
        return check(options.check, routines, header) > 0
    for family in families(routines, header):
        for note in family.notes:
            print("#", note)
        print(text_of_family(family))
    return 0


if __name__ == "__main__":
    sys.exit(main())
