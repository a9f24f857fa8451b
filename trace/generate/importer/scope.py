# SPDX-License-Identifier: BSD-3-Clause
"""The names that expressions in the comments of a routine may use, and what those that are no arguments stand for."""
import collections
import re

from importer.expression import NotUnderstood, Parser, choose
from importer.fortran import Argument
from importer.wording import bounds, option_letters


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
            elif len(values) == 2 and are_opposite(values[0][0], values[1][0]):
                test = whole(Parser(values[0][0][-1], scope), "condition")
                first, second = (whole(Parser(v[1], scope), "sum") for v in values)
                scope["constants"][name] = ("?", test, first, second)
        except NotUnderstood:
            pass


def are_opposite(first, second):
    """Whether two lists of conditions are those of the branches of one IF."""
    return bool(first) and second == first[:-1] + [f".NOT.({first[-1]})"]


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
    texts = {a.name: a.text for a in routine.args}
    return {n: v for n, v in out.items() if n.startswith("ld") or re.search(r"(?i)leading dimension", texts[n])}
