"""Whom a contribution supports, opposes or extends, and the figures that show it."""

import pytest

import moot
from moot.contrib.essays.moves import read_moves
from moot.models.scripted import Scripted
from moot.reports.chart_style import IN_THE_DARK
from support.essays import speaking
from support.recounts import rows_of


@pytest.mark.parametrize(
    ("said", "moves"),
    [
        ("I agree with Agent B that fees matter.", ["supports Agent B"]),
        ("I do not agree with Agent B.", ["opposes Agent B"]),
        ("I agree with Agent A but not with Agent B.", ["supports Agent A", "opposes Agent B"]),
        ("I agree with Agent A and Agent C.", ["supports Agent A", "supports Agent C"]),
        ("Building on Agent A's point, I would add costs.", ["extends Agent A"]),
        ("I reject that; I take up Agent C's idea.", ["extends Agent C"]),
        ("The Critic overlooks the poor.", ["opposes Critic"]),
        ("The critic's objection does not hold.", ["opposes Critic"]),
        ("Contrary to the Critic, I find it fair.", ["opposes Critic"]),
        ("I cannot accept the Critic's claim.", ["opposes Critic"]),
        ("I accept nothing of what Agent B says.", ["opposes Agent B"]),
        ("I agree with none of Agent B's points.", ["opposes Agent B"]),
        ("I support no claim of the Critic.", ["opposes Critic"]),
        ("I accept that no fee is fair, with Agent B.", ["supports Agent B"]),
        ("Agent B overlooks nothing.", []),
        ("Agent C is right, but the Critic is mistaken.", ["supports Agent C", "opposes Critic"]),
        ("As Agent A said, fees are walls.", ["supports Agent A"]),
        ("Agent B makes a good point.", ["supports Agent B"]),
        ("I share Agent C's worry. I share Agent C's worry.", ["supports Agent C"]),
        # Nothing is read where a clause does not say it, or tells what others do.
        ("To answer the Critic, we have data.", []),
        ("Agent B speaks of guards.", []),
        ("Agent B supports fees.", []),
        ("The Critic shares our view.", []),
        ("Agent A does not overlook the poor.", []),
        ("Agent D is right.", []),
        ("Fees pay for guards. I disagree. Agent B lives in Prague.", []),
        ("The estate agent agrees with the critics of the plan.", []),
        ("I agree.", []),
    ],
)
def test_a_move_is_what_a_clause_says_of_a_speaker(said, moves):
    assert [f"{kind} {target}" for kind, target in read_moves(said, "Agent D")] == moves


SAID = {
    "member-1": "Fees are a wall.",
    "member-2": "I agree with Agent A, and fees are a wall.",
    "member-3": "Building on Agent B, I say that guards cost money.",
    "critic": "I reject what Agent C says. Agent A is mistaken.",
}


async def discuss(tmp_path, said, rounds=1):
    def speak(call):
        stand = "yes" if call.scene.round == rounds else "no"
        return f"{said.get(call.scene.agent, '')}\nSatisfied: {stand}\nPersuaded: {stand}"

    model = Scripted(speaking(discuss=speak, challenge=speak), name="moves")
    written = await moot.write(
        "Museums should be free.", model=model, store=tmp_path / "store", rounds=rounds
    )
    assert written.failed is None
    store = tmp_path / "store"
    drawn = await moot.analyse("discussion", written.run, store=store)
    return drawn, await moot.analyse("personas", written.run, store=store)


async def test_lines_lead_back_to_whom_a_turn_answers_and_to_nobody_else(tmp_path):
    report, teams = await discuss(tmp_path, SAID)
    assert [row["answers"] for row in rows_of(report.tables[0])] == [
        "",
        "supports Agent A",
        "extends Agent B",
        "opposes Agent C; opposes Agent A",
    ]
    [chart] = report.charts
    assert chart.plot["layer"][-1]["mark"]["color"] in IN_THE_DARK  # else turns vanish there
    ends = [(row["turn"], row["move"]) for row in chart.rows if row.get("point") in {0, 2}]
    lines = [(at, to, move) for (at, move), (to, _) in zip(ends[::2], ends[1::2], strict=True)]
    assert lines == [
        (2, 1, "supports"), (3, 2, "extends"), (4, 3, "opposes"), (4, 1, "opposes")
    ]  # fmt: skip
    assert sum("stand" in row for row in chart.rows) == 4
    told = [row["in the discussion"] for row in rows_of(teams.tables[0])]
    assert told == ["", "supports Agent A", "extends Agent B"]


async def test_a_member_can_answer_the_critic_of_the_round_before(tmp_path):
    said = {"member-1": "The Critic is right about guards.", "critic": "Agent A is wrong."}
    report, _ = await discuss(tmp_path, said, rounds=2)
    [chart] = report.charts
    ends = {(row["line"], row["turn"]) for row in chart.rows if row.get("point") == 2}
    assert ends == {
        ("4 opposes Agent A", 1),
        ("5 supports Critic", 4),
        ("8 opposes Agent A", 5),
    }


async def test_nothing_is_drawn_where_nothing_was_read(tmp_path):
    report, _ = await discuss(tmp_path, {})
    [chart] = report.charts
    assert not any("line" in row for row in chart.rows)
    assert "no relation is drawn" in chart.caption
    assert [layer["mark"]["type"] for layer in chart.plot["layer"]] == ["point"]
