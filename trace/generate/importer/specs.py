# SPDX-License-Identifier: BSD-3-Clause
"""The spec files: read, brought up to date, compared with what the sources say."""
import collections
import re

from importer.families import families

# Which file a family belongs to: the first whose pattern its name without prefixes matches.
SUBJECTS = [
    ("lapack_norms", r"lan(?!eg)|disna"),
    ("lapack_generalized", r"gg|ge(gs|gv)|tg|hgeqz|(sy|he|sp|hp|sb|hb)(gv|gst|gs2)|pbstf|laqz|lags|lagv|latdf"),
    ("lapack_svd", r"ge(svd|sdd|svj|jsv|brd|bd2)|gbbrd|bd|bbcsd|la(ls|sd|sq|brd)|gsvj|(or|un)(gbr|mbr|bdb|csd|m22)"),
    ("lapack_qr", r"ge(qr|lq|ql|rq|qp|ls|ml?q|mqr|tsqr|tsls)|(or|un)[gm](2|l|q|r|tsqr)|(or|un)hr|tz|"
                  r"tp(qr|lq|mqr|mlq|rfb)|la(rz|rf|rt|mtsqr|mswlq|tsqr|swlq|qp|tzm|trz|ic1|orhr|unhr)|getsq"),
    ("lapack_eigen", r"(sy|he|sp|hp|sb|hb|st)(ev|trd|td2|ebz|edc|eqr|ein|emr|egr|erf)|pteqr|ge(ev|es|hrd|hd2|ba)|hse|"
                     r"tre|trs(en|na|yl)|(or|un|up|op)[gm](tr|hr)|[sh]b2st|lar[1r]|"
                     r"la(hr|hqr|qr|ed|rr|ebz|trd|ein|exc|ln2|ev|eqr|qtr|sy2|neg)"),
    ("lapack_lu", r"(ge|gb|gt)(trf|tf2|trs|tri|sv|con|rfs|equ|ts2|tc2|sc2)|[sc]gesv|la(swp|gt|qge|qgb)"),
    ("lapack_cholesky", r"(po|pp|pb|pt|pf|ps)|[sc]posv|lau|laq(sy|sp|sb|he|hp|hb)$"),
    ("lapack_indefinite", r"(sy|sp|he|hp)(trf|tf2|trs|tri|sv|con|rfs|swap|equ)|la(sy|he)f"),
    ("lapack_triangular", r"(tr|tb|tp|tf)|lat[brp]s|(hf|sf)rk"),
    ("lapack_auxiliary", r""),
]


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
    """The lines of a family; a cost that does not fit behind the arguments has lines of its own."""
    head = " ".join([family.pattern] + family.types + ([family.flags] if family.flags else []))
    arguments = f"{head} | {family.arguments}"
    if "\n" not in wrapped(f"{arguments} | {cost}"):
        return f"{arguments} | {cost}".rstrip()
    return wrapped(arguments) + "\n" + "    " + wrapped(f"| {cost}", 114).replace("\n", "\n  ") if cost else wrapped(f"{arguments} |")


def subject_of(family):
    if family.matgen:
        return "matgen"
    name = family.pattern.replace("?", "", 1) if "?" in family.pattern else family.pattern[1:]
    return next(subject for subject, pattern in SUBJECTS if re.match(pattern, name))


class Entry:
    """A family of a spec file with the comment lines above it."""

    def __init__(self, comments, lines):
        self.comments = comments
        self.lines = lines
        text = re.sub(r"\s+", " ", " ".join(lines)).strip()
        head, self.arguments, self.cost = (part.strip() for part in split_bars(text))
        words = head.split()
        self.pattern = words[0]
        self.flags = " ".join(w for w in words[1:] if w in ("cblas", "lapacke", "lapacke_work"))
        self.types = [w for w in words[1:] if w not in ("cblas", "lapacke", "lapacke_work")]
        self.names = [self.pattern.replace("?", t.split(":")[0]) for t in self.types]

    @property
    def corrected(self):
        return any(c.startswith("# corrected:") for c in self.comments)


def split_bars(text):
    """The three parts of a family line; || is no bar."""
    parts = re.split(r"(?<!\|)\|(?!\|)", text)
    return parts[0], parts[1], "|".join(parts[2:])


def without_data(arguments):
    return re.sub(r"@\w+(?:\(\S*\))?", "", arguments)


