#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""JSON beside its schema, beside text and CSV. Usage: json_check.py CHECK KTRACE ...; prints what is wrong, a line each.

    valid KTRACE VERB [PART]   the documents on standard input, of which VERB prints one or one on each line
    documents KTRACE FILE      the same of documents of any verbs in FILE, as a TAP line
    keys                       all keys of the schema on standard input
    csv KTRACE LIST VERB ...   --csv LIST of a command that prints the same twice has the rows and numbers of --json
    table KTRACE BY LIST HEADING TRACE...  what report prints of a table as text, as JSON and as CSV has the same rows and numbers
"""
import csv
import json
import re
import subprocess
import sys

from jsonschema import Draft202012Validator


def output(*words):
    """What a command prints; diff and check end with 1 where they find something."""
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode > 1:
        raise subprocess.CalledProcessError(result.returncode, words, result.stdout, result.stderr)
    return result.stdout


def schema_of(ktrace, *verb):
    schema = json.loads(output(ktrace, "help", "--json-schema", *verb))
    Draft202012Validator.check_schema(schema)
    return schema


def documents_of(text):
    """One document, or one on each line; those that are the same once."""
    decoder = json.JSONDecoder()
    known = set()
    begin = re.compile(r"\s*")
    at = begin.match(text).end()
    while at < len(text):
        document, end = decoder.raw_decode(text, at)
        if text[at:end] not in known:
            yield document
        known.add(text[at:end])
        at = begin.match(text, end).end()


def innermost(error):
    """Of the variants of a verb the one that comes nearest is told."""
    while error.context:
        error = min(error.context, key=lambda e: (len(list(e.path)) == 0, len(str(e.message))))
    return error


def faults_of(document, verb, validator):
    if next(iter(document), None) != "schema" or not re.fullmatch(rf"ktrace\.{verb}/\d+", str(document["schema"])):
        yield f"the first key is not a schema of {verb}: {list(document)[:1]}"
    for error in validator.iter_errors(document):
        error = innermost(error)
        yield "/".join(map(str, error.absolute_path)) + ": " + error.message[:200]


def check_valid(ktrace, *verb):
    validator = Draft202012Validator(schema_of(ktrace, *verb))
    documents = list(documents_of(sys.stdin.read()))
    for document in documents:
        for fault in faults_of(document, verb[0], validator):
            print(fault)
    if not documents:
        print("there is no document")


def check_documents(ktrace, path):
    with open(path, encoding="utf-8") as file:
        documents = list(documents_of(file.read()))
    verbs = {document["schema"].split(".")[1].split("/")[0] for document in documents}
    validators = {verb: Draft202012Validator(schema_of(ktrace, verb)) for verb in verbs}
    faults = [f"{verb}: {fault}" for document in documents for verb in verbs
              if document["schema"].startswith(f"ktrace.{verb}/") for fault in faults_of(document, verb, validators[verb])]
    print("not ok" if faults else "ok", f"- {len(documents)} different JSON documents are as their schemas say")
    print(*(f"#   {fault}" for fault in faults[:20]), sep="\n")


def keys_of(schema):
    """Names of properties, wherever they stand."""
    if isinstance(schema, list):
        return set().union(*map(keys_of, schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    return keys_of(list(schema.values())) | set(schema["properties"] if isinstance(schema.get("properties"), dict) else ())


def check_keys():
    print(*sorted(keys_of(json.load(sys.stdin))), sep="\n")


# --- tables --------------------------------------------------------------------------------------------------------

def seconds_text(value):
    if value == 0:
        return "0 s"
    for scale, unit in (1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"):
        if abs(value) >= 0.9995 * scale or unit == "ns":
            value /= scale
            return f"{value:.{0 if abs(value) >= 99.95 else 1 if abs(value) >= 9.995 else 2}f} {unit}"


def number_text(value):
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def index_text(value):
    return f"{value:.2f}" if abs(value) <= 10 else ">10" if value > 0 else "<-10"


TEXTS = {"index": index_text, "seconds": seconds_text, "count": lambda value: f"{value:,}", "integer": str, "text": str,
         "part of 1": lambda value: f"{100 * value:.1f} %"}


def cell_text(unit, value):
    return "n/a" if value is None else TEXTS.get(unit, number_text)(value)


def text_rows(text, heading):
    """The table below that heading, row by row, its head first; the widths of columns follow from all lines together."""
    lines = re.split(rf"^{re.escape(heading)}\n-+\n", text, flags=re.M)[1].split("\n")
    lines = lines[:lines.index("")] if "" in lines else lines
    lines = [line for line in lines if re.search("  ", line)]
    width = max(map(len, lines))
    lines = [line.ljust(width) for line in lines]
    gaps = [all(line[i:i + 2] == "  " for line in lines) for i in range(width)]
    begins = [0] + [i + 2 for i in range(width - 2) if gaps[i] and not (gaps[i + 1] and i + 2 < width)]
    return [[line[a:b].strip() for a, b in zip(begins, begins[1:] + [width])] for line in lines]


def columns_of(properties, rows, path=()):
    """Columns of CSV, as the keys that lead to a value: of records, and of the records of maps, one for each key."""
    out = []
    for key, schema in properties.items():
        values = [(row or {}).get(key) for row in rows]
        inner = schema.get("additionalProperties")
        if "properties" in schema:
            out += columns_of(schema["properties"], values, path + (key,))
        elif isinstance(inner, dict) and "properties" in inner:
            for name in dict.fromkeys(name for value in values for name in value or ()):
                out += columns_of(inner["properties"], [(value or {}).get(name) for value in values], path + (key, name))
        else:
            out.append(path + (key,))
    return out


def value_at(row, path):
    for key in path:
        row = (row or {}).get(key)
    return row


def check_csv_text(text, rows, properties):
    """Are the rows of CSV those of JSON?"""
    found = list(csv.DictReader(text.splitlines()))
    paths = columns_of(properties, rows)
    if not rows or len(found) != len(rows):
        print(f"{len(rows)} rows of JSON, {len(found)} of CSV")
    for i, (row, line) in enumerate(zip(rows, found)):
        if list(line) != [".".join(path) for path in paths]:
            print("columns of CSV:", list(line), "expected:", [".".join(path) for path in paths])
            return
        for path in paths:
            if not same_value(line[".".join(path)], value_at(row, path)):
                print(f"row {i}: {path}: CSV {line['.'.join(path)]!r}, JSON {value_at(row, path)!r}")


def same_value(text, value):
    if value is None:
        return text == ""
    if isinstance(value, str):
        return text.lstrip("'") == value
    return json.loads(text) == value


def rows_of(ktrace, table, traces):
    document = json.loads(output(ktrace, "report", "--json", *traces))
    schema = schema_of(ktrace, "report")
    for key in table.split("."):
        document, schema = document[key], schema["properties"][key]
    return document, schema["items"]["properties"]


def check_table(ktrace, by, table, heading, *traces):
    rows, properties = rows_of(ktrace, table, traces)
    check_csv_text(output(ktrace, "report", "--csv", "--by", by, *traces), rows, properties)
    head, *lines = text_rows(output(ktrace, "report", "--by", by, "--top", "100000", *traces), heading)
    columns = {schema["column"]: (key, schema["unit"]) for key, schema in properties.items()
               if "column" in schema and "unit" in schema}
    if len(lines) != len(rows):
        print(f"{len(rows)} rows of JSON, {len(lines)} of text")
    checked = [name for name in head if name in columns]
    if len(checked) < 3:
        print("too few columns of text are described:", head)
    for i, (row, cells) in enumerate(zip(rows, lines)):
        for name, cell in zip(head, cells):
            key, unit = columns.get(name, (None, None))
            if key and unit != "text" and cell not in (cell_text(unit, row[key]), "-"):
                print(f"row {i}: {name}: text {cell!r}, JSON {row[key]!r}")


def check_csv(ktrace, name, *command):
    """--csv NAME of a command that prints the same twice."""
    document = json.loads(output(ktrace, *command, "--json"))
    schema = schema_of(ktrace, document["schema"].split("/")[0].removeprefix("ktrace."))
    for variant in schema.get("anyOf", [schema]):
        if name in variant["properties"] and set(variant["required"]) <= set(document):
            check_csv_text(output(ktrace, *command, "--csv", name), document[name], variant["properties"][name]["items"]["properties"])
            return
    print("no schema has the list", name)


if __name__ == "__main__":
    check, *arguments = sys.argv[1:]
    {"valid": check_valid, "documents": check_documents, "keys": check_keys, "table": check_table, "csv": check_csv}[check](*arguments)
