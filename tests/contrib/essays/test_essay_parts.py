"""An essay with how it came about, in a terminal, as Markdown and as a page."""

import re
from base64 import b64encode
from hashlib import sha256
from io import StringIO

import msgspec
import pytest
from rich.console import Console

from moot.contrib.essays.essay_forms import essay_markdown, essay_page, essay_view, prose
from moot.contrib.essays.essay_parts import find_quoted_place
from moot.contrib.essays.persona_lists import Persona
from moot.contrib.essays.plan_outline import EssayPlan, PlanPoint
from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.written import Written, describe_essay
from moot.core.events import Passage
from support.essays import transcript
from support.report_page import Page


def terminal(made: Written, **options) -> str:
    file = StringIO()
    Console(file=file, width=80, highlight=False, **options).print(essay_view(made))
    return file.getvalue()


def quote(text: str, *, found: bool) -> Quote:
    state = "found" if found else "missing"
    return Quote(text=text, passage=1, found=found, start=0, state=state, kind="words")


FORMS = [terminal, essay_markdown, lambda made: Page(essay_page(made)).text]


@pytest.fixture
def hostile_essay(hostile):
    """What was written, with hostile text in every place that a model or a document fills."""
    made = describe_essay(transcript(), "ask-1")
    bad = Persona(number=1, description=hostile, claim=hostile, reason=hostile)
    quotes = (quote(hostile, found=False), quote(hostile, found=True))
    more = {"text": hostile, "persona": hostile, "agent": "critic", "model": hostile}
    remarks = [msgspec.structs.replace(each, **more, quotes=quotes) for each in made.dialogue]
    return msgspec.structs.replace(
        made,
        proposition=hostile,
        essay=f"{hostile} “{hostile}” [1]",
        pool=(bad, msgspec.structs.replace(bad, claim="other")),
        personas=(bad,),
        dialogue=tuple(remarks),
        plan=EssayPlan(hostile, (PlanPoint(hostile, (hostile,)),)),
        passages=(Passage(1, hostile, hostile),),
        quotes=quotes,
        outcomes=(hostile,),
        failed=hostile,
        models=(hostile,),
        settings={"model": hostile, hostile: hostile},
        run=hostile,
    )


@pytest.mark.parametrize("form", FORMS)
def test_everything_stands_in_each_form(form):
    made = describe_essay(transcript(), "ask-1")
    shown = " ".join(form(made).replace("\\", "").split())
    for told in (
        *("Museums should be free of charge.", "against it", "debate-to-write", "SIMULATED"),
        *("A taxpayer", "Who never goes should not pay for who does.", "knows the accounts"),
        *("Agent A", "A teacher", "And who pays?", "not yet satisfied", "persuaded"),
        *("a fee keeps some people out", "Fees pay for care.", "Grants do not keep pace."),
        *("[1]", "notes/costs.md:3", "NOT FOUND", "does not stand in the evidence"),
        *("A free door is not a free museum.", "So let those who come pay."),
    ):
        assert told.lower() in shown.lower()
    if form is not terminal:
        assert "12 calls, 240 + 120 tokens, $0.012, 9.0 s" in shown


@pytest.mark.parametrize("form", FORMS)
def test_what_is_missing_is_said_and_leaves_no_empty_part(form):
    bare = form(describe_essay(transcript(keep=0, failed="it would not", searched=()), "ask-1"))
    assert "failed: RefusedError: it would not" in bare
    for part in ("Personas", "Discussion", "Plan", "Evidence", "otherwise"):
        assert part not in bare
    assert "no essay: the reply" in form(describe_essay(transcript(essay=" ")))
    words = form(describe_essay(transcript(plan="We should go for it.")))
    assert "We should go for it." in words
    assert "could not be read as one" in " ".join(words.split())


def test_headings_of_an_essay_are_headings_and_nothing_else_is():
    essay = "# Free\n\n## Who pays <b>\nThe #1 cost.\n\n#No heading. \\# Nor this."
    made = describe_essay(transcript(essay=essay))
    lines = essay_markdown(made).split("\n")
    assert "### Free" in lines
    assert "### Who pays \\<b\\>" in lines
    assert not any(line.startswith("#") and ("cost" in line or "heading" in line) for line in lines)
    page = essay_page(made)
    assert '<strong class="heading">Free</strong>' in page
    assert '<p><strong class="heading">Who pays &lt;b&gt;</strong></p><p>The #1 cost.</p>' in page
    assert page.count('class="heading"') == 2


