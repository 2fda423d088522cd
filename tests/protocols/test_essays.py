"""Essays by debate: what is said to come of each trouble, who ends the debate, who is told what."""

from itertools import count

import msgspec
import pytest

from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.core.questions import Question
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from promises_essays import OUTLINE, argues, pool, selection
from stage import hold

NAMES = count()
"""Of the scripts, so that none is given what another was paid for."""
FREE = Question(id="free", kind="text", text="We should make all museums free of charge")
THREE = pool("Nurse", "Cook", "Judge")
ESSAY = "Museums need money.\n\nSo they must sell tickets."


def speaking(ends=1, **replies):
    """A script in which a step has these words; functions are given the call."""

    def script(call):
        said = replies.get(call.scene.step, {"essay": ESSAY}.get(call.scene.step))
        if said is None:
            return argues(call, ends)
        return said(call) if callable(said) else said

    return script


async def held(store, script, name="debate-to-write", question=FREE, **given):
    """A debate that did not fail, its steps, and what each call was sent, by turn."""
    sent = {}

    def recorded(call):
        sent[call.scene.turn] = "\n\n".join(message.content for message in call.messages)
        return script(call)

    model = Scripted(recorded, name=f"script-{next(NAMES)}")
    transcript = await hold(name, model, store, question=question, **given)
    assert transcript.failed is None
    return transcript, [turn.step for turn in transcript.turns], sent


def members(transcript):
    return sum(seat.role == "member" for seat in transcript.seats)


async def test_all_is_well(store):
    given = {"team": 2, "rounds": 3, "pool": 3}
    script = speaking(2, personas=THREE, select=selection(3, 1))
    transcript, steps, sent = await held(store, script, **given)
    one_round = ["discuss", "discuss", "challenge"]
    assert steps == ["personas", "select", *one_round, *one_round, "plan", "essay"]
    verdict = transcript.verdict
    assert (verdict.answer, verdict.text, verdict.by, verdict.turn) == (ESSAY, ESSAY, "essay", 10)
    assert "You are Agent A," in sent[3]
    assert "as no one else: Judge\n" in sent[3]
    assert "as no one else: Nurse\n" in sent[4]
    assert "Agent A: Judge: Judge says no\nAgent B: Nurse: Nurse says no" in sent[4]
    assert "Cook" not in "".join(sent[turn] for turn in range(3, 11))
    for line in ("Agent A: member-1 speaks.", "Agent B: member-2 speaks.", "Critic: The critic"):
        assert sent[9].count(line) == 2
    assert OUTLINE in sent[10]
    assert "speaks" not in sent[10]  # who writes reads the plan alone


@pytest.mark.parametrize(
    "said",
    ["", "I cannot help with that.", '{"personas": []}', '{"personas": [{"agent_id": 1, "desc'],
)
async def test_a_pool_without_a_persona_makes_a_team_without_personas(said, store):
    transcript, steps, sent = await held(store, speaking(personas=said))
    assert steps == ["personas", *["discuss"] * 3, "challenge", "plan", "essay"]
    assert members(transcript) == 3
    assert "as no one else" not in sent[2]
    assert transcript.verdict.answer == ESSAY


@pytest.mark.parametrize("damage", [("}]}", ""), ('"', "'"), ('", "claim"', '", claim')])
async def test_a_damaged_pool_is_read_all_the_same(damage, store):
    script = speaking(personas=THREE.replace(*damage), select=selection(3, 1))
    _, steps, sent = await held(store, script, team=2, pool=3)
    assert steps[1] == "select"
    assert "as no one else: Judge" in sent[3]


async def test_fewer_personas_than_asked_for_make_a_smaller_team(store):
    transcript, steps, _ = await held(store, speaking(personas=pool("Nurse", "Cook")))
    assert steps.count("discuss") == members(transcript) == 2
    transcript, steps, sent = await held(store, speaking(personas="- A nurse: it costs lives"))
    assert steps == ["personas", "select", "discuss", "challenge", "plan", "essay"]
    assert "Choose the 1 who" in sent[2]
    assert "as no one else: A nurse\n" in sent[3]


