# SPDX-License-Identifier: BSD-3-Clause
"""Expressions and conditions: read from Fortran and from English, written in the notation of the routine table.

An expression is a number, a name or a tuple (operator, operands...). The option test jobz=NV is ("opt", "jobz", "NV").
"""
import re


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
            elif self.peek() == "lg" or isinstance(left, int) and self.is_factor(self.peek()):
                left = ("*", left, self.power())  # N lg N, 2N, 3 max(1,n)
            else:
                return left

    def is_factor(self, token):
        return token in self.scope or token in ("min", "max")

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


def mentions(e, name):
    if isinstance(e, tuple):
        return e[0] == "opt" and e[1] == name or any(mentions(x, name) for x in e[1:])
    return e == name


def has_abs(e):
    return isinstance(e, tuple) and (e[0] == "abs" or any(has_abs(x) for x in e[1:]))


def packed_order(size):
    """n of n*(n+1)/2."""
    m = re.fullmatch(r"(\w+)\*\(\1\+1\)/2|\((\w+)\*\(\2\+1\)\)/2", show(without_max1(size)))
    return m and (m.group(1) or m.group(2))


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
