#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes FOLDER/index.html: each figure that the scripts drew, beside what the paper says and what was found here.

Usage: index.py FOLDER
"""
import glob
import html
import json
import os
import re
import sys

from figure import verdict

NOT_DRAWN = [
    ("Whaley & Castaldo, figure 2", "dgemm tuned with and without flushing: needs a generator of candidate kernels."),
    ("Peise & Bientinesi, figures 4 and 5", "accuracy over a full grid, and against the number of samples: errors are known at held-out points only."),
    ("Peise & Bientinesi, figures with several threads", "algorithms are predicted for one thread."),
    ("Steinmann, loops, FFT and WHT", "`ktrace kernel` times them: examples/kernels."),
    ("BlackjackBench, tables of seven machines", "one machine is measured here: this one."),
]
STYLE = """body { font: 15px/1.45 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 }
h2 { margin-top: 2.2em; border-top: 1px solid #ccc; padding-top: .6em } img { max-width: 100%; margin: .4em 0 }
table { border-collapse: collapse; margin: .6em 0 } td, th { text-align: left; vertical-align: top; padding: .2em .9em .2em 0; border-bottom: 1px solid #ddd }
.yes { color: #17702f } .no { color: #b3261e } .open { color: #777 } code { font-size: 88%; overflow-wrap: anywhere } .small { color: #555; font-size: 90% }"""


def cells(tag, row):
    return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row) + "</tr>"


def claims(figure):
    rows = []
    for claim in figure["claims"]:
        kind = {True: "yes", False: "no", None: "open"}[claim["agrees"]]
        rows.append(f"<tr><td>{html.escape(claim['says'])}</td><td>{html.escape(claim['found'])}</td>"
                    f"<td class='{kind}'>{verdict(claim['agrees'])}</td></tr>")
    return "<table>" + cells("th", ["the paper says", "found here", ""]) + "".join(rows) + "</table>"


def section(figure):
    parts = [f"<h2 id='{figure['name']}'>{html.escape(figure['title'])}</h2>", f"<p class='small'>{html.escape(figure['paper'])}</p>"]
    parts += [f"<p><img src='{html.escape(file)}' alt='{html.escape(figure['title'])}'></p>" for file in figure["pictures"]]
    parts.append(claims(figure))
    for table in figure["tables"]:
        parts.append("<table>" + cells("th", table["head"]) + "".join(cells("td", row) for row in table["rows"]) + "</table>")
    parts += [f"<p class='small'>{html.escape(note)}</p>" for note in figure["notes"]]
    parts.append(f"<p class='small'>{figure['seconds']:.0f} s: " + "<br>".join(f"<code>{html.escape(c)}</code>" for c in figure["commands"]) + "</p>")
    return "\n".join(parts)


def place(figure):
    """By paper, and by the number of the figure in it."""
    number = re.search(r"\d+", figure["paper"])
    return figure["paper"].split(",")[0], int(number[0]) if number else 0, figure["title"]


def write_index(folder, failed):
    figures = []
    for path in sorted(glob.glob(os.path.join(folder, "*.figure.json"))):
        with open(path, encoding="utf-8") as file:
            figures.append(json.load(file))
    figures.sort(key=place)
    counts = {word: sum(claim["agrees"] is word for figure in figures for claim in figure["claims"]) for word in (True, False, None)}
    text = ["<!doctype html><meta charset='utf-8'><title>Figures of the papers, on this machine</title>", f"<style>{STYLE}</style>",
            "<h1>Figures of the papers, on this machine</h1>",
            f"<p>{len(figures)} figures. Of what the papers say {counts[True]} statements agree with what was found here, {counts[False]} do not, "
            f"{counts[None]} cannot be told.</p>",
            "<ul>" + "".join(f"<li><a href='#{f['name']}'>{html.escape(f['paper'])}: {html.escape(f['title'])}</a></li>" for f in figures) + "</ul>"]
    text += [f"<p class='no'>{html.escape(script)} failed with status {status}: its figures are missing.</p>" for script, status in failed.items()]
    text += [section(figure) for figure in figures]
    text.append("<h2>Not drawn</h2><table>" + "".join(cells("td", row) for row in NOT_DRAWN) + "</table>")
    path = os.path.join(folder, "index.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")
    return path


if __name__ == "__main__":
    print(write_index(sys.argv[1], {}))