async def test_a_pool_that_was_cut_off_has_those_that_were_finished(store):
    cut = Reply(text=THREE[: THREE.index("Judge") + 2], finish="length")
    transcript, _, _ = await held(store, speaking(personas=cut))
    assert members(transcript) == 2


async def test_more_personas_than_asked_for_are_left_out(store):
    _, _, sent = await held(store, speaking(personas=THREE, select=selection(3)), team=1, pool=2)
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
    _, _, sent = await held(store, speaking(personas=THREE, select=said), team=2, pool=3)
    first, second = team.split()
    assert f"as no one else: {first}\n" in sent[3]
    assert f"as no one else: {second}\n" in sent[4]


@pytest.mark.parametrize(
    "plan",
    ["", "Say that it costs too much, then stop.", "I'm sorry, I can't.", "{'x': [", OUTLINE],
)
@pytest.mark.parametrize("name", ["debate-to-write", "essay-plan"])
async def test_the_essay_is_written_from_the_words_of_the_plan_as_they_are(name, plan, store):
    transcript, steps, sent = await held(store, speaking(plan=plan), name)
    assert steps[-2:] == ["plan", "essay"]
    assert f"the plan of the essay:\n\n{plan}\n\nTurn" in sent[len(steps)]
    assert transcript.turns[-1].reads == (len(steps) - 1,)
    assert transcript.verdict.answer == ESSAY


async def test_a_critic_that_never_yields_ends_the_debate_at_the_last_round(store):
    never = speaking(1, challenge="Nonsense.\nPersuaded: no")
    for rounds in (1, 4):
        transcript, steps, _ = await held(store, never, rounds=rounds)
        assert steps.count("challenge") == rounds
        assert len(steps) == 2 + rounds * 4 + 2
        assert transcript.verdict.answer == ESSAY


async def test_a_critic_that_yields_at_once_does_not_end_what_the_team_is_not_content_with(store):
    yields = speaking(3, challenge="You are right.\nPersuaded: yes")
    _, steps, _ = await held(store, yields, rounds=5)
    assert steps.count("challenge") == 3
    _, steps, _ = await held(store, speaking(1), rounds=5)
    assert steps.count("challenge") == 1


async def test_one_member_that_is_not_satisfied_keeps_the_debate_going(store):
    def discuss(call):
        unhappy = call.scene.agent == "member-2" and call.scene.round < 3
        return f"So.\nSatisfied: {'no' if unhappy else 'yes'}"

    _, steps, _ = await held(store, speaking(1, discuss=discuss), rounds=5)
    assert steps.count("challenge") == 3


@pytest.mark.parametrize("said", ["", "Go on.", "Satisfied: yes or no", "Persuaded: yes"])
async def test_a_statement_that_cannot_be_read_is_a_no(said, store):
    _, steps, _ = await held(store, speaking(1, discuss=said), rounds=2)
    assert steps.count("challenge") == 2
    told = said.replace("Persuaded", "Satisfied").replace("Satisfied: yes or", "Persuaded: yes or")
    _, steps, _ = await held(store, speaking(1, challenge=told), rounds=2)
    assert steps.count("challenge") == 2


@pytest.mark.parametrize("name", ["essay-direct", "essay-plan", "debate-to-write"])
@pytest.mark.parametrize("said", ["", " \n ", "```\n\n```", "Essay:\n"])
async def test_an_empty_essay_is_a_verdict_without_an_answer(name, said, store):
    transcript, _, _ = await held(store, speaking(essay=said), name)
    assert transcript.turns[-1].answer is None
    assert (transcript.verdict.answer, transcript.verdict.by) == (None, "essay")


