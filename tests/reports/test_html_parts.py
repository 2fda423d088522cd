"""The report: its set-up, and what the parts of networks came to."""

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
    assert "2 methods on sums: 12 debates." in text
    assert "begun" not in Page(page(results(rows()))).text


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
