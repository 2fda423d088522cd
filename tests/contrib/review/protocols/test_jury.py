"""Juries: who judges what, how grades are pooled, and what is said of it."""

import msgspec
import pytest

import moot
from moot.models.model_names import find_family
from moot.models.scripted import Scripted
from support.debates import hold


def grade(*numbers):
    names = ("correctness", "completeness", "clarity")
    return msgspec.json.encode({"grades": dict(zip(names, numbers, strict=True))}).decode()


def speak(grades):
    """Members answer by seat; juror j of member m says ``grades[m][j]``."""

    def say(call):
        scene = call.scene
        if scene.role == "member":
            return f"Final answer: {4 + call.draw.seat}"
        member = int(scene.heard[0]) - 4
        said = grades[member][int(scene.agent.partition("-")[2] or 1) - 1]
        return said if isinstance(said, str) else grade(*said)

    return say


@pytest.mark.parametrize(("pool", "best"), [("mean", "5"), ("geometric-median", "4")])
async def test_one_enthusiast_moves_the_mean_and_not_the_median(store, pool, best):
    grades = [[(4, 4, 4)] * 5, [(3, 3, 3)] * 3 + [(5, 5, 5), (5, 5, 5)]]
    grades[0][4] = (1, 1, 1)
    transcript = await hold("jury", speak(grades), store, agents=2, jurors=5, pool=pool)
    assert transcript.verdict.answer == best
    [count] = [note for note in transcript.notes if note.what == "count"]
    assert count.reading.ballots == 10
    assert pool in count.why


async def test_grades_that_cannot_be_read_do_not_count(store):
    grades = [["", "It is fine.", (2, 2, 2)], [(3, 3, 3), '{"grades": {"clarity": 5}}', "{"]]
    transcript = await hold("jury", speak(grades), store, agents=2)
    assert transcript.verdict.answer == "5"
    assert transcript.notes[-1].reading.scores == {"member-2": 3.0, "member-1": 2.0}
    none = await hold("jury", Scripted(speak([["?"] * 3]), name="none"), store)
    assert (none.verdict.answer, none.verdict.by) == (None, "jury: no grades")


RIGHT, WRONG = '{"verdict": "right"}', '{"verdict": "wrong"}'


@pytest.mark.parametrize(
    ("votes", "answer"),
    [
        ((RIGHT, WRONG, RIGHT), "4"),
        ((RIGHT, WRONG, "?"), None),
        ((WRONG, "?", WRONG), None),
        ((RIGHT, "?", "?"), "4"),
    ],
)
async def test_right_or_wrong_by_most_votes_and_a_tie_is_wrong(store, votes, answer):
    transcript = await hold("jury", speak([votes]), store, scale="binary")
    assert transcript.verdict.answer == answer
    minority = WRONG if answer else RIGHT
    dissents = [note.agents[0] for note in transcript.notes if note.what == "dissent"]
    assert dissents == [f"juror-{n}" for n, vote in enumerate(votes, 1) if vote == minority]


async def test_a_juror_judges_no_answer_of_its_own_family(tmp_path):
    cast = [{"model": "simulated/llama-3"}, {"model": "simulated/qwen2.5"}]
    cast.append({"role": "juror", "model": "simulated/llama-4"})
    given = {"protocol": "jury", "agents": cast, "jurors": 2, "store": tmp_path}
    answer = await moot.ask("2+2?", kind="number", **given)
    judged = [turn for turn in answer.turns if turn.role == "juror"]
    assert [turn.reads for turn in judged] == [(1,), (1,), (2,), (2,)]
    [said] = [note for note in answer.transcript.notes if note.what == "kept"]
    assert said.agents == ()
    assert "all jurors are of member-1's model family, llama" in said.why


async def test_models_go_round_members_and_jurors_and_a_juror_of_the_family_is_left_out(tmp_path):
    models = ["simulated/llama-3", "simulated/qwen2.5", "simulated/gemma-2"]
    given = {"protocol": "jury", "models": models, "store": tmp_path}
    answer = await moot.ask("2+2?", kind="number", agents=2, **given)
    judged = [(turn.agent, turn.reads) for turn in answer.turns if turn.role == "juror"]
    assert judged == [("juror-2", (1,)), ("juror-3", (1,)), ("juror-1", (2,)), ("juror-3", (2,))]
    kept = [note for note in answer.transcript.notes if note.what == "kept"]
    assert [note.agents for note in kept] == [("juror-1",), ("juror-2",)]
    assert kept[0].why == "of the model family of member-1, llama"
    answer = await moot.ask("Good?", text="Yes.", **given)
    assert [turn.model for turn in answer.turns] == models, "round the jurors of a given text"


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("openai/o3-mini", "gpt"),
        ("openrouter/meta-llama/Meta-Llama-3.1-8B-Instruct", "llama"),
        ("local/qwen2.5-coder?threads=2", "qwen"),
        ("http://127.0.0.1:8000/v1/Mixtral-8x7B", "mistral"),
        ("simulated/people?accuracy=0.6", "people"),
        ("scripted/7", "7"),
    ],
)
def test_families_by_name(name, family):
    assert find_family(name) == family


@pytest.mark.parametrize(("votes", "answer"), [((RIGHT, RIGHT, WRONG), "4"), ((WRONG,) * 3, None)])
async def test_a_given_text_passes_by_most_votes(store, votes, answer):
    transcript = await hold("jury", list(votes), store, scale="binary", text="Final answer: 4")
    assert transcript.verdict.answer == answer
    dissents = [note.why for note in transcript.notes if note.what == "dissent"]
    assert dissents == ["judges the given text wrong"] * votes.count(WRONG) * bool(answer)
