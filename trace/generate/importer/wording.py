# SPDX-License-Identifier: BSD-3-Clause
"""What the comments of LAPACK say about an argument: option letters, least values, dimensions, when it is not used."""
import re

from importer.expression import NotUnderstood, Parser

OPTION_LINE = (r"(?im)^\s*(?:if |when )?(?:%s\s*(?:=|is|\.eq\.)\s*|=\s*)?"
               r"((?:['\"]\w['\"]\s*(?:,|/|or|=)?\s*(?:=\s*)?)+)")


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
    for m in re.finditer(OPTION_LINE % re.escape(argument.name), argument.text):
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
    m = re.search(r"(?i)\b(?:array|vector)[^.]{0,60}?\bdimensions?\b\s*(?:is|>=|:|at least|=|of)?\s*(?:at least)?\s*",
                  text)
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


def is_work(argument):
    """Named as a workspace, or said to be one right behind its dimension."""
    return bool(re.match(r"[ridcsblz]?(?:work|wrk)\w*$", argument.name) or argument.direction != "in" and
                re.search(r"(?i)dimension[^a-z]*(?:[\w]+ *)?\([^a-z]*[^\n]*\)[\s.,]*"
                          r"(?:[^.]{0,30}\bwork\s?space|[^.]{0,30}\bwork array|used as work)", argument.text))
