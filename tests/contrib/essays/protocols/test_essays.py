"""Argued essays: what is said to come of each trouble, and who ends the debate."""

import msgspec
import pytest

from moot.contrib.essays.essay_turns import team_in
from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.debate.protocol import registry
from support.essays import FREE, SHORT_ESSAY, THREE, members, speaking, write_by
from support.promises.essays import OUTLINE, pool, selection


async def test_all_is_well(store):
    given = {"team": 2, "rounds": 3, "pool": 3}
    script = speaking(2, personas=THREE, select=selection(3, 1))
    transcript, steps, sent = await write_by(store, script, **given)
    one_round = ["discuss", "discuss", "challenge"]
    assert steps == ["personas", "select", *one_round, *one_round, "plan", "essay"]
    verdict = transcript.verdict
    assert (verdict.answer, verdict.text, verdict.by, verdict.turn) == (
        SHORT_ESSAY,
        SHORT_ESSAY,
        "essay",
        10,
    )
    assert "You are Agent A," in sent[3]
    assert "as no one else: Judge\n" in sent[3]
    assert "as no one else: Nurse\n" in sent[4]
    team = [
        "Agent A: Judge: Judge says no (chosen because: reason 3)",
        "Agent B: Nurse: Nurse says no (chosen because: reason 1)",
    ]
    assert all("\n".join(team) in sent[turn] for turn in range(3, 10)), "the critic knows them, too"
    assert "Cook" not in "".join(sent[turn] for turn in range(3, 11))
    for line in ("Agent A: member-1 speaks.", "Agent B: member-2 speaks.", "Critic: The critic"):
        assert sent[9].count(line) == 2
    assert OUTLINE in sent[10]
    assert "speaks" not in sent[10]  # who writes reads the plan alone


@pytest.mark.parametrize(
    "said",
    ["", "I cannot help with that.", '{"personas": []}', '{"personas": [{"agent_id": 1, "desc'],
)
async def test_a_pool_without_a_persona_is_asked_for_thrice_and_makes_a_team_without(said, store):
    transcript, steps, sent = await write_by(store, speaking(personas=said))
    assert steps == [*["personas"] * 3, *["discuss"] * 3, "challenge", "plan", "essay"]
    assert members(transcript) == 3
    assert sent[1] == sent[2] == sent[3]
    assert len({turn.call for turn in transcript.turns}) == len(steps), "each is a draw of its own"
    assert "as no one else" not in sent[4]
    assert transcript.verdict.answer == SHORT_ESSAY


async def test_the_largest_of_three_pools_counts_where_none_is_large_enough(store):
    pools = iter([pool("Nurse"), pool("Cook", "Judge"), "No."])
    script = speaking(personas=lambda _: next(pools), select=selection(2, 1))
    transcript, steps, sent = await write_by(store, script)
    assert steps[:4] == ["personas"] * 3 + ["select"]
    assert '"Cook"' in sent[4]
    assert transcript.turns[3].reads == (2,)
    assert [each.description for each in team_in(transcript)] == ["Judge", "Cook"]
    second = iter([pool("Nurse"), THREE])
    _, steps, _ = await write_by(store, speaking(personas=lambda _: next(second)))
    assert steps[:3] == ["personas", "personas", "select"]


@pytest.mark.parametrize("damage", [("}]}", ""), ('"', "'"), ('", "claim"', '", claim')])
async def test_a_damaged_pool_is_read_all_the_same(damage, store):
    script = speaking(personas=THREE.replace(*damage), select=selection(3, 1))
    _, steps, sent = await write_by(store, script, team=2, pool=3)
    assert steps[1] == "select"
    assert "as no one else: Judge" in sent[3]


async def test_fewer_personas_than_asked_for_make_a_smaller_team(store):
    transcript, steps, _ = await write_by(store, speaking(personas=pool("Nurse", "Cook")))
    assert steps.count("discuss") == members(transcript) == 2
    transcript, steps, sent = await write_by(store, speaking(personas="- A nurse: it costs lives"))
    assert steps == [*["personas"] * 3, "select", "discuss", "challenge", "plan", "essay"]
    assert "Choose the one who" in sent[4]
    assert "as no one else: A nurse\n" in sent[5]


async def test_a_pool_that_was_cut_off_has_those_that_were_finished(store):
    cut = Reply(text=THREE[: THREE.index("Judge") + 2], finish="length")
    transcript, _, _ = await write_by(store, speaking(personas=cut))
    assert members(transcript) == 2


async def test_more_personas_than_asked_for_are_left_out(store):
    _, _, sent = await write_by(
        store, speaking(personas=THREE, select=selection(3)), team=1, pool=2
    )
    assert "Judge" not in sent[2]
    assert "as no one else: Nurse" in sent[3]  # number 3 is nobody: filled up from the pool


@pytest.mark.parametrize(
    ("said", "team"),
    [
        ("", "Nurse Cook"),
        ("They are all fine.", "Nurse Cook"),
        (selection(3), "Judge Nurse"),
        (selection(3, 3, 3), "Judge Nurse"),
        (selection(9, 2), "Cook Nurse"),
        (selection(3, 2, 1), "Judge Cook"),
        ("I take candidates 3 and 2.", "Judge Cook"),
        ('{"team": [{"agent_id": 1, "description": "the judge"}]}', "Nurse Cook"),
        ('{"team": [{"agent_id": 1, "description": "judge"}]}', "Judge Nurse"),
    ],
)
async def test_a_short_selection_is_filled_up_from_the_pool_in_its_order(said, team, store):
    _, _, sent = await write_by(store, speaking(personas=THREE, select=said), team=2, pool=3)
    first, second = team.split()
    assert f"as no one else: {first}\n" in sent[3]
    assert f"as no one else: {second}\n" in sent[4]


