"""Checks a page of weft report: tags that match, ids, headings, tables, references, contrast.

usage: check_page.py PAGE [SECTION...]: it must have these sections, and none besides.
"""

import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input", "hr"}
TAGS = {"script", "iframe", "object", "embed", "form"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.names, self.heads, self.sections = [], [], [], [], []
        self.links, self.tables, self.problems, self.scripts = [], [], [], 0
        self.css, self.styles = "", 0

    def handle_starttag(self, tag, attributes):
        get = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in get:
            self.ids.append(get["id"])
        self.names += get.get("aria-labelledby", "").split()
        if re.fullmatch("h[1-6]", tag):
            self.heads.append(int(tag[1]))
        if tag == "section" and "id" in get:
            self.sections.append(get["id"])
        if get.get("href", "").startswith("#"):
            self.links.append(get["href"][1:])
        if tag == "table":
            self.tables.append({"caption": False, "scopes": True})
        if tag == "caption":
            self.tables[-1]["caption"] = True
        if tag == "th" and get.get("scope") not in ("col", "row"):
            self.tables[-1]["scopes"] = False
        if tag == "svg" and get.get("role") != "img" and get.get("aria-hidden") != "true":
            self.problems.append(f"a picture without a name at {self.getpos()}")
        self.names += get.get("aria-describedby", "").split()
        if get.get("role") == "img" and not (get.get("aria-label") or get.get("aria-labelledby")):
            self.problems.append(f"an image without words at {self.getpos()}")
        if tag in TAGS:
            self.scripts += 1
        for name, value in attributes:
            if name.startswith("on"):
                self.problems.append(f"an attribute {name} at {self.getpos()}")
            if name in ("src", "href", "xlink:href") and not value.startswith("#"):
                self.problems.append(f"{name}={value} at {self.getpos()}")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.problems.append(f"</{tag}> at {self.getpos()} ends {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open[-1:] == ["style"]:
            self.css += data


def luminance(colour):
    colour = colour.lstrip("#")
    if len(colour) == 3:
        colour = "".join(c * 2 for c in colour)
    parts = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def check_colours(css, problems):
    """Text needs 4.5 of contrast, what is drawn 3: WCAG 2.2, 1.4.3 and 1.4.11."""
    palettes = re.findall(r":root\s*\{(.*?)\}", css, re.S)
    if len(palettes) != 3:
        problems.append(f"{len(palettes)} palettes, not light, dark and paper")
    seen = {}
    for palette in palettes:
        seen.update(re.findall(r"--([\w-]+):\s*(#[0-9a-f]+)", palette))
        for ground in ("ground", "paper"):
            for ink in ("ink", "faint", "link"):
                if contrast(seen[ink], seen[ground]) < 4.5:
                    problems.append(f"{ink} on {ground}: {seen[ink]} on {seen[ground]}")
            for number in range(8):
                if contrast(seen[f"c{number}"], seen[ground]) < 3:
                    problems.append(f"c{number} on {ground}")
        for level in ("good", "missed", "different", "failed"):
            for ink in (level, "ink"):
                if contrast(seen[ink], seen[f"{level}-soft"]) < 4.5:
                    problems.append(f"{ink} on {level}-soft")


def main():
    with open(sys.argv[1], "rb") as file:
        text = file.read().decode("utf-8")
    page = Page()
    page.feed(text)
    problems = page.problems
    check_colours(page.css, problems)
    if page.open:
        problems.append(f"still open: {page.open}")
    if page.scripts != 1:
        problems.append(f"{page.scripts} scripts and the like, not one")
    for one in sorted({i for i in page.ids if page.ids.count(i) > 1}):
        problems.append(f"two have the id {one}")
    for one in page.names + page.links:
        if one not in page.ids:
            problems.append(f"nothing has the id {one}")
    if page.heads[:1] != [1] or page.heads.count(1) != 1:
        problems.append("not one h1, at the begin")
    for before, after in zip(page.heads, page.heads[1:]):
        if after > before + 1:
            problems.append(f"h{after} follows h{before}")
    for number, table in enumerate(page.tables):
        if not table["caption"] or not table["scopes"]:
            problems.append(f"table {number} lacks its caption or scopes")
    wanted = sys.argv[2:]
    there = [one for one in page.sections if one != "missing"]
    if wanted and there != wanted:
        problems.append(f"sections {there}, not {wanted}")
    for landmark in ("<main", "<header", "<nav", "<footer", '<html lang="en">'):
        if landmark not in text:
            problems.append(f"no {landmark}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


sys.exit(main())
