"""Argued essays: what is said to come of each trouble, and who ends the debate."""

import msgspec
import pytest

from moot.contrib.essays.essay_turns import team_in
from moot.core.errors import InputError
from moot.debate.protocol import registry
from support.essays import FREE, SHORT_ESSAY, THREE, members, speaking, write_by
from support.promises.essays import OUTLINE, pool, selection


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


@pytest.mark.parametrize(
    ("ends", "critic", "limit", "rounds"),
    [
        (1, "Nonsense.\nPersuaded: no", 4, 4),  # who never yields ends it at the limit
        (3, "You are right.\nPersuaded: yes", 5, 3),  # the team is not content before
        (1, "Go on.", 2, 2),  # what cannot be read is a no
        (1, None, 5, 1),
    ],
)
async def test_the_debate_goes_on_until_critic_and_team_are_content(
    ends, critic, limit, rounds, store
):
    said = {"challenge": critic} if critic else {}
    transcript, steps, _ = await write_by(store, speaking(ends, **said), rounds=limit)
    assert steps.count("challenge") == rounds
    assert len(steps) == 2 + rounds * 4 + 2
    assert transcript.verdict.answer == SHORT_ESSAY


@pytest.mark.parametrize("name", ["essay-direct", "essay-plan", "debate-to-write"])
@pytest.mark.parametrize("said", ["", " \n ", "```\n\n```", "Essay:\n"])
async def test_an_empty_essay_is_a_verdict_without_an_answer(name, said, store):
    transcript, _, _ = await write_by(store, speaking(essay=said), name)
    assert transcript.turns[-1].answer is None
    assert (transcript.verdict.answer, transcript.verdict.by) == (None, "essay")


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
