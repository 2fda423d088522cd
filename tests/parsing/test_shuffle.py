"""Choices in another order: a permutation, the same each time, and the original letter again."""

import re
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.questions import Question
from moot.models.scripted import Scripted
from moot.parsing.shuffle import LETTERS, draw_order, reorder_options, restore_letter, show_letter
from support.debates import KINDS, hold, staged

FOUR = Question(
    id="four",
    kind="choice",
    text="Which is the largest?",
    choices=("a mouse", "a whale", "a cat", "a cow"),
    answer="B",
)
orders = st.integers(2, 26).flatmap(lambda count: st.permutations(range(count)).map(tuple))


def of(count, answer):
    choices = tuple(f"choice {number}" for number in range(count))
    return Question(id="q", kind="choice", text="?", choices=choices, answer=answer)


@given(st.integers(0, 26), st.text(), st.integers(0, 1000))
def test_an_order_is_a_permutation_and_the_same_each_time(count, name, key):
    question = msgspec.structs.replace(of(count, None), id=name)
    order = draw_order(question, key)
    assert sorted(order) == list(range(count))
    assert draw_order(question, key) == order


def test_orders_differ_by_key_and_by_question_and_favour_no_place():
    drawn = [draw_order(FOUR, key) for key in range(2400)]
    for place in range(4):
        first = sum(order[0] == place for order in drawn)
        assert 500 < first < 700
    assert len(set(drawn)) == 24
    others = [draw_order(msgspec.structs.replace(FOUR, id=str(n)), 0) for n in range(100)]
    assert len(set(others)) > 15


@given(orders, st.data())
def test_a_letter_comes_back_to_the_choice_it_was_shown_for(order, data):
    count = len(order)
    letters = LETTERS[:count]
    right = data.draw(st.lists(st.sampled_from(letters), min_size=1, unique=True).map(tuple))
    question = of(count, right)
    turned = reorder_options(question, order)
    assert sorted(turned.choices) == sorted(question.choices)
    for letter in letters:
        original = restore_letter(letter, order)
        text = turned.choices[letters.index(letter)]
        assert question.choices[letters.index(original)] == text
        assert show_letter(original, order) == letter
    assert tuple(restore_letter(letter, order) for letter in turned.answers) == right
    assert (turned.id, turned.text) == (question.id, question.text)


@given(orders)
def test_what_is_no_letter_stays_as_it_is(order):
    assert restore_letter(None, order) is show_letter(None, order) is None
    assert (restore_letter("1/2", ()), show_letter("1/2", ())) == ("1/2", "1/2")
    count = len(order)
    assert reorder_options(of(count, None), order).answer is None
    one = reorder_options(of(count, "A"), order)
    assert one.choices[LETTERS.index(one.answer)] == "choice 0"


async def test_the_transcript_has_the_original_letter_and_the_order(store):
    prompts = {}

    def whale(call):
        prompts[call.scene.turn] = call
        [letter] = re.findall(r"\(([A-D])\) a whale", call.messages[0].content)
        assert call.scene.question.answer == letter
        return f"The whale. Final answer: {letter}"

    held = await hold("medprompt", whale, store, question=FOUR, samples=8)
    assert [turn.answer for turn in held.turns] == ["B"] * 8
    assert (held.verdict.answer, held.verdict.votes) == ("B", {"B": 8})
    assert len({turn.order for turn in held.turns}) > 4
    assert len({turn.text for turn in held.turns}) > 1
    for turn in held.turns:
        choices = prompts[turn.id].scene.question.choices
        assert choices == tuple(FOUR.choices[place] for place in turn.order)
        said = re.search(r"answer: ([A-D])", turn.text)[1]
        assert restore_letter(said, turn.order) == turn.answer


async def test_samples_of_more_are_those_of_fewer_and_some(store):
    held = [
        await hold("medprompt", lambda _: "Final answer: A", store, question=FOUR, samples=samples)
        for samples in (3, 5, 9)
    ]
    for fewer, more in pairwise(held):
        calls = [turn.call for turn in fewer.turns]
        assert [turn.call for turn in more.turns][: len(calls)] == calls


@pytest.mark.parametrize("question", [each for each in KINDS if not each.choices])
async def test_a_question_without_choices_is_sampled_as_it_is(question, store):
    held = await hold("medprompt", lambda _: "Final answer: 4", store, question=question)
    plain = await hold("self-consistency", lambda _: "other", store, question=question, samples=5)
    assert [turn.order for turn in held.turns] == [()] * 5
    assert [turn.call for turn in plain.turns] == [turn.call for turn in held.turns]


@pytest.mark.parametrize("order", [(3, 2, 1, 0), (1, 2, 3, 0), (0, 1, 2, 3)])
async def test_adopting_another_s_answer_is_not_turned_by_the_order(order, store):
    heard = []

    def script(call):
        heard.append(call.scene.heard)
        return "Final answer: B" if call.scene.round == 1 else "Agent 2 is right."

    talk = staged("society-of-minds", Scripted(script), store, FOUR)
    first, second = talk.seat("mind", 2)
    views = await talk.everyone([first, second], "answer")
    adopted = await talk.ask(first, "revise", order=order, others=views.without(first))
    assert (adopted.answer, adopted.turn.order) == ("B", order)
    assert heard[-1] == (show_letter("B", order),) * 2
