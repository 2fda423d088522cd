"""A judge that has not read the passage, drafts that are rated, and who argues for what."""

from math import exp

import msgspec
import pytest

from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.core.questions import Question
from moot.models.scripted import Scripted
from moot.models.simulated import Simulated
from support.debates import hold

PASSAGE = (
    "The lighthouse keeper counted eleven ships before the storm took the northern pier away, "
    "and he wrote all of their names into a ledger with a green cover."
)
TWO = {"choices": ("Eleven ships", "Seven ships"), "answer": "A"}
TEXT = "How many ships did the keeper count?"
ASKED = Question(id="ships", kind="choice", text=TEXT, context=PASSAGE, **TWO)
FOUR = msgspec.structs.replace(ASKED, choices=("Nine", "Eleven", "Seven", "Two"), answer="B")


def argue(call):
    """A debater quotes a little, the judge follows the first side, a rater is fairly sure."""
    match call.scene.step:
        case "judge" | "choose-side":
            return "Vote: A"
        case "question":
            return "<thinking>It hides it.</thinking><question>What colour had it?</question>"
        case "rate" | "rate-critique":
            return Reply(text="AY"["Y or N" in call.messages[-1].content], token_probability=0.7)
        case "criticise":
            return f"<thinking>Weak.</thinking><critique>Say more. {call.draw.repeat}</critique>"
    quoted = "See <quote>counted eleven ships</quote>"
    return f"<thinking>Secretly.</thinking><argument>{quoted}</argument>"


def watch(seen):
    def script(call):
        text = "\n".join(message.content for message in call.messages)
        seen.append((call.scene.role, call.scene.step, text))
        return argue(call)

    return script


def runs_of(words, size=5):
    words = words.split()
    return {" ".join(words[at : at + size]) for at in range(len(words) - size + 1)}


CASES = [
    ("oversight-debate", {}, 7),
    ("oversight-debate", {"questions": True}, 9),
    ("oversight-debate", {"turns": "sequential", "questions": True}, 9),
    ("oversight-debate", {"rounds": 0, "questions": True}, 1),
    ("oversight-consultancy", {}, 6),
    ("oversight-consultancy", {"side": "wrong"}, 6),
    ("oversight-debate", {"best_of": 2}, 6 * (2 + 2) + 1),
    ("oversight-debate", {"best_of": 2, "rated_by": "draws"}, 6 * (2 + 2 * 4) + 1),
    ("oversight-debate", {"critiques": 1}, 6 * (1 + 1 + 1) + 1),
    ("oversight-debate", {"critiques": 2}, 6 * (1 + 2 * 2 + 1) + 1),
    ("oversight-debate", {"assigned": False, "letter": True}, 8),
    ("oversight-consultancy", {"assigned": False}, 7),
    ("oversight-consultancy", {"best_of": 3, "critiques": 2}, 3 * (6 + 4 + 6) + 3),
]


@pytest.mark.parametrize(("name", "settings", "calls"), CASES)
async def test_the_judge_is_never_shown_the_passage(name, settings, calls, store):
    seen = []
    held = await hold(name, watch(seen), store, question=ASKED, **settings)
    assert held.failed is None
    assert len(held.turns) == calls
    for role, _, text in seen:
        if role in {"judge", "rater"}:
            assert not [each for each in runs_of(PASSAGE) if each in text]
        else:
            assert PASSAGE in text
    judged = [text for role, _, text in seen if role == "judge"]
    if settings.get("rounds") != 0:
        assert "<v_quote>counted eleven ships</v_quote>" in judged[-1]


@pytest.mark.parametrize("kind", ["choice", "boolean"])
@pytest.mark.parametrize(("name", "settings"), [e[:2] for e in CASES if "side" not in e[1]])
async def test_no_message_depends_on_which_answer_is_right(name, settings, kind, store):
    said = []
    for right in ("A", "B") if kind == "choice" else ("true", "false"):
        seen = []
        choices = ASKED.choices if kind == "choice" else ()
        question = msgspec.structs.replace(ASKED, kind=kind, choices=choices, answer=right)
        given = {"rounds": 2, **settings}
        held = await hold(name, watch(seen), store, question=question, **given)
        assert held.failed is None
        said.append([(turn.agent, turn.call) for turn in held.turns])
        assert all(turn.replayed for turn in held.turns) == (len(said) == 2)
    assert said[0] == said[1]


