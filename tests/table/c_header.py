# SPDX-License-Identifier: BSD-3-Clause
"""Prototypes in the headers of BLAS, CBLAS and LAPACKE libraries, and how they differ from those the table yields."""
import re

PROTOTYPE = re.compile(r"\b([A-Za-z_][\w ]*?[ *]+)(\w+)\s*\(([^()]*)\)")

# Names of the headers' own for types that C has names for.
TYPES = [(r"\b(CBLAS_INT|lapack_int|lapack_logical|f77_int|blasint)\b", "int"),
         (r"\bCBLAS_INDEX\b", "size_t"),
         (r"\b(CBLAS_ORDER)\b", "CBLAS_LAYOUT"),
         (r"\b(OPENBLAS_)?CONST\b", "const"),
         (r"\b(enum|BLIS_EXPORT_BLAS)\b", ""),
         (r"\b(lapack_complex|openblas_complex)_(float|double)\b", r"\2 _Complex"), (r"\blapack_float_return\b", "float"),
         (r"\bLAPACK_[SDCZ]_SELECT\d\b", "void *")]


def kind(declaration):
    """Type of a declaration without its name, and whether it is a pointer to const."""
    pointer = "*" in declaration
    base = re.sub(r"\bconst\b|\*", " ", declaration).split()
    return " ".join(base) + (" *" if pointer else ""), pointer and "const" in declaration


def parameter(text):
    """(name, kind, is pointer to const); lengths of strings have no names in headers."""
    text = text.strip()
    name = "" if re.fullmatch(r"\w+", text) else re.search(r"\w*$", text).group()
    return (name, *kind(text[: len(text) - len(name)]))


def prototypes(text, wanted):
    """Name -> (kind of result, [(name, kind, is pointer to const)]) of the functions whose names match WANTED."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^\s*#([^\n]*\\\n)*[^\n]*", " ", text, flags=re.S | re.M)
    for pattern, meaning in TYPES:
        text = re.sub(pattern, meaning, text)
    found = {}
    for result, name, parameters in PROTOTYPE.findall(text):
        parts = [p for p in parameters.split(",") if p.strip() not in ("...", "void", "")]
        if re.fullmatch(wanted, name) and "typedef" not in result:
            found[name] = (kind(result)[0], [parameter(p) for p in parts])
    return found


def differences(name, table, header, names=True, same_kind=lambda ours, theirs: ours == theirs):
    """What the header's prototype says that the table's does not; with NAMES also the names of the parameters."""
    if not same_kind(table[0], header[0]):
        yield f"{name}: returns {header[0]}, the table says {table[0]}"
    if len(table[1]) != len(header[1]):
        yield f"{name}: has {len(header[1])} parameters, the table says {len(table[1])}"
        return
    for number, (ours, theirs) in enumerate(zip(table[1], header[1]), 1):
        same_name = not names or not theirs[0] or ours[0].lower() == theirs[0].lower()
        if not same_kind(ours[1], theirs[1]) or not same_name:
            yield f"{name}: parameter {number} is {theirs[1]} {theirs[0]}, the table says {ours[1]} {ours[0]}"
        if theirs[2] and not ours[2]:
            yield f"{name}: parameter {number}, {theirs[0]}, is const, the table says it is written"
