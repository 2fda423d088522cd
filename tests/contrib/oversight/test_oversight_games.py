"""What is read of one debate before a judge."""

import msgspec
import pytest

from moot.contrib.oversight.oversight_games import read_game
from moot.core.calls import Reply
from moot.core.questions import Question
from moot.core.redaction import redact
from moot.models.scripted import Scripted
from support.debates import hold

ASKED = Question(
    id="ships",
    kind="choice",
    text="How many ships did the keeper count?",
    context="The keeper counted eleven ships before the storm, and seven after it.",
    choices=("Eleven ships", "Seven ships"),
    answer="A",
)


def say(call, *, vote="Vote: A", rated="", argument=""):
    """Advocates quote twice, once falsely; the judge votes; one draft is rated above the others."""
    text = call.messages[-1].content
    match call.scene.step:
        case "judge" | "choose-side":
            return vote
        case "rate":
            return Reply(text="A", token_probability=0.75 if rated in text else 0.5)
        case "question":
            return "<question>Why?</question>"
    quoted = "<quote>counted eleven ships</quote> and <quote>no such words</quote>"
    return f"<argument>{call.scene.agent} {call.draw.repeat}: {quoted} {argument}</argument>"


async def test_of_each_side_what_the_judge_read_is_counted(store):
    held = await hold("oversight-debate", say, store, question=ASKED, rounds=2)
    game = read_game(held)
    assert game.argued == (True, True)
    for side in game.sides:
        assert (side.arguments, side.quoted, side.real, side.repeated) == (2, 4, 2, 2)
        assert side.words == 2 * 9


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("right", ["A", "B"])
async def test_the_judges_probability_is_that_of_the_right_answer(right, swapped, store):
    question = msgspec.structs.replace(ASKED, answer=right)
    given = {"question": question, "rounds": 1, "letter": True, "swapped": swapped}
    held = await hold("oversight-debate", say, store, **given)
    game = read_game(held)
    assert game.swapped is swapped
    assert game.first  # it says A
    assert game.chance == pytest.approx(0.75 if game.right else 0.25)


@pytest.mark.parametrize("vote", ["Vote: A", "Vote: B"])
async def test_in_the_open_form_sides_are_those_that_were_chosen(vote, store):
    script = Scripted(lambda call: say(call, vote=vote), name=vote[-1])
    given = {"question": ASKED, "rounds": 1, "assigned": False}
    held = await hold("oversight-consultancy", script, store, **given)
    chosen = next(turn.answer for turn in held.turns if turn.step == "choose-side")
    assert read_game(held).argued == (chosen == "A", chosen == "B")


@pytest.mark.parametrize("vote", ["Vote: A", "I cannot tell."])
async def test_of_a_secret_question_the_vote_is_known_and_the_words_are_not(vote, store):
    question = msgspec.structs.replace(ASKED, secret=True)
    script = Scripted(lambda call: say(call, vote=vote))
    held = await hold("oversight-debate", script, store, question=question)
    game, plain = read_game(redact(held)), read_game(held)
    assert game.secret
    assert (game.right, game.read, game.first) == (plain.right, plain.read, plain.first)
    assert game.read == (vote == "Vote: A")
    assert game.argued == (True, True)
    assert [side.arguments for side in game.sides] == [0, 0]


async def test_quotations_of_documents_are_real_and_the_judge_does_not_read_them(store, tmp_path):
    (tmp_path / "log.txt").write_text("In truth the keeper saw nine ships and a whale.")
    plain = msgspec.structs.replace(ASKED, context=None)
    seen = []

    def script(call):
        seen.append((call.scene.role, call.messages[-1].content))
        if call.scene.step == "argue":
            return "<argument><quote>nine ships and a whale</quote></argument>"
        return "Vote: A"

    given = {"question": plain, "rounds": 1, "evidence": str(tmp_path)}
    held = await hold("oversight-debate", script, store, **given)
    assert [(side.quoted, side.real) for side in read_game(held).sides] == [(1, 1), (1, 1)]
    judged = [text for role, text in seen if role == "judge"]
    assert "<v_quote>nine ships and a whale</v_quote>" in judged[0]
    assert "In truth the keeper" not in judged[0]
    assert all("In truth the keeper" in text for role, text in seen if role == "debater")
