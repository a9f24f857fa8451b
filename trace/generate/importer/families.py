# SPDX-License-Identifier: BSD-3-Clause
"""The variants of a routine in several precisions as one line of the table."""
import collections
import re

from importer.describe import Describer
from importer.wording import is_work

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


def same_line(one, other):
    """Whether the lines of a real and a complex routine are the same but for marks :R that the former does not need."""
    return one == other.replace(":R", "") or other == one.replace(":R", "")


def families(routines, header, known=None):
    """All families of the routines that work on arrays; KNOWN are all routines where that is only a part."""
    groups = collections.OrderedDict()
    for name, r in sorted(routines.items()):
        if has_array(r):
            stem, prefix = stem_of(name, known or routines)
            groups.setdefault((stem, r.matgen), []).append((prefix, r))
    for (stem, matgen), members in sorted(groups.items()):
        lines = collections.OrderedDict()
        members.sort(key=lambda m: max(["sdcz".index(c) for c in m[0]], default=0))
        for prefix, r in members:
            d = Describer(r, header.returned_works(r))
            line = d.line()
            kind = d.type.lower()
            key = (header.interfaces(r.name), line)
            same = next((k for k in lines if k[0] == key[0] and same_line(k[1], line)), key)
            key = same if len(same[1]) > len(line) else key  # the one with marks :R
            lines[key] = lines.pop(same, []) + [(prefix, kind, r.name, d.notes)]
        for (flag, line), variants in lines.items():
            types = [p if p == k or "?" not in stem else f"{p}:{k}" for p, k, _, _ in variants]
            notes = sorted({n for v in variants for n in v[3]})
            yield Family(stem, types, flag, line, [v[2] for v in variants], notes, matgen)
