"""The report: its set-up, and what the parts of networks came to."""

import re
from importlib.metadata import version

import msgspec

from moot.core.events import Failed, NodeFinished, Transcript
from moot.core.stored import Arm, RunRow, StudyRow
from moot.reports.setup import describe_setup
from support.report_page import Page, harmless, page


def made_of(name, settings):
    arm = Arm(name=name, protocol="society-of-minds", settings=settings)
    study = msgspec.json.encode(StudyRow(name=name, arms=(arm,), baseline=None))
    return describe_setup(
        RunRow(id=1, key="k-1", name=name, created=0.0, status="done", study=study)
    )


def test_when_by_which_moot_and_with_which_settings(rows, results):
    made = made_of("society", {"model": "local/smollm2", "agents": 3, "top_p": None})
    text = Page(page(results(rows()), rows(), setup=made)).text
    assert "begun 1970-01-01 00:00 UTC" in text
    assert f"Reported by moot {version('moot')} · models: local/smollm2 society" in text
    assert text.endswith("society society-of-minds · model = local/smollm2 · agents = 3")
    assert "2 arms on sums: 12 debates." in text
    assert "begun" not in Page(page(results(rows()))).text


def test_a_hostile_setting_is_text(rows, results, hostile):
    read = Page(page(results(rows()), setup=made_of(hostile, {hostile: hostile})))
    assert read.open == []
    assert sum(tag == "script" for tag, _ in read.elements) == 1
    assert "<script>alert(1)" in read.text


async def test_the_parts_of_a_network(row, results, network):
    held = [row("short-long", await network("network", k, "7" if k else "1")) for k in range(4)]
    made = results(held, arms=(), baseline=None, simulated={"short-long"})
    text = page(made, held)
    harmless(text)
    read = Page(text)
    for words in (
        "Debates short-long the network 25.0 0.6 … 80.6 4",
        "layer 1 12.5 0.0 … 37.5 4",
        "node C1 25.0",
        "node C4 75.0",
        "node C4, layer 3 community · read C3 · verdict: 7 by judge Round 1 #7 C4/member",
        "the network read C1, C4 Round 1 #9 judge",
    ):
        assert words in read.text, words
    assert "next sweep" not in read.text


async def test_the_sweeps_of_a_network(row, results, network):
    held = [row("sweeps", await network("hopfield", k, communities=2, sweeps=k)) for k in (1, 2)]
    read = Page(page(results(held, arms=(), baseline=None), held))
    assert re.search(r"sweep 1 [\d.]+ [\d.]+ … [\d.]+ 2 sweep 2 [\d.]+ 1 ", read.text)
    assert "come to the next sweep" in read.text
    assert "node C1, sweep 2 community · read C2 · verdict: 5 by judge" in read.text


async def test_a_hostile_node_is_text_and_one_without_a_verdict_says_so(
    row, results, one_node, hostile
):
    held = await one_node(hostile.replace("/", "").replace(".", ""))
    cut = (event for event in held.events[:-1] if not isinstance(event, NodeFinished))
    failed = Transcript((*cut, Failed(kind="ModelError", reason="gone")))
    made = [row("n", held), row("m", failed)]
    text = page(results(made, arms=(), baseline=None), made, setup=made_of("n", {"nodes": hostile}))
    harmless(text)
    shown = Page(text).text
    assert "node <script>alert(1)" in shown
    assert shown.count("came to no verdict") == 1


def test_without_networks_no_part_is_told(rows, results):
    text = Page(page(results(rows()), rows())).text
    assert "Parts of the networks" not in text
    assert "verdict:" not in text


def test_what_was_left_out_and_how_choices_were_shuffled(row, transcript, results):
    opened, seated, turn, end = transcript("single", 1, [("4",)]).events
    moved = msgspec.structs.replace(turn, removed=3, order=(1, 0))
    made = [row("single", Transcript((opened, seated, moved, end)))]
    text = Page(page(results(made), made)).text
    assert "read nobody · 3 messages left out · choices in the order B A · 50 + 10 tokens" in text


def test_what_an_opening_puts_forward_is_told_of_each_debate(row, transcript, results, hostile):
    openings = {"open": (), "one": ("5",), "three": ("a1", "b2", "h8"), "odd": (hostile,)}
    made = [
        row(name, transcript("single", 1, [("4",)], opening=values))
        for name, values in openings.items()
    ]
    written = page(results(made), made)
    harmless(written)
    text = Page(written).text
    assert text.count("opening: asked whether") == 3
    assert "opening: asked whether this is right: 5 Round 1" in text
    assert "opening: asked whether one of these is right: a1, b2, h8 Round 1" in text
    assert "opening: asked whether this is right: <script>alert(1)</script>" in text


def test_one_of_a_thing_is_said_in_the_singular(row, transcript, results):
    one = [row("single", transcript("single", 1, [("4",)]))]
    assert "Shown: 1 of 1 debate." in Page(page(results(one), one)).text


def test_another_packages_reading_and_an_agent_that_holds_no_answer(row, results, gated):
    held = [row("s", gated)]
    text = Page(page(results(held), held)).text
    assert "#2 mind 1 gate, local/smollm2 judge" in text
    assert "no answer" not in text
    assert "test-doubt: doubt 0.25" in text
