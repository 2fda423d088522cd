"""The report: what it says, and that nothing in it acts."""

import re
from base64 import b64encode
from hashlib import sha256

import msgspec

from moot.core.display_text import make_visible
from moot.core.events import Transcript
from moot.core.table import Column, Report, ResultTable, TableRow
from moot.reports import chart_style, drawings
from moot.reports.html import _environment
from support.report_page import Page, harmless, page


def test_hostile_text_is_shown_as_text(rows, results, hostile):
    made = rows(text=hostile, asked=hostile)
    made = [msgspec.structs.replace(row, arm=f"{row.arm} {hostile}") for row in made]
    names = {"name": hostile, "run": hostile, "baseline": f"single {hostile}"}
    text = page(results(made, arms=(), **names), made)
    harmless(text)
    read = Page(text)
    assert read.text.count(" ".join(make_visible(hostile).split())) >= 6  # questions alone are six
    assert "<script>alert(1)</script>" not in text
    assert "{{ 7 * 7 }}" in read.text  # and not 49
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_hostile_text_in_every_other_place(row, transcript, results, hostile):
    replace = msgspec.structs.replace
    made = []
    for verdict in ("4", "failed"):
        said = {"text": hostile, "verdict": verdict, "opening": (hostile,)}
        asked = transcript("single", len(made), [("4",), ("4",)], **said)
        opened, seated, *turns, end = asked.events
        question = replace(
            asked.question,
            id=f"{hostile}{len(made)}",
            kind="choice",
            choices=(hostile, hostile),
            answer=(hostile, "B"),
            context=hostile,
        )
        who = {"agent": hostile, "role": hostile, "model": hostile}
        if verdict == "failed":
            end = replace(end, kind=hostile)
        else:
            end = replace(end, verdict=replace(end.verdict, answer=hostile, by=hostile))
        events = (
            replace(opened, question=question, protocol=hostile, settings={hostile: hostile}),
            replace(seated, seat=replace(seated.seat, model=hostile)),
            *(replace(turn, answer=hostile, **who) for turn in turns),
            end,
        )
        row_ = row(hostile, Transcript(events), hostile)
        made.append(replace(row_, values=row_.values | {hostile: 1.0}))
    text = page(results(made, arms=()), made)
    harmless(text)
    assert Page(text).text.count("<script>alert(1)</script>") > 20


def test_the_policy_allows_only_what_is_there(rows, results):
    read = Page(page(results(rows()), rows()))
    metas = [attributes for tag, attributes in read.elements if tag == "meta"]
    (policy,) = [m["content"] for m in metas if m.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        digest = b64encode(sha256("".join(read.own[kind]).encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_it_needs_nothing_from_elsewhere(rows, results):
    text = page(results(rows()), rows())
    assert not re.search(r"https?://|url\(|@import|<link|<iframe|<img", text)


def test_what_it_says(rows, results):
    read = Page(page(results(rows()), rows()))
    for words in (
        "Trial",
        "Open: society is not compared with a vote at equal tokens.",
        "society is right most often: on 100.0 % of 6 questions.",
        "Failed No answer read Calls Tokens Cost Time",
        "Shown: 12 of 12 debates.",
        "TransientError: It is 4.",
        "read #1, #2, #3 · 50 + 10 tokens · $0.001 · 500 ms",
    ):
        assert words in read.text, words
    assert "imulated" not in read.text
    marks = [attrs["class"] for tag, attrs in read.elements if tag == "a" and "class" in attrs]
    assert sorted(marks) == sorted(
        f"mark {mark}" for mark in ["right"] * 9 + ["wrong", "unparsed", "failed"]
    )


def test_what_is_simulated_says_so(rows, results):
    text = Page(page(results(rows(), simulated={"single", "society"}), rows())).text
    assert text.count("SIMULATED: no language model") == 1
    assert not re.findall(r"\b(?:single|society) \(simulated\)", text)
    text = Page(page(results(rows(), simulated={"single"}), rows())).text
    assert "SIMULATED: no language model takes part in some or all of these methods." in text
    assert "single (simulated)" in text
    assert "society (simulated)" not in text


def test_what_was_left_out_and_why_there_are_no_figures_is_said(rows, results, monkeypatch):
    left = {"prejudice": "no debate has an <opening>"}
    drawings._digest_code.cache_clear()
    monkeypatch.setattr(chart_style, "find_spec", lambda _: None)
    text = Page(page(results(rows()), figures=True, left_out=left)).text
    assert "No figures: figures need altair and vl_convert: install with" in text
    assert "Left out prejudice no debate has an <opening>" in text
    assert not {"figures:", "Left"} & set(Page(page(results(rows()))).text.split())


BANDS = ResultTable(
    "Bands",
    (Column("Arm"), Column("one", "count", group="both"), Column("two", "count", group="both")),
    [TableRow([f"a{k}", k, 10 - k], band=f"band <{k // 2}>", marked=k == 1) for k in range(4)],
    note="A note.",
)


def report_html(report, level=2):
    """A report as a part of any page, as pages of the server have it."""
    template = _environment().get_template("report_part.html")
    return str(template.module.section(report, level, []))


def test_a_report_is_a_part_of_any_page(hostile):
    report = Report(
        hostile, hostile, [BANDS, BANDS._replace(title=hostile)], (hostile,), findings=(hostile,)
    )
    text = report_html(report, level=3)
    assert "<script>" not in text
    read = Page(text)
    assert read.open == []
    assert [tag for tag, _ in read.elements if tag[0] == "h"] == ["h3", "h4", "h4"]
    assert read.text.count("A note.") == 1  # what several tables share stands once


def test_columns_and_rows_share_headings():
    read = Page(report_html(Report("T", "", [BANDS])))
    spans = [(tag, of["colspan"]) for tag, of in read.elements if "colspan" in of]
    assert spans == [("td", "1"), ("th", "2"), ("th", "3"), ("th", "3")]
    assert sum(tag == "tbody" for tag, _ in read.elements) == 2  # rows are sorted within a band
    assert "both Arm one two band <0> a0 0 10 a1 1 9 band <1> a2 2 8" in read.text
