"""Choices in which papers and their code are not alike, each a setting of its own."""

import pytest

from moot.parsing.similar import plain_ratio
from support.debates import KINDS, ruling
from support.prompts import requests

PICK = KINDS[2]


def undecided(call):
    """Sides that answer A and B; an arbiter that prefers nobody, and fills in an answer."""
    scene = call.scene
    if scene.reads_as == "ruling":
        filled = '"debate_answer": "B"'
        return ruling().replace('"debate_answer": ""', filled)
    if scene.reads_as in {"decision", "conclusion"}:
        return '{"Supported Side": "Affirmative", "Reason": "", "debate_answer": "A"}'
    return f"Round {scene.round} of {scene.agent}. Final answer: {'AB'[scene.role == 'negative']}"


@pytest.mark.parametrize("name", ["multi-persona", "debate-moderated"])
@pytest.mark.parametrize(("by", "rounds"), [("preference", 3), ("answer", 1)])
async def test_an_answer_ends_a_debate_only_where_the_setting_says_so(name, by, rounds, store):
    sent = await requests(name, store, undecided, question=PICK, rounds=3, ends_by=by)
    assert max(each.round for each in sent.of(role="affirmative")) == rounds
    assert any(each.step in {"decide", "conclude"} for each in sent) is (by == "preference")


@pytest.mark.parametrize(("reads", "shown"), [("last", 3), ("first", 1)])
async def test_the_judge_reads_the_round_that_the_setting_names(reads, shown, store):
    sent = await requests(
        "debate-moderated", store, undecided, question=PICK, rounds=3, judge_reads=reads
    )
    listed = sent.one(step="candidates").prompt
    assert f"Round {shown} of affirmative" in listed
    assert f"Round {shown} of negative" in listed
    assert sum(f"Round {number} of" in listed for number in (1, 2, 3)) == 1


@pytest.mark.parametrize(
    ("compare", "answers", "rounds"),
    [
        ("answers", ("1000000", "1000001"), 2),  # each says the same again, and leaves
        ("texts", ("1000000", "1000001"), 1),  # 0.857 alike
        ("texts", ("12", "13"), 3),
        ("answers", ("12", "12.0"), 1),
    ],
)
async def test_texts_of_answers_are_compared_whatever_their_kind(compare, answers, rounds, store):
    def script(call):
        answer = dict(zip(("kitty", "peter"), answers, strict=True)).get(call.scene.role, "5")
        return f"{call.scene.agent} says so. Final answer: {answer}"

    sent = await requests("exchange-of-thought", store, script, compare=compare, exit_above=1.0)
    assert max(each.round for each in sent.of(role="kitty")) == rounds


def test_the_plain_ratio_is_that_of_difflib_with_its_junk():
    text = "the answer is the same in every way " * 8
    assert plain_ratio(text, text.upper()) == 1
    assert plain_ratio(text, "x" + text[:-1]) < 0.5  # frequent letters are junk
    assert plain_ratio("ab", "ac") == 0.5


async def test_chateval_sends_what_was_said_as_messages_of_the_assistant(store):
    given = {"question": PICK, "agents": 2, "rounds": 2}
    for faithful, roles in (
        ("ours", ["system", "user"]),
        ("paper", ["system", "user"]),
        ("code", ["system", "assistant", "assistant", "assistant", "user"]),
    ):
        sent = await requests("chateval", store, **given, faithful=faithful)
        last = sent[-1]
        assert [each.role for each in last.messages] == roles
        assert PICK.text in last.prompt
        assert ("I am debater-1." in last.prompt) == (faithful != "code")
        assert "I am debater-1." in last.text
        assert ("You are Agent 2" in last.system) == (faithful == "ours")


async def test_the_refinement_of_the_code_has_its_task_before_and_students_as_assistants(store):
    given = {"question": PICK, "reasonings": 3, "aggregations": 1, "faithful": "code"}
    sent = await requests("ensemble-refinement", store, **given)
    last = sent.one(role="aggregator")
    assert [each.role for each in last.messages] == ["system", *["assistant"] * 3, "user"]
    assert "Several students" in last.system
    assert last.temperature == pytest.approx(0.5)


async def test_a_society_of_the_code_begins_bare_and_shows_nameless_solutions(store):
    sent = await requests("society-of-minds", store, question=PICK, faithful="code")
    first = sent.of(round=1)
    assert {each.prompt.strip() for each in first} == {"Which is even?\n(A) one\n(B) two"}
    for each in sent.of(round=2):
        assert each.prompt.count("The solution of one agent:") == 2
        assert "Agent" not in each.prompt
        assert PICK.text not in each.prompt