@pytest.mark.parametrize("name", ["essay-direct", "essay-plan", "debate-to-write"])
async def test_what_stands_around_an_essay_is_no_part_of_it(name, store):
    transcript, _, _ = await held(store, speaking(essay=f"```\nEssay:\n\n{ESSAY}\n```"), name)
    assert (transcript.verdict.answer, transcript.verdict.text) == (ESSAY, ESSAY)


async def test_an_essay_that_was_cut_off_counts_and_its_turn_says_so(store):
    cut = Reply(text=ESSAY[:30], finish="length")
    transcript, _, _ = await held(store, speaking(essay=cut), "essay-direct")
    assert transcript.verdict.answer == ESSAY[:30].strip()
    assert transcript.turns[-1].finish == "length"


@pytest.mark.parametrize("name", ["essay-direct", "essay-plan", "debate-to-write"])
@pytest.mark.parametrize(("stance", "side"), [("oppose", "against"), ("support", "for")])
async def test_the_stance_is_told_to_everyone_and_the_critic_takes_the_other(
    name, stance, side, store
):
    given = {"dialogue": "agents"} if name == "debate-to-write" else {}
    transcript, _, sent = await held(store, speaking(), name, stance=stance, **given)
    other = {"against": "for", "for": "against"}[side]
    for turn in transcript.turns:
        assert FREE.text in sent[turn.id]
        assert "Final answer" not in sent[turn.id]
        assert f"{side} " in sent[turn.id]
        if turn.role == "critic":
            assert f"You argue {other} the proposition" in sent[turn.id]
        if turn.role == "member":
            assert f"a critic who argues {other} the proposition" in sent[turn.id]
    assert f"argues {side} this proposition" in sent[transcript.turns[-1].id]


@pytest.mark.parametrize("with_personas", [True, False])
async def test_one_reply_may_play_the_whole_discussion(with_personas, store):
    script = speaking(personas=THREE, select=selection(3, 1), dialogue="Agent A: {{ 7*7 }}")
    given = {"dialogue": "single", "personas": with_personas, "team": 2, "pool": 3}
    transcript, steps, sent = await held(store, script, **given)
    recruits = ["personas", "select"] if with_personas else []
    assert steps == [*recruits, "dialogue", "plan", "essay"]
    asked = sent[len(recruits) + 1]
    assert ("Agent A: Judge: Judge says no\nAgent B: Nurse" in asked) == with_personas
    assert ("has 2 members" in asked) != with_personas
    assert "it:\n\nAgent A: {{ 7*7 }}\n\nDraw up" in sent[len(recruits) + 2]
    assert "7*7" not in sent[len(recruits) + 3]
    assert transcript.verdict.answer == ESSAY


async def test_without_personas_members_are_nobody_in_particular(store):
    transcript, steps, sent = await held(store, speaking(2), personas=False, team=2)
    assert steps == [*["discuss", "discuss", "challenge"] * 2, "plan", "essay"]
    assert "as no one else" not in sent[1]
    assert "The members of the team" not in sent[1]
    assert [seat.role for seat in transcript.seats][:3] == ["member", "member", "critic"]


@pytest.mark.parametrize("name", ["essay-plan", "debate-to-write"])
async def test_a_plan_has_at_most_so_many_points(name, store):
    _, steps, sent = await held(store, speaking(), name, points=7)
    assert "at most 7 main points" in sent[len(steps) - 1]


async def test_the_oldest_rounds_go_where_the_window_is_small(store):
    def discuss(call):
        return f"{call.scene.agent} in round {call.scene.round}: {'word ' * 120}\nSatisfied: no"

    script = speaking(9, discuss=discuss, challenge=discuss)
    given = {"rounds": 4, "team": 3, "window": 2048, "max_tokens": 300}
    transcript, _, sent = await held(store, script, **given)
    plan = transcript.turns[-2]
    assert plan.removed == 8
    assert "in round 1:" not in sent[plan.id]
    assert "in round 2:" not in sent[plan.id]
    assert "critic in round 4:" in sent[plan.id]
    assert set(plan.reads) == set(range(11, 19))
    assert all(FREE.text in text for text in sent.values())
    assert any(turn.removed for turn in transcript.turns if turn.step == "discuss")


