# SPDX-License-Identifier: BSD-3-Clause
"""Values of Python expressions of JSON documents, for query() in tests/lib.sh: one process for a test, as Python takes longer to
start than for nearly all answers. Usage: query.py FOLDER DOCUMENTS, which tests/run starts and ends.

A request comes through the pipe FOLDER/ask: a process, what its standard input is, an expression, each with a NUL behind it.
The input is one document, d, or has one on each line, of which d is the list. The answer goes through the pipe FOLDER/PROCESS:
0 and the value, or 1 and what went wrong, and a NUL. What verbs print is added to the file DOCUMENTS.
"""
import json
import os
import sys
import threading
import traceback


def value_of(process, kind, expression, documents):
    # Its pipe, too, can be opened a second time.
    with open(f"/proc/{process}/fd/0", encoding="utf-8", errors="surrogateescape") as file:
        text = file.read()
    if kind == "lines":
        d = [json.loads(line) for line in text.splitlines()]
    else:
        d = json.loads(text)
        if isinstance(d, dict) and str(d.get("schema")).startswith("ktrace."):
            with open(documents, "a", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
    return str(eval(expression, {"d": d, "json": json}))


def answer(folder, documents, process, kind, expression):
    try:
        text = "0" + value_of(process, kind, expression, documents)
    except BaseException:  # whatever the expression does
        text = "1" + traceback.format_exc()
    with open(f"{folder}/{process}", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text + "\0")


def requests(folder):
    pipe = os.open(folder + "/ask", os.O_RDWR)  # for writing as well: it does not end with its first writer
    data = b""
    while True:
        data += os.read(pipe, 1 << 16)
        *words, data = data.split(b"\0")
        while len(words) >= 3:
            yield [word.decode(errors="surrogateescape") for word in words[:3]]
            words = words[3:]
        data = b"".join(word + b"\0" for word in words) + data


for request in requests(sys.argv[1]):
    # Who asks may wait for somebody who asks.
    threading.Thread(target=answer, args=(*sys.argv[1:], *request), daemon=True).start()
