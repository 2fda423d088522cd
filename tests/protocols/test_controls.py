"""What the controls of debate share with the debate, and what tells them apart."""

import msgspec
import pytest

import moot
from moot.core.errors import InputError
from moot.debate.protocol import registry
from moot.debate.recorded import decide
from moot.metrics.metric import measure
from moot.models.scripted import Scripted
from moot.studies.lab import open_lab
from support.debates import hold


def words(call):
    """A reply of some length, which differs by agent and round."""
    who, times = call.scene.agent, call.scene.round
    return f"{who} has thought about it {times} times.\nFinal answer: {call.draw.seat}"


def listening(prompts, reply=words):
    return lambda call: prompts.append(call.messages[-1].content) or reply(call)


def sent(transcript):
    return [turn.call for turn in transcript.turns]


SOCIETY, VOTE = "society-of-minds", "self-consistency"
ALIKE = [  # at a limit, one protocol makes the calls of another, with as many agents and rounds
    ("exposure", {}, SOCIETY, 3, 3),
    ("exposure", {"shows": "nothing"}, "self-correction", 3, 3),
    ("majority-lock", {"lock": "follower", "p": 0}, SOCIETY, 3, 2),
    ("sparse-debate", {"degree": 3}, SOCIETY, 4, 3),
    ("sparse-debate", {"degree": 2}, SOCIETY, 3, 3),
    ("group-debate", {"groups": 1, "stages": 1}, SOCIETY, 4, 3),
    ("diverse-start", {"candidates": 4}, SOCIETY, 4, 3),
    ("diverse-methods", {"cot": 4, "step_back": 0, "sub_questions": 0}, SOCIETY, 4, 3),
    ("selective-debate", {"novelty": "embedding", "similar": 1.0}, SOCIETY, 4, 2),
    ("adaptive-consistency", {"most": 6, "sure": 1.0}, VOTE, 6, 1),
    ("early-stopping-consistency", {"window_size": 3, "windows": 2}, VOTE, 6, 1),
]


@pytest.mark.parametrize(("name", "given", "other", "agents", "rounds"), ALIKE)
async def test_at_its_limit_a_debate_is_another(name, given, other, agents, rounds, store):
    usual = {"samples": agents} if other == VOTE else {"agents": agents, "rounds": rounds}
    fields = registry.get(name).own.__struct_fields__
    own = {"agents": agents, "rounds": rounds, "stage_rounds": rounds}
    given = {key: value for key, value in own.items() if key in fields} | given
    expected = await hold(other, words, store, **usual)
    held = await hold(name, words, store, **given)
    assert sent(held) == sent(expected)
    assert all(turn.replayed for turn in held.turns)
    assert msgspec.structs.replace(held.verdict, by=expected.verdict.by) == expected.verdict


SHOWS = ("nothing", "tally", "stances", "vacuous", "foreign", "unrelated", "echo", "reasons")


async def test_one_agent_alone_is_shown_the_same_in_every_way(store):
    held = [await hold("exposure", words, store, agents=1, shows=shows) for shows in SHOWS]
    assert len({tuple(sent(each)) for each in held}) == 1


@pytest.mark.parametrize("shows", SHOWS)
async def test_who_adopts_what_others_state_moves_only_where_it_is_stated(store, shows):
    def adopt(call):
        scene = call.scene
        others = [each for each in scene.others if each not in (None, scene.own)]
        said = call.messages[-1].content
        stated = [each for each in others if f"answer: {each}" in said or f"{each}: " in said]
        return f"Because.\nFinal answer: {stated[0] if stated else 10 + call.draw.seat}"

    model = Scripted(adopt)
    model.simulated = True  # so that the scene says what the others answered
    transcript = await hold("exposure", model, store, agents=3, shows=shows)
    first, second = transcript.turns[:3], transcript.turns[3:]
    moved = [a.answer != b.answer for a, b in zip(first, second, strict=True)]
    stated = shows in {"tally", "stances", "vacuous", "foreign", "reasons"}
    assert moved == [stated] * 3


async def test_a_majority_is_locked_and_a_recorded_debate_knows_it(store):
    replies = ["Final answer: 4", "Final answer: 4", "Final answer: 5", "Final answer: 4"]
    held = await hold("majority-lock", replies, store, agents=3, rounds=2)
    assert [turn.seat for turn in held.turns] == [0, 1, 2, 2], "those against it alone are asked"
    [note] = held.notes
    assert (note.what, note.agents, note.after) == ("kept", ("mind-1", "mind-2"), 3)
    model = Scripted(replies[:3], name="followers")
    given = {"agents": 3, "rounds": 3, "lock": "follower", "p": 1}
    held = await hold("majority-lock", model, store, **given)
    assert len(held.turns) == 3
    assert held.verdict.votes == {"4": 3}
    assert decide(held, "unanimity").answer == "4"
    assert [note.turn for note in held.notes] == [1]