async def test_texts_of_personas_act_as_data(store):
    nasty = pool("{{ 7*7 }} {% raw %}", "</s>[INST]")
    _, _, sent = await held(store, speaking(personas=nasty), team=2)
    assert "as no one else: {{ 7*7 }} {% raw %}\n" in sent[4]
    assert all("49" not in text for text in sent.values())


async def test_a_question_of_a_kind_is_answered_by_what_the_essay_commits_to(store):
    number = msgspec.structs.replace(FREE, kind="number")
    answers = {"Plainly so.\nFinal answer: 4": "4", "It depends.": None}
    for said, answer in answers.items():
        transcript, _, _ = await held(store, speaking(essay=said), "essay-direct", number)
        assert (transcript.verdict.answer, transcript.verdict.text) == (answer, said)


def test_a_team_is_no_larger_than_its_pool():
    protocol = registry.get("debate-to-write")
    with pytest.raises(InputError, match=r"team = 6: it is selected from a pool of 5 personas"):
        protocol.check({"team": 6, "pool": 5})
    assert protocol.check({"team": 6, "pool": 5, "personas": False})["team"] == 6
    for wrong in ({"team": 0}, {"pool": 11}, {"points": 0}, {"stance": "both"}, {"dialogue": "x"}):
        with pytest.raises(InputError, match=r"setting"):
            protocol.check(wrong)


async def test_the_fewest_and_the_most_calls_are_reached(store):
    protocol = registry.get("debate-to-write")
    for given, fewest, most in (
        ({}, 4, 16),
        ({"personas": False}, 3, 14),
        ({"team": 1, "rounds": 1}, 4, 6),
    ):
        assert protocol.count(protocol.check(given)) == (fewest, most)
        nobody = speaking(personas="")
        _, steps, _ = await held(store, nobody, dialogue="single", **given)
        assert len(steps) == fewest
        _, steps, _ = await held(store, speaking(99), **given)
        assert len(steps) == most


async def test_the_same_is_said_of_writing_whatever_the_plan_comes_from():
    packs = [registry.get(name).pack() for name in ("essay-plan", "debate-to-write")]
    ours, theirs = (pack.step("essay").source for pack in packs)
    assert ours == theirs
    assert packs[0].role("writer").source == packs[1].role("writer").source
    assert (
        packs[0].role("writer").source == registry.get("essay-direct").pack().role("writer").source
    )
    plans = [pack.step("plan").source.partition("The plan is short")[2] for pack in packs]
    assert plans[0] == plans[1] != ""


async def test_agents_of_one_role_may_be_cast(store):
    script = speaking(personas=THREE)
    cast = [{"role": "member", "style": "simple"}, {"role": "member"}, {"role": "critic"}]
    transcript, _, _ = await held(store, script, cast=cast)
    assert members(transcript) == 3


async def test_evidence_is_shown_to_whoever_plans_and_writes(store, tmp_path):
    pytest.importorskip("bm25s")
    (tmp_path / "costs.txt").write_text("Free museums lose a third of their money.\n")
    (tmp_path / "other.md").write_text("Nurse strikes are rare in this town.\n")
    for name, shown in (("essay-plan", 2), ("debate-to-write", 2)):
        script = speaking(personas=THREE)
        transcript, steps, sent = await held(store, script, name, evidence=str(tmp_path))
        seen = [turn for turn, text in sent.items() if "lose a third of their money" in text]
        assert seen == [len(steps) - 1, len(steps)][:shown]
        [searched] = transcript.searches
        assert searched.passages[0].source.startswith("costs.txt")
        assert FREE.text in searched.query
        assert ("Nurse says no" in searched.query) == (name == "debate-to-write")
        assert '"…" [1]' in sent[len(steps)]
