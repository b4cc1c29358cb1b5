# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a report with Python's HTML parser and names what is wrong with its structure, one a line; exit code 1 then.

Nothing of a stranger may have become markup: only these elements and attributes may appear, scripts and styles once,
every reference stays inside the page, every id is there once, headings skip no level, every chart has a title and a
description, every fold a summary.
"""
import sys
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "path", "circle", "rect", "line", "use"}
ELEMENTS = VOID | set(
    "html head title style body a header span nav output button main div h1 h2 h3 h4 p code section dl dt dd svg defs symbol "
    "desc text g figure figcaption details summary table caption thead tbody tr th td ul li pre i b small script footer dialog "
    "kbd form".split())
ATTRIBUTES = set(
    "lang charset http-equiv content name class id href hidden type placeholder for tabindex role scope colspan open method title "
    "width height viewbox d fill stroke stroke-width stroke-linecap stroke-linejoin r cx cy x y x1 x2 y1 y2 rx focusable".split())


class Checker(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack, self.problems, self.ids, self.targets, self.labels = [], [], set(), [], []
        self.counts, self.heading, self.children = {}, 0, []

    def wrong(self, text):
        self.problems.append(f"line {self.getpos()[0]}: {text}")

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in ELEMENTS:
            self.wrong(f"<{tag}> does not belong into a report")
        for name, value in attrs:
            if name not in ATTRIBUTES and not name.startswith("aria-"):
                self.wrong(f"attribute {name} of <{tag}>")
            if name == "id":
                if value in self.ids:
                    self.wrong(f"id {value} is there twice")
                self.ids.add(value)
            if name == "href":
                if not value.startswith("#"):
                    self.wrong(f"a reference leaves the page: {value}")
                self.targets.append(value[1:])
            if name in ("aria-labelledby", "for"):
                self.labels += value.split()
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            level = int(tag[1])
            if level > self.heading + 1:
                self.wrong(f"<{tag}> after a heading of level {self.heading}")
            self.heading = level
        if self.children:
            self.children[-1].append(tag)
        if tag not in VOID:
            self.stack.append((tag, dict(attrs)))
            self.children.append([])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.stack or self.stack[-1][0] != tag:
            self.wrong(f"</{tag}> closes {self.stack[-1][0] if self.stack else 'nothing'}")
            return
        _, attrs = self.stack.pop()
        children = self.children.pop()
        if tag == "svg" and attrs.get("class", "").startswith("chart") and children[:2] != ["title", "desc"]:
            self.wrong("a chart without title and description")
        if tag == "details" and children[:1] != ["summary"]:
            self.wrong("a fold without a summary")

    def finish(self):
        self.close()
        if self.stack:
            self.wrong(f"<{self.stack[-1][0]}> is never closed")
        for target in self.targets:
            if target not in self.ids:
                self.wrong(f"#{target} leads nowhere")
        for label in self.labels:
            if label not in self.ids:
                self.wrong(f"the label {label} is missing")
        for tag, wanted in {"html": 1, "main": 1, "h1": 1, "script": 1, "style": 1, "header": 1, "footer": 1}.items():
            if self.counts.get(tag, 0) != wanted:
                self.wrong(f"{self.counts.get(tag, 0)} <{tag}>")
        return self.problems


with open(sys.argv[1], encoding="utf-8", errors="strict") as file:
    checker = Checker()
    checker.feed(file.read())
found = checker.finish()
print("\n".join(found[:20]))
sys.exit(1 if found else 0)
