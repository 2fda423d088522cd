"""Hidden thought in debates: it stays with the turn, and nobody else sees it."""

import msgspec
import pytest

from moot.core.calls import Draw, Reply, identity
from moot.core.questions import WITHHELD
from moot.core.redaction import redact
from moot.core.thought_marks import MARKS, ThoughtMark
from moot.debate.protocol import registry
from moot.ledger.store import Store
from moot.metrics.metric import measure
from moot.models.model_names import load
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from support.chaos import Chaos
from support.debates import KINDS, SUM, hold, says
from support.http_calls import a_call
from support.quirks import THOUGHT

HERE = [each.name for each in registry if each.is_installed and "society" not in each.name]


class Thinking(Scripted):
    """Thinks before every reply, and keeps what it was asked."""

    def __init__(self, mark: ThoughtMark = MARKS[0]) -> None:
        self.asked = []
        super().__init__(self.script, name="thinking")
        self.mark = mark

    def script(self, call):
        self.asked.append(call)
        said = says(call)
        words = "We say SECRET" if self.mark.first else "SECRET"  # a sentence follows at once
        thought = f"{self.mark.begin}{words} number 5. The answer is 5.\n{said[:9]}"
        return f"{thought}{self.mark.end}{said}"


async def think(name, store, mark=MARKS[0], **given):
    """A debate whose agents think: nobody else is shown that, and no text has it."""
    model = Thinking(mark=mark)
    held = await hold(name, model, store, **given)
    assert all("SECRET" in turn.thought for turn in held.turns)
    assert "SECRET" not in str([turn.text for turn in held.turns])
    assert "SECRET" not in str([call.messages for call in model.asked])
    return held


@pytest.mark.parametrize("name", HERE)
async def test_no_other_agent_and_no_parser_sees_thought(name, store):
    plain = await hold(name, Scripted(says, name="thinking"), store)
    async with Store.open(store.file.parent / "again") as other:
        held = await think(name, other)
    said, expected = ([(t.answer, t.text.strip()) for t in each.turns] for each in (held, plain))
    assert said == expected


@pytest.mark.parametrize("mark", MARKS, ids=lambda each: each.begin)
async def test_thought_in_any_marks_is_kept_from_the_others(mark, store):
    await think("society-of-minds", store, mark, agents=2, rounds=2)


@pytest.mark.parametrize("question", KINDS, ids=lambda each: each.kind)
async def test_a_reply_that_is_all_thought_commits_to_nothing(question, store):
    async with Chaos() as server:
        model = load(f"{server.url}/vllmspent")
        held = await hold("society-of-minds", model, store, question=question, agents=2, rounds=1)
        await model.close()
    for turn in held.turns:
        assert (turn.text, turn.answer, turn.thought) == ("", None, THOUGHT)
        assert turn.is_thought_only
    values = measure(held)
    assert values["thought-only-replies"] == 2.0


async def test_a_recorded_reply_is_replayed_as_it_was_read(store):
    """Else the prompts behind it would be others, and a stored run would call again."""
    first = b'{"text":"<think>SECRET</think>It is 4.","completion_tokens":9}'
    read = b'{"text":"<thinking>Sum.</thinking>It is 4.","completion_tokens":9}'
    for draw, stored, text, thought in (
        (Draw(), first, "It is 4.", "SECRET"),  # from before thought was kept apart
        (Draw(seat=1), read, "<thinking>Sum.</thinking>It is 4.", ""),
    ):
        call = msgspec.structs.replace(a_call(), draw=draw)
        reply = msgspec.json.decode(stored, type=Reply)
        await store.record(identity(call.request(), draw), call, call.request(), reply)
        found = await CallPath(store).reply(Thinking(), call, call.request())
        assert (found.text, found.thought, found.replayed) == (text, thought, True)


async def test_thought_on_a_secret_question_is_withheld_wherever_it_is_kept(store):
    secret = msgspec.structs.replace(SUM, secret=True)
    held = await hold("single", Thinking(), store, question=secret)
    [turn] = redact(held).turns
    assert (turn.thought, turn.text) == (WITHHELD, WITHHELD)
    await store.flush()
    found = await store.find(bytes.fromhex(turn.call))
    assert found.thought == WITHHELD
    files = [each for each in store.file.parent.iterdir() if each.is_file()]
    assert b"SECRET" not in b"".join(each.read_bytes() for each in files)