async def test_another_order_asks_the_debaters_nothing_new_and_another_side_everything(store):
    first = await hold("oversight-debate", argue, store, question=ASKED)
    other = await hold("oversight-debate", argue, store, question=ASKED, swapped=True)
    assert [turn.replayed for turn in other.turns] == [True] * 6 + [False]
    assert {first.verdict.answer, other.verdict.answer} == {"A", "B"}
    sides = []
    for side in ("right", "wrong"):
        held = await hold("oversight-consultancy", argue, store, question=ASKED, side=side)
        sides.append({turn.call for turn in held.turns if turn.role == "consultant"})
    assert not sides[0] & sides[1]


async def test_short_arguments_are_drawn_again_and_of_many_answers_the_right_one_stands(store):
    held = await hold("oversight-debate", argue, store, question=ASKED, rounds=1, draws=3)
    assert len(held.turns) == 2 * 3 + 1, "too short"
    judged = []

    def whole(call):
        judged.append(call.messages[-1].content)
        long = f"<argument><quote>eleven ships</quote> {'so ' * 80}</argument>"
        return "Vote: B" if call.scene.step == "judge" else long

    held = await hold("oversight-debate", whole, store, question=FOUR, rounds=1, draws=3)
    assert len(held.turns) == 3
    shown = [each for each in FOUR.choices if each in judged[-1]]
    assert len(shown) == 2
    assert "Eleven" in shown


async def test_a_judge_that_discerns_is_planted_and_found(store):
    right = 0
    for number in range(60):
        asked = f"How many ships did the keeper count on day {number}?"
        question = msgspec.structs.replace(ASKED, id=f"q{number}", text=asked)
        model = Simulated(discernment=0.8)
        held = await hold("oversight-debate", model, store, question=question, rounds=1)
        right += held.verdict.answer == "A"
    assert 44 <= right <= 60  # .8 + .2 / 2 of 60 is 54


@pytest.mark.parametrize("model", ["numb", "shown"])
async def test_the_draft_that_is_rated_best_is_kept_and_the_others_are_not_read(model, store):
    seen = []
    ratings = {"draft 0": exp(-1), "draft 1": exp(-0.2), "draft 2": exp(-0.2)}

    def script(call):
        text = call.messages[-1].content
        seen.append((call.scene.step, text))
        if call.scene.step == "argue":
            side = "one" if call.scene.agent.endswith("1") else "two"
            return f"<argument>{side} {call.scene.round}, draft {call.draw.repeat}</argument>"
        if call.scene.step == "rate":
            [own] = [label for label in "AB" if "draft" in _said(text, label)]
            sure = next(ratings[each] for each in ratings if each in _said(text, own))
            other = {"A": "B", "B": "A"}[own]
            said = (own, sure) if model == "numb" else (other, 1 - sure)
            return Reply(text=said[0], token_probability=said[1])
        return "Vote: A"

    held = await hold("oversight-debate", script, store, question=ASKED, rounds=1, best_of=3)
    judged = seen[-1][1]
    assert all(f"{side} 1, draft 1" in judged for side in ("one", "two"))
    assert not any(each in judged for each in ("draft 0", "draft 2"))
    counts = [note for note in held.events if getattr(note, "what", "") == "count"]
    assert [note.reading.scores for note in counts] == [
        pytest.approx({"#2": -0.2, "#3": -0.2, "#1": -1.0}),
        pytest.approx({"#5": -0.2, "#6": -0.2, "#4": -1.0}),
    ]
    assert "debater-1 wrote; #2 is kept" in counts[0].why


def _said(text, label):
    return text.partition(f"For {label}:\n")[2].partition("\n\n")[0]


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"best_of": 2}, "rated_by = 'logprobs'"),
        ({"critiques": 2}, "rated_by = 'logprobs'"),
        ({"letter": True}, "letter = true"),
    ],
)
async def test_a_model_without_probabilities_is_refused_before_any_call(settings, named, store):
    class Mute(Scripted):
        gives_logprobs = False

    calls = []
    model = Mute(lambda call: calls.append(call) or argue(call))
    with pytest.raises(InputError, match=named):
        await hold("oversight-debate", model, store, question=ASKED, **settings)
    assert not calls


async def test_a_letter_without_a_probability_counts_as_certain_and_that_is_told(store):
    def script(call):
        return "A" if call.scene.step == "rate" else argue(call)

    held = await hold("oversight-debate", script, store, question=ASKED, rounds=1, best_of=2)
    counts = [note for note in held.events if getattr(note, "what", "") == "count"]
    assert {value for note in counts for value in note.reading.scores.values()} == {0.0, -100.0}
    assert all("without a probability counts as certain" in note.why for note in counts)


async def test_it_needs_a_right_answer(store):
    open_question = msgspec.structs.replace(ASKED, answer=None)
    with pytest.raises(InputError, match="right answer"):
        await hold("oversight-debate", argue, store, question=open_question)
