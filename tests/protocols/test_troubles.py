"""Whatever a model says, or fails to say, at any position: a verdict or a recorded failure."""

import asyncio
from itertools import count, cycle
from time import process_time

import msgspec
import pytest

from moot.core.errors import BudgetReached, RefusedError, StoreError, TransientError
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from support.debates import KINDS, SUM, hold, hold_all, kinds_for, says
from support.garbage import find_frames
from support.promises.table import HERE, PROMISES, every_protocol

OWN = [name for name in HERE if ":" not in name and not registry.get(name).needs]

NOTHING = {
    "empty": "",
    "blank": " \n\t\r\n ",
    "garbage": "asdf ]]] ;;; ~~~ ¿¿¿ %%% )(",
    "refusal": "I'm sorry, but I cannot help with that.",
    "template": "{{ 7*7 }}{% raw %}{{ ''.__class__.__mro__ }}{% endraw %}{# #}",
    "control": "\x00\x01\x07\x1b[31m\u202e\u2066\ufeff\u200b\x7f",
    "words": "well " * 200_000,
    "brackets": "[" * 50_000 + "{'" * 50_000,
}
ANYTHING = {
    "digits": "1" * 50_000,
    "numbers": "7 " * 25_000,
    "markers": "Final answer: " * 400,
    "quotes": '"' * 50_000,
    "fence": "```json\n{'Supported Side': 'Negative', 'debate_answer': '5',}\n",
    "cut json": '{"Whether there is a preference": "Yes", "debate_answer": "4',
    "wrong json": '{"debate_answer": {"x": [1, 2]}, "Supported Side": 3, "Reason": null}',
    "not text": '"\\ud800 Final answer: 4"',
    "surrogate": "Final answer: 4 \ud800",
    "long number": f"Final answer: {'9' * 100_000}",
    "huge power": "Final answer: 1e999999999",
    "slash": "Final answer: 1/0",
}
"""Megabytes of them are read in ``parsing.test_anything``; here each protocol reads them often."""

HOSTILE = ("'answer': '", '"answer": "', '"debate_answer" : "x\\', "final answer: ", '{"a":[', "{]")
HOSTILE += ("\n**the answer", "\n *_#", "\\boxed{\\frac{", "{(", "agent 2 is right ", "3 + 4 = ")


WHOLE = pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.soak)])
"""All of it, or a part that is read at once."""


HUGE = 20_000
"""Characters above which a reply is said whole only where that shows more, see ``positions``."""


def spoilt(name, position, text):
    """A script that says one thing at one turn, given as agent and round, and is well elsewhere."""

    def script(call):
        well = says(call, ends=2)
        return text if (call.scene.agent, call.scene.round) == position else well

    # Characters are tokens: they are counted in no time.
    return Scripted(script, name=f"{name}-{'-'.join(map(str, position))}", count=len)


async def positions(name, store):
    """Every position, as agent and round, and whether a huge reply is said whole there.

    It is by the first of all, whom most others read, and where each role speaks last, for it is
    the role that says how a reply is read; elsewhere only its beginning is said.
    """
    roles = {}

    def script(call):
        roles[call.scene.agent, call.scene.round] = call.scene.role
        return says(call, ends=2)

    clean = await hold(name, script, store)
    places = [(turn.agent, turn.round) for turn in clean.turns]
    whole = {places[0], *{roles[place]: place for place in places}.values()}
    return {place: place in whole for place in places}


async def spoil(name, table, places, store, *, whole):
    """What is said at each position, and the debate in which it is: all, or one thing at each."""
    if whole:
        said = [
            (kind, place, text if huge else text[:HUGE])
            for kind, text in table.items()
            for place, huge in places.items()
        ]
    else:
        kinds = cycle(table)
        said = [(kind, place, table[kind][:HUGE]) for place, kind in zip(places, kinds)]  # noqa: B905 -- endless
    debates = [hold(name, spoilt(kind, place, text), store) for kind, place, text in said]
    return zip(said, await asyncio.gather(*debates), strict=True)


def is_unparsed(transcript, position, text):
    turns = [t for t in transcript.turns if (t.agent, t.round) == position]
    # Several where an unusable reply is asked for again.
    return bool(turns) and all((turn.text, turn.answer) == (text, None) for turn in turns)


@every_protocol
@WHOLE
async def test_a_reply_without_an_answer_is_unparsed_wherever_it_stands(name, whole, store):
    places = await positions(name, store)
    wrong = [
        (kind, position)
        for (kind, position, said), held in await spoil(name, NOTHING, places, store, whole=whole)
        if held.failed
        or not is_unparsed(held, position, said)
        or held.verdict.answer not in {PROMISES[name].decides, None}
    ]
    assert wrong == []


@every_protocol
@WHOLE
async def test_an_odd_reply_never_stops_a_debate(name, whole, store):
    places = await positions(name, store)
    wrong, slow = [], []
    for kind, text in ANYTHING.items() if whole else [("one each", None)]:
        table = {kind: text} if whole else ANYTHING
        began = process_time()
        for said, held in await spoil(name, table, places, store, whole=whole):
            if held.failed or held.verdict is None:
                wrong.append(said[:2])
        if process_time() - began >= 5:  # all of them
            slow.append(kind)
    assert (wrong, slow) == ([], [])