def test_hostile_text_is_text_on_the_page(hostile_essay, hostile):
    text = essay_page(hostile_essay)
    read = Page(text)
    assert read.open == []
    tags = [tag for tag, _ in read.elements]
    allowed = "html head meta title style body main header article section footer h1 h2 h3 p ul ol"
    allowed += " li div b span strong code mark details summary a"
    assert set(tags) <= set(allowed.split())
    for tag, attributes in read.elements:
        if tag != "meta":
            assert set(attributes) <= {"class", "lang", "id", "href"}
        assert re.fullmatch(r"#passage-\d+", attributes.get("href", "#passage-1"))
        assert re.fullmatch(r"passage-\d+", attributes.get("id", "passage-1"))
    style = read.own["style"][0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policies = [a["content"] for t, a in read.elements if "Policy" in a.get("http-equiv", "")]
    assert policies == [
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    ]
    assert "<script>alert(1)</script>" in read.text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    assert hostile not in text


def test_hostile_text_is_text_in_a_terminal_and_in_markdown(hostile_essay):
    for shown in (terminal(hostile_essay), essay_markdown(hostile_essay)):
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert "[bold red]x[/bold red]" in terminal(hostile_essay)
    assert not re.search(r"(?<!\\)<(?!!-- -->)|(?<!\\)\]\(", essay_markdown(hostile_essay))


@pytest.mark.parametrize(
    ("written_as", "shown"),
    [
        ("- one\n+ two", "\\- one\\\n\\+ two"),
        ("Title\n===\ntext\n---", "Title\\\n\\===\\\ntext\\\n\\---"),
        ("    code", "code"),
        ("# *x* | `y`", "\\# \\*x\\* \\| \\`y\\`"),
        ("In 2020. Then 3.5", "In 2020. Then 3.5"),
    ],
)
def test_prose_is_no_markdown(written_as, shown):
    assert prose(written_as) == shown


@pytest.mark.parametrize("form", FORMS)
def test_what_the_team_quotes_is_marked_in_the_discussion(form):
    team = {"evidence": "notes", "evidence_for": "team"}
    said = "yes\n“Repairs doubled in ten years” [1], but “nobody comes” [2]."
    made = describe_essay(transcript(rounds=(said,), essay="No.", settings=team))
    [first, *_] = made.dialogue
    assert [(each.text, each.found) for each in first.quotes] == [
        ("Repairs doubled in ten years", True), ("nobody comes", False),
    ]  # fmt: skip
    shown = " ".join(form(made).split())
    assert shown.count("NOT FOUND") == 4
    assert "In the discussion: 4 quotations do not stand in the evidence: " in " ".join(
        shown.split()
    )
    writer = describe_essay(transcript(rounds=(said,), essay="No.", settings={"evidence": "notes"}))
    assert {each.quotes for each in writer.dialogue} == {()}
    assert "NOT FOUND" not in form(writer)


def test_what_another_speaker_said_is_no_quotation_of_a_document():
    team = {"evidence": "notes", "evidence_for": "team"}
    said = ("no\nYou say “So I think and so I say”.", "no\nYou say “so I say and think” [1].")
    made = describe_essay(transcript(rounds=said, essay="No.", settings=team))
    quoted = [len(each.quotes) for each in made.dialogue]
    assert quoted == [1, 0, 0, 0, *[1] * 4]


def test_a_quotation_leads_to_the_whole_sentence_around_it():
    made = describe_essay(transcript(), "ask-1")
    text = "They came. In 2011 about 1.5 Mio. Visitors said: “It is free (all year).” Fees rose."
    made = msgspec.structs.replace(made, passages=(Passage(1, "a.md:1", text),))
    for words, before, after in (
        ("Visitors said", "In 2011 about 1.5 Mio. ", ": “It is free (all year).”"),
        ("They came.", "", ""),
        ("Fees rose", "", "."),
    ):
        at = find_quoted_place(
            made, msgspec.structs.replace(quote(words, found=True), nearest=words)
        )
        assert (at.before, at.words, at.after) == (before, words, after)