def read_spec(path):
    """(lines of the header, entries)."""
    header, entries, comments, current = [], [], [], []

    def finish():
        if current:
            entries.append(Entry(list(comments), list(current)))
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
    data = dict(re.findall(r":(\w+)(?:/\w+)?\[[^\]]*\](?::\w)?(@\w+(?:\(\S*\))?)", old))
    words = without_data(arguments).split(" ")
    names = (re.match(r"\w+(?:\(\w+\))?:(\w+)", word) for word in words)
    return " ".join(word + data.get(name.group(1) if name else "", "") for word, name in zip(words, names))


LEGAL = r"\{[^}]*\}"


def without_bounds(word):
    """A word of the arguments with {EXPR} for {<=EXPR} and {>=EXPR}: which of them it is, is the table's business."""
    return re.sub(r"\{[<>]=", "{", word)


def without_added(described, imported):
    """DESCRIBED without the {legal} values that IMPORTED leaves open."""
    words, sources = described.split(" "), imported.split(" ")
    if len(words) != len(sources):
        return described
    return " ".join(re.sub(LEGAL, "", w) if "{" not in s else without_bounds(w) for w, s in zip(words, sources))


def with_added(imported, described):
    """IMPORTED with the {legal} values that it leaves open and DESCRIBED has."""
    words, sources = described.split(" "), imported.split(" ")
    if len(words) != len(sources):
        return imported
    return " ".join(s + re.search(LEGAL, w).group() if "{" in w and "{" not in s and re.sub(LEGAL, "", w) == s else
                    w if without_bounds(w) == s else s for w, s in zip(words, sources))


def equal(imported, described):
    """The same but for legal values that the sources leave open and marks :R that a real routine does not need."""
    one, other = imported[2], without_added(described[2], imported[2])
    if imported[0] in "sd":
        one, other = one.replace(":R", ""), other.replace(":R", "")
    return imported[:2] == described[:2] and one == other


def imported_entries(routines, header):
    """Of each routine what the sources say: (type, interfaces, arguments without data)."""
    return {name: (kind, family.flags, without_data(family.arguments)) for family in families(routines, header)
            for name, kind in zip(family.names, family.types)}


def agrees(entry, imported):
    """Whether the sources say the same of all routines of the family."""
    arguments = without_data(entry.arguments)
    return all(name in imported and equal(imported[name], (kind, entry.flags, arguments))
               for name, kind in zip(entry.names, entry.types))


def renewed(entry, family):
    """The lines of a family that the sources describe in another way than ENTRY does."""
    arguments = with_added(with_data(family.arguments, entry.arguments), entry.arguments)
    return entry.comments + [text_of_family(family._replace(arguments=arguments), entry.cost)]


def update(folder, routines, header):
    """Rewrites the families of the spec files that differ from the sources without a comment; adds missing ones."""
    imported = imported_entries(routines, header)
    missing = set(imported)
    for path in sorted(folder.glob("*.spec")):
        head, entries = read_spec(path)
        if not entries or entries[0].names[0] not in imported:
            continue
        lines = head
        for entry in entries:
            missing -= set(entry.names)
            if entry.corrected or agrees(entry, imported):
                lines += entry.comments + entry.lines
                continue
            mine = {name: routines[name] for name in entry.names if name in routines}
            for family in families(mine, header, routines):
                lines += renewed(entry, family)
        path.write_text("\n".join(lines) + "\n")
    for family in families({name: routines[name] for name in missing}, header, routines):
        with open(folder / f"{subject_of(family)}.spec", "a", encoding="utf-8") as file:
            file.write(text_of_family(family) + "\n")


def check(folder, routines, header):
    """Prints each difference between spec files and sources that no comment explains; returns how many."""
    findings = []
    imported = imported_entries(routines, header)
    entries = [(p.name, e) for p in sorted(folder.glob("*.spec")) for e in read_spec(p)[1] if e.names[0] in imported]
    described = collections.Counter(name for _, e in entries for name in e.names)
    for file, e in entries:
        if not agrees(e, imported) and not e.corrected:
            findings.append(f"{file}: {e.pattern} differs from the sources")
        if agrees(e, imported) and e.corrected:
            findings.append(f"{file}: {e.pattern} does not differ from the sources: its comment is not needed")
    findings += [f"{n} is described {c} times" for n, c in described.items() if c > 1]
    findings += [f"{n} is not described" for n in imported if n not in described]
    for finding in findings:
        print(finding)
    return len(findings)
