# SPDX-License-Identifier: BSD-3-Clause
"""What a page of ktrace report --html holds, for tests/report/report_html.sh.

    alone FILE          what it would load, and elements that a page does not have
    value FILE EXPR     a Python expression of its data, d
    sums FILE REPORT    where the data differ from the document of ktrace report --json
    contrast CSS        pairs of colours that are hard to read beside each other
    selftest DOM EXPR   a Python expression of what the page's own test found, d
"""
import html.parser
import json
import re
import sys

ELEMENTS = {"html", "head", "meta", "title", "style", "body", "a", "header", "h1", "p", "button", "nav", "ul", "main", "footer", "div", "noscript", "code", "script"}


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.faults, self.policy = [], ""

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in ELEMENTS:
            self.faults.append(f"element {tag}")
        for name, value in attrs.items():
            if name in ("src", "srcset", "action", "data", "poster") or (name == "href" and not value.startswith("#")) or name.startswith("on"):
                self.faults.append(f"{tag} {name}={value}")
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]


def alone(path):
    page, text = Page(), text_of(path)
    page.feed(text)
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    page.faults += re.findall(r"@import.*|url\(\s*['\"]?[a-z]+:.*", style)
    if "default-src 'none'" not in page.policy:
        page.faults.append("no policy that forbids loading")
    return page.faults


def data_of(path):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text_of(path), re.S)[1])


def is_close(a, b):
    return a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) <= 1e-7 * max(abs(a), abs(b)))


def compare(where, page, report, out):
    """A list of the page may be shorter: what is left out is told, and checked by who calls."""
    if isinstance(page, dict) and isinstance(report, dict):
        if page.keys() != report.keys():
            out.append(f"{where}: keys {sorted(page.keys() ^ report.keys())}")
        for key in page.keys() & report.keys():
            compare(f"{where}.{key}", page[key], report[key], out)
    elif isinstance(page, list) and isinstance(report, list):
        if len(page) > len(report):
            out.append(f"{where}: more rows")
        for i, (a, b) in enumerate(zip(page, report)):
            compare(f"{where}[{i}]", a, b, out)
    elif not is_close(page, report):
        out.append(f"{where}: {page!r} in the page, {report!r} in the report")


def short(page, report):
    """Lists that are shorter than those of the report, as {name: (rows, of)}."""
    return {key: (len(page[key]), len(report[key])) for key in report if isinstance(report[key], list) and key != "paths" and len(page[key]) != len(report[key])}


def sums(path, report):
    data, out = data_of(path), []
    report = json.loads(text_of(report))
    del report["schema"]
    page = data["report"]
    compare("report", page, report, out)
    told = {cut["list"]: (cut["rows"], cut["of"]) for cut in data["left_out"]}
    for name, lengths in short(page, report).items():
        if told.get(name) != lengths:
            out.append(f"{name}: {lengths} rows, but told is {told.get(name)}")
    tree = sum(row[4] for row in data["calls_from"])
    total = sum(shape["total"] for shape in report["shapes"])
    if "calls_from" not in told and not abs(tree - total) <= 1e-6 * total:
        out.append(f"seconds by place: {tree}, by shape: {total}")
    return out


def luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(a, b):
    bright, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def contrast(path):
    out = []
    pairs = [(ink, ground) for ink in ("text", "soft", "mark") for ground in ("page", "panel")] + [("text", "bar"), ("text", "node"), ("page", "mark"), ("page", "text")]
    themes = re.findall(r":root[^{]*\{([^}]*color-scheme[^}]*)\}", text_of(path))
    for theme in themes:
        colour = dict(re.findall(r"--(\w+): (#\w{6})", theme))
        out += [f"{a} on {b}: {ratio(colour[a], colour[b]):.2f}" for a, b in pairs if ratio(colour[a], colour[b]) < 4.5]
    return out if len(themes) == 3 else out + [f"{len(themes)} themes"]


def evaluated(d, expression):
    return [eval(expression, {"d": d})]


def selftest(path, expression):
    found = re.search(r'<pre id="selftest">(.*?)</pre>', text_of(path), re.S)
    return evaluated(json.loads(html.unescape(found[1])), expression) if found else ["no result: the page's script did not run to its end"]


verb, *words = sys.argv[1:]
lines = {"alone": alone, "sums": sums, "contrast": contrast, "selftest": selftest, "value": lambda path, expression: evaluated(data_of(path), expression)}[verb](*words)
print("\n".join(str(line) for line in lines[:20]))
