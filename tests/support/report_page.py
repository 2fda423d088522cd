"""A report as a browser would read it, for tests."""

from html.parser import HTMLParser

from moot.analyses.arm_accuracy import report_accuracy
from moot.reports.html import ReportedRun, html_page

VOID = {"meta", "input", "link", "img", "br", "wbr"}


ALLOWED = """
    html head meta title style body header nav main section article p h1 h2 h3 h4 ul li dl dt dd b i
    strong small wbr span code a label input table thead tbody tr th td div figure figcaption
    details summary script svg text line circle rect
"""


class Page(HTMLParser):
    """What a browser would make of a page: its elements, their attributes, their text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.open = [], [], []
        self.own = {"script": [], "style": []}
        self.goes_on = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.goes_on = tag == "wbr"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data):
        texts = self.own.get(self.open[-1] if self.open else "", self.texts)
        if self.goes_on:
            data = texts.pop() + data
        texts.append(data)
        self.goes_on = False

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def reported(results, rows=(), setup=None):
    def fetch(*of):
        return [row for row in rows if (row.arm, row.question, row.dataset) == of]

    labels = {arm.arm: arm.label for arm in results.arms}
    return ReportedRun(results.run, setup, rows, fetch, labels)


def page(results, rows=(), *, setup=None, **options):
    runs = [reported(results, rows, setup)]
    given = {"runs": runs, "transcripts": 200, "figures": False} | options
    return "".join(html_page([report_accuracy(results)], **given))


def harmless(text: str) -> None:
    """Nothing in a page comes from what somebody wrote but text."""
    read = Page(text)
    assert read.open == []
    tags = [tag for tag, _ in read.elements]
    assert set(tags) <= set(ALLOWED.split())
    assert (tags.count("script"), tags.count("style")) == (1, 1)
    for _, attributes in read.elements:
        assert not any(name.startswith("on") for name in attributes)
        assert not {"src", "srcset", "style", "srcdoc", "action", "formaction"} & set(attributes)
        assert attributes.get("href", "#").startswith("#")
