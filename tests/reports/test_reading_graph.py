"""Drawings of who reads whom."""

import msgspec
import pytest

from moot.core.events import Failed, Transcript
from moot.debate.protocol import registry
from moot.reports.reading_graph import LEGEND, WIDTH, draw_reading_graph, list_edges
from moot.studies.dry_run import rehearse_debate
from support.debates import put_behind_gate


async def rehearsal(name, **settings):
    protocol = registry.get(name)
    return await rehearse_debate(protocol, protocol.check(settings))


def lines(text):
    return "\n".join(line.strip() for line in text.strip().splitlines())


async def drawn(name, **settings):
    return lines(draw_reading_graph(await rehearsal(name, **settings)))


async def test_a_debate_with_a_judge():
    assert await drawn("multi-persona", rounds=2) == lines(f"""
                                      1  2  3  4  5  6  7
      #1 affirmative round 1 answer
      #2 negative    round 1 oppose  ●
      #3 judge       round 1 weigh   ●  ●

      #4 affirmative round 2 reply   ○  ●  ·
      #5 negative    round 2 oppose  ●  ○  ·  ●
      #6 judge       round 2 weigh   ●  ●  ○  ●  ●
      #7 judge       round 2 decide  ●  ●  ○  ●  ●  ·

      verdict by judge               ·  ·  ·  ·  ·  ·  ●

      {LEGEND}
    """)


async def test_a_network_is_drawn_by_its_nodes():
    assert await drawn("network", graph="short-long", agents=1, rounds=1) == lines(f"""
      layer 1   C1, C2
      layer 2   C2 → C3
      layer 3   C3 → C4
                C1, C4 → judge

                          C1    C2    C3    C4 judge
      C1    layer 1
      C2    layer 1        ·

      C3    layer 2        ·     ●

      C4    layer 3        ·     ·     ●

      judge                ●     ·     ·     ●

      verdict by judge     ·     ·     ·     ·     ●

      {LEGEND}
    """)


async def test_a_debate_behind_a_gate_is_drawn_by_its_turns():
    held = await rehearsal("society-of-minds", agents=2)
    drawn = draw_reading_graph(put_behind_gate(held, 3))
    assert drawn == draw_reading_graph(held)
    assert "●" in drawn


async def test_what_is_too_wide_is_listed():
    text = draw_reading_graph(await rehearsal("community", agents=15))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "\n#2  member-2  round 1 speak  reads 1\n" in text
    assert text.startswith("#1  member-1  round 1 speak  reads nobody\n")
    assert "    27, 28, 29, 30" in text.splitlines()[-1]


async def test_the_same_as_data():
    whole = list_edges(await rehearsal("network", agents=1, rounds=1))
    assert [turn["reads"] for turn in whole["turns"]][-1] == (2, 8)
    assert [node["reads"] for node in whole["nodes"]] == [(), (), ("C2",), ("C3",)]
    assert whole["verdict"] == "judge"
    assert msgspec.json.encode(whole)


@pytest.mark.parametrize("kept", [0, 2])
async def test_a_rehearsal_that_failed_is_drawn_as_far_as_it_came(kept):
    whole = await rehearsal("society-of-minds")
    failed = Transcript((whole.opened, *whole.turns[:kept], Failed(kind="Oh", reason="no more")))
    text = draw_reading_graph(failed)
    assert text.endswith("It failed here: no more")
    assert ("#2 mind-2" in text) == (kept == 2)