@pytest.mark.parametrize(("piece", "question"), [*zip(HOSTILE, cycle(KINDS), strict=False)])
@WHOLE
async def test_a_huge_ruling_holds_nobody_up(piece, question, whole, store):
    """A ruling is taken apart in the same way for questions of each kind."""
    reply = "{" + piece * ((1_000_000 if whole else 5_000) // len(piece))
    spoken = 0

    def script(call):
        nonlocal spoken
        judges = call.scene.role == "judge"
        spoken += judges
        return reply if judges else says(call)

    began = process_time()
    transcript = await hold("multi-persona", script, store, question=question)
    assert transcript.failed is None
    assert spoken
    assert process_time() - began < 1.0 * spoken


@every_protocol
@WHOLE
async def test_nothing_but_silence_comes_to_no_answer(name, whole, store):
    for question in kinds_for(name)[: None if whole else 3]:
        transcript = await hold(name, lambda _: "", store, question=question)
        assert transcript.failed is None
        assert transcript.verdict.answer is None
        assert all(turn.answer is None for turn in transcript.turns)


@every_protocol
@WHOLE
@pytest.mark.parametrize("error", [RefusedError("not this"), TransientError("busy")], ids=type)
async def test_a_failing_call_fails_its_question_alone(name, error, whole, store):
    others = [msgspec.structs.replace(SUM, id=f"other-{n}", text=f"{n}+{n}?") for n in range(2)]
    places = await positions(name, store)
    for position in [place for place, chosen in places.items() if whole or chosen]:

        def script(call, position=position):
            if (call.scene.agent, call.scene.round) == position and call.scene.question.id == "sum":
                return error
            return says(call, ends=2)

        path = CallPath(store, retry=Retry(attempts=2, first=0.0001))
        model = Scripted(script, name=f"failing-{'-'.join(map(str, position))}")
        held = await hold_all(name, model, store, [others[0], SUM, others[1]], path=path)
        assert [each.failed is None for each in held] == [True, False, True]
        assert held[1].failed.kind == type(error).__name__
        assert str(error) in held[1].failed.reason
        assert held[1].verdict is None
        assert position not in [(turn.agent, turn.round) for turn in held[1].turns]
        for each in (held[0], held[2]):
            assert each.verdict.answer == PROMISES[name].decides


async def test_when_one_of_a_round_fails_the_others_are_kept_and_paid_once(store):
    def script(call):
        return RefusedError("not I") if call.scene.agent == "mind-2" else says(call)

    failed = await hold("society-of-minds", script, store)
    assert [turn.agent for turn in failed.turns] == ["mind-1", "mind-3"]
    assert [turn.id for turn in failed.turns] == [1, 3]
    mended = await hold("society-of-minds", says, store)
    assert [turn.replayed for turn in mended.turns] == [True, False, True, False, False, False]


@every_protocol
async def test_what_ends_the_run_is_no_matter_of_one_question(name, store):
    with pytest.raises(BudgetReached):
        await hold(name, says, store, path=CallPath(store, guard=BudgetGuard(Budget(calls=0))))
    await store.close()
    with pytest.raises(StoreError):
        await hold(name, Scripted(says, name="new"), store)


@every_protocol
@WHOLE
async def test_questions_are_data(name, whole, store):
    nasty = "{{ 7*7 }} {% raw %} {{ ''.__class__ }} \x00\u202e\r\n {# gone #} \\n"
    for kind in kinds_for(name)[: None if whole else 3]:
        choices = (nasty, nasty) if kind.choices else ()
        question = msgspec.structs.replace(kind, text=nasty, context=nasty, choices=choices)
        sent = []

        def script(call, sent=sent):
            sent.append("".join(message.content for message in call.messages))
            return says(call, answer=nasty, ends=2)

        transcript = await hold(name, script, store, question=question)
        assert transcript.failed is None
        assert all(nasty in text for text in sent)
        assert not any(made in text for text in sent for made in ("49", "<class"))


@every_protocol
async def test_a_question_that_is_no_unicode_is_debated_without_what_is_none(name, store):
    question = msgspec.structs.replace(SUM, text="caf\udce9 2+2?", context="\ud800")
    sent = []

    def script(call):
        sent.extend(message.content for message in call.messages)
        return says(call)

    held = await hold(name, script, store, question=question)
    assert held.verdict.answer == PROMISES[name].decides
    assert "caf\ufffd 2+2?" in "".join(sent)


@every_protocol
@WHOLE
async def test_a_megabyte_of_question_is_debated(name, whole, store):
    text = "ab\u202ec " * (200_000 if whole else 4_000)
    question = msgspec.structs.replace(SUM, text=text)
    transcript = await hold(name, Scripted(says, count=len), store, question=question)
    assert transcript.verdict.answer == PROMISES[name].decides


@pytest.mark.parametrize("name", OWN)
async def test_a_failed_debate_leaves_no_work_to_the_garbage_collector(name, store):
    """Frames that hold each other would keep all that a debate has said until it runs."""
    calls = count()

    def script(call):
        if next(calls) == 1 or call.scene.round > 1:
            raise RefusedError("no more")
        return says(call, ends=3)

    with find_frames() as left:
        for _ in range(2):
            await hold(name, script, store)
    assert not left