@pytest.mark.parametrize(
    ("answers", "calls", "signal"),
    [("44446", 4, 0.96875), ("4544444", 7, None), ("454444444", 7, 0.9648)],
)
async def test_sampling_stops_when_the_lead_is_likely_to_stay(store, answers, calls, signal):
    replies = [f"Final answer: {each}" for each in answers]
    transcript = await hold("adaptive-consistency", replies, store, most=len(answers))
    assert len(transcript.turns) == calls
    if signal:
        assert transcript.notes[-1].signal == pytest.approx(signal, abs=1e-4)
        assert [note.ends for note in transcript.notes] == [False] * (calls - 1) + [True]


async def test_a_window_of_one_answer_decides_against_the_plurality(store):
    replies = [f"Final answer: {each}" for each in "446446555"]
    transcript = await hold("early-stopping-consistency", replies, store, window_size=3, windows=3)
    assert (transcript.verdict.answer, transcript.verdict.by) == ("5", "unanimous window")
    assert decide(transcript, "plurality").answer == "4"


STUDY = {
    "name": "donors",
    "settings": {"model": "scripted/words"},
    "datasets": [{"name": "arithmetic", "n": 3}],
    "arms": [
        {"name": "vote", "protocol": "self-consistency", "samples": 3},
        {"name": "shown", "protocol": "exposure", "shows": "foreign"},
    ],
}


async def test_reasons_come_from_the_next_question_and_are_paid_once(tmp_path):
    """Donors are that question's own first round: the run pays no call for them."""
    model = Scripted(words, name="words")
    outcome = await moot.run(STUDY, store=tmp_path, models=[model])
    assert outcome.failed == 0
    async with open_lab(tmp_path) as lab:
        [run] = lab.store.runs()
        debates = [each.transcript for each in lab.store.debates(run.id, arm="shown")]
    asked = {turn.call for transcript in debates for turn in transcript.turns}
    assert len(asked) == 3 * (3 + 3)  # three samples of each question, shared, and three revisions
    for transcript in debates:
        donors = [turn for turn in transcript.turns if turn.about]
        assert {(turn.node, turn.seat >= 3) for turn in donors} == {("neighbour", True)}
        assert {turn.about for turn in donors} != {transcript.question.id}
        [own] = [seat for seat in transcript.seats if seat.number == donors[1].seat]
        assert (own.debater, own.draws_as) == (False, 1)
        revised = [turn for turn in transcript.turns if turn.round == 2]
        sources = {part for turn in revised for part in turn.parts.values()}
        assert sources == {f"answer; reason of #{donor.id}" for donor in donors}
        assert transcript.verdict.votes.keys() == {"0", "1", "2"}


async def test_the_commonest_wrong_sample_is_planted(store):
    replies = [f"Final answer: {each}" for each in ("4", "7", "7", "4", "4")]
    debate = await hold("planted-peers", replies, store, wrong="commonest")
    assert [turn.role for turn in debate.turns] == ["mind", *["sampler"] * 3, "mind"]
    assert set(debate.turns[-1].parts.values()) == {"states 7"}


async def test_a_question_without_a_known_answer_is_refused_before_any_call(tmp_path):
    calls = []
    model = Scripted(listening(calls), name="words")
    with pytest.raises(InputError, match="its right answer is not known"):
        await moot.ask("Why?", protocol="planted-peers", model=model, store=tmp_path)
    (tmp_path / "open.jsonl").write_text('{"id": "why", "question": "Why?", "answer": "So."}\n')
    study = {
        "name": "open",
        "datasets": [{"name": "file", "path": str(tmp_path / "open.jsonl")}],
        "arms": [{"protocol": "planted-peers", "model": "scripted/words"}],
    }
    with pytest.raises(InputError, match="a wrong answer is needed that others are made to state"):
        await moot.run(study, store=tmp_path, models=[model])
    assert not calls
    with pytest.raises(InputError, match="dissenters = 4: there are 3 peers"):
        await moot.ask("2+2?", protocol="planted-peers", dissenters=4, model=model, store=tmp_path)


async def test_shills_argue_and_do_not_count(store):
    def reply(call):
        if call.scene.role == "shill":
            return "It is obvious.\nFinal answer: 99"
        return f"I think so.\nFinal answer: {4 if call.scene.round == 1 else 99}"

    prompts = []
    debate = await hold("planted-peers", listening(prompts, reply), store, level=3, peers=2)
    assert [turn.role for turn in debate.turns] == ["mind", "shill", "shill", "mind"]
    [part] = set(debate.turns[-1].parts.values())
    assert part.startswith("argument for ")
    assert f"make the best case you can that the answer is {part[13:]}" in prompts[1].casefold()
    assert "It is obvious.\n\nFinal answer: " + part[13:] in prompts[-1]
    assert "99" not in prompts[-1]
    values = measure(debate)
    assert (values["accuracy"], values["first-accuracy"]) == (0, 1)
    assert (values["right-to-wrong"], values["kept-wrong"]) == (1, 0)
    assert decide(debate, "plurality").answer == "99"
