"""Hidden thought in debates: it stays with the turn, and nobody else sees it."""

import msgspec
import pytest

from moot.core.calls import Reply, identity
from moot.core.questions import WITHHELD
from moot.core.redaction import redact
from moot.core.stored import decode_transcript
from moot.core.thought_marks import MARKS, ThoughtMark
from moot.debate.protocol import registry
from moot.ledger.sqlite_store import Store
from moot.metrics.metric import measure
from moot.models.model_names import load
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from support.chaos import THOUGHT, Chaos
from support.debates import KINDS, SUM, hold, says
from support.http_calls import a_call

HERE = [each.name for each in registry if each.is_installed and "society" not in each.name]


class Thinking(Scripted):
    """Thinks before every reply, and keeps what it was asked."""

    def __init__(self, *, closed: bool = True, mark: ThoughtMark = MARKS[0]) -> None:
        self.asked = []
        super().__init__(self.script, name="thinking")
        self.closed, self.mark = closed, mark

    def script(self, call):
        self.asked.append(call)
        said = says(call)
        thought = f"{self.mark.begin}SECRET number 5. The answer is 5.\n{said[:9]}"
        if self.mark.first:  # a sentence follows the word at once
            thought = f"{self.mark.begin}We say SECRET number 5. The answer is 5.\n{said[:9]}"
        return f"{thought}{self.mark.end}{said}" if self.closed else thought


@pytest.mark.parametrize("name", HERE)
async def test_no_other_agent_and_no_parser_sees_thought(name, store):
    plain = await hold(name, Scripted(says, name="thinking"), store)
    async with Store.open(store.file.parent / "again") as other:
        model = Thinking()
        held = await hold(name, model, other)
    assert all("SECRET" in turn.thought for turn in held.turns)
    assert "SECRET" not in str([turn.text for turn in held.turns])
    assert "SECRET" not in str([call.messages for call in model.asked])
    assert [(t.answer, t.text.strip()) for t in held.turns] == [
        (t.answer, t.text.strip()) for t in plain.turns
    ]


@pytest.mark.parametrize("mark", MARKS, ids=lambda each: each.begin)
async def test_thought_in_any_marks_is_kept_from_the_others(mark, store):
    model = Thinking(mark=mark)
    held = await hold("society-of-minds", model, store, agents=2, rounds=2)
    assert all("SECRET" in turn.thought for turn in held.turns)
    assert "SECRET" not in str([turn.text for turn in held.turns])
    assert "SECRET" not in str([call.messages for call in model.asked])


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


async def test_a_replay_gives_thought_back(store):
    first = await hold("single", Thinking(), store)
    again = await hold("single", Thinking(), store)
    [one], [two] = first.turns, again.turns
    assert two.replayed
    assert (two.thought, two.reasoning_tokens) == (one.thought, one.reasoning_tokens)
    assert two.reasoning_tokens == len(two.thought.split())
    assert measure(again)["reasoning-tokens"] == one.reasoning_tokens


async def test_a_row_from_before_thought_was_kept_apart_is_read_so(store):
    call = a_call()
    key = identity(call.request(), call.draw)
    old = b'{"text":"<think>SECRET</think>It is 4.","completion_tokens":9}'
    reply = msgspec.json.decode(old, type=Reply)
    await store.record(key, call, call.request(), reply)
    found = await CallPath(store).reply(Thinking(), call, call.request())
    assert (found.text, found.thought, found.replayed) == ("It is 4.", "SECRET", True)


async def test_a_recorded_reply_is_replayed_as_it_was_read(store):
    """Else the prompts behind it would be others, and a stored run would call again."""
    call = a_call()
    key = identity(call.request(), call.draw)
    old = Reply(text="<thinking>Sum.</thinking>It is 4.", completion_tokens=9)
    await store.record(key, call, call.request(), old)
    found = await CallPath(store).reply(Thinking(), call, call.request())
    assert (found.text, found.thought) == (old.text, "")


async def test_an_old_transcript_still_loads(store):
    held = await hold("single", Scripted(says), store)
    encoded = msgspec.json.encode(held)
    assert b"thought" not in encoded
    assert decode_transcript(encoded, "it") == held


async def test_thought_on_a_secret_question_is_withheld_wherever_it_is_kept(store):
    secret = msgspec.structs.replace(SUM, secret=True)
    held = await hold("single", Thinking(), store, question=secret)
    [turn] = redact(held).turns
    assert (turn.thought, turn.text) == (WITHHELD, WITHHELD)
    await store.flush()
    found = await store.find(bytes.fromhex(turn.call))
    assert found.thought == WITHHELD
    assert b"SECRET" not in b"".join(
        file.read_bytes() for file in store.file.parent.iterdir() if file.is_file()
    )


async def test_effort_is_a_setting_of_the_debate_and_of_its_agents(store):
    model = Thinking()
    cast = [{"effort": "low"}, {"effort": "none"}, {}]
    await hold("society-of-minds", model, store, agents=3, rounds=1, effort="high", cast=cast)
    assert [call.sampling.effort for call in model.asked] == ["low", "none", "high"]