@pytest.mark.parametrize(
    "plan",
    ["", "Say that it costs too much, then stop.", "I'm sorry, I can't.", "{'x': [", OUTLINE],
)
@pytest.mark.parametrize("name", ["debate-to-write", "essay-plan"])
async def test_the_essay_is_written_from_the_words_of_the_plan_as_they_are(name, plan, store):
    transcript, steps, sent = await write_by(store, speaking(plan=plan), name)
    assert steps[-2:] == ["plan", "essay"]
    assert f"the plan of the essay:\n\n{plan}\n\nTurn" in sent[len(steps)]
    assert transcript.turns[-1].reads == (len(steps) - 1,)
    assert transcript.verdict.answer == SHORT_ESSAY


async def test_a_critic_that_never_yields_ends_the_debate_at_the_last_round(store):
    never = speaking(1, challenge="Nonsense.\nPersuaded: no")
    for rounds in (1, 4):
        transcript, steps, _ = await write_by(store, never, rounds=rounds)
        assert steps.count("challenge") == rounds
        assert len(steps) == 2 + rounds * 4 + 2
        assert transcript.verdict.answer == SHORT_ESSAY


async def test_a_critic_that_yields_at_once_does_not_end_what_the_team_is_not_content_with(store):
    yields = speaking(3, challenge="You are right.\nPersuaded: yes")
    _, steps, _ = await write_by(store, yields, rounds=5)
    assert steps.count("challenge") == 3
    _, steps, _ = await write_by(store, speaking(1), rounds=5)
    assert steps.count("challenge") == 1


async def test_one_member_that_is_not_satisfied_keeps_the_debate_going(store):
    def discuss(call):
        unhappy = call.scene.agent == "member-2" and call.scene.round < 3
        return f"So.\nSatisfied: {'no' if unhappy else 'yes'}"

    _, steps, _ = await write_by(store, speaking(1, discuss=discuss), rounds=5)
    assert steps.count("challenge") == 3


@pytest.mark.parametrize("said", ["", "Go on.", "Satisfied: yes or no", "Persuaded: yes"])
async def test_a_statement_that_cannot_be_read_is_a_no(said, store):
    _, steps, _ = await write_by(store, speaking(1, discuss=said), rounds=2)
    assert steps.count("challenge") == 2
    told = said.replace("Persuaded", "Satisfied").replace("Satisfied: yes or", "Persuaded: yes or")
    _, steps, _ = await write_by(store, speaking(1, challenge=told), rounds=2)
    assert steps.count("challenge") == 2


@pytest.mark.parametrize("name", ["essay-direct", "essay-plan", "debate-to-write"])
@pytest.mark.parametrize("said", ["", " \n ", "```\n\n```", "Essay:\n"])
async def test_an_empty_essay_is_a_verdict_without_an_answer(name, said, store):
    transcript, _, _ = await write_by(store, speaking(essay=said), name)
    assert transcript.turns[-1].answer is None
    assert (transcript.verdict.answer, transcript.verdict.by) == (None, "essay")


@pytest.mark.parametrize("name", ["essay-direct", "essay-plan", "debate-to-write"])
async def test_what_stands_around_an_essay_is_no_part_of_it(name, store):
    transcript, _, _ = await write_by(
        store, speaking(essay=f"```\nEssay:\n\n{SHORT_ESSAY}\n```"), name
    )
    assert (transcript.verdict.answer, transcript.verdict.text) == (SHORT_ESSAY, SHORT_ESSAY)


async def test_an_essay_that_was_cut_off_counts_and_its_turn_says_so(store):
    cut = Reply(text=SHORT_ESSAY[:30], finish="length")
    transcript, _, _ = await write_by(store, speaking(essay=cut), "essay-direct")
    assert transcript.verdict.answer == SHORT_ESSAY[:30].strip()
    assert transcript.turns[-1].finish == "length"


async def test_a_question_of_a_kind_is_answered_by_what_the_essay_commits_to(store):
    number = msgspec.structs.replace(FREE, kind="number")
    answers = {"Plainly so.\nFinal answer: 4": "4", "It depends.": None}
    for said, answer in answers.items():
        transcript, _, _ = await write_by(store, speaking(essay=said), "essay-direct", number)
        assert (transcript.verdict.answer, transcript.verdict.text) == (answer, said)


def test_a_team_is_no_larger_than_its_pool():
    protocol = registry.get("debate-to-write")
    with pytest.raises(InputError, match=r"team = 6: it is selected from a pool of 5 personas"):
        protocol.check({"team": 6, "pool": 5})
    assert protocol.check({"team": 6, "pool": 5, "personas": False})["team"] == 6
    for wrong in ({"team": 0}, {"pool": 11}, {"points": 0}, {"stance": "all"}, {"dialogue": "x"}):
        with pytest.raises(InputError, match=r"setting"):
            protocol.check(wrong)


async def test_the_fewest_and_the_most_calls_are_reached(store):
    protocol = registry.get("debate-to-write")
    for given, fewest, most in (
        ({}, 5, 18),
        ({"personas": False}, 3, 14),
        ({"team": 1, "rounds": 1}, 5, 8),
    ):
        assert protocol.count(protocol.check(given)) == (fewest, most)
        _, steps, _ = await write_by(store, speaking(personas=THREE), dialogue="single", **given)
        assert len(steps) == fewest
        pools = iter(["", "", THREE])
        _, steps, _ = await write_by(
            store, speaking(99, personas=lambda _, p=pools: next(p)), **given
        )
        assert len(steps) == most
