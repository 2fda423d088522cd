"""Whatever models reply: every debate ends, its transcript can be stored, and it replays the same.

The replies are the forms that prompts ask for, with pieces removed, doubled and replaced.
"""

import asyncio
from itertools import count

import msgspec
import pytest
from hypothesis import strategies as st

from moot.core.calls import Reply
from moot.core.redaction import redact
from moot.core.stored import decode_transcript
from moot.debate.protocol import registry
from moot.ledger.store import Store
from moot.models.chat_format import Unreadable, read
from moot.models.scripted import Scripted
from support.debates import KINDS, SUM, hold, kinds_for, ruling, timeless
from support.fuzzing import VALUES, WORDS, fuzz, mutated
from support.promises.table import PROMISES

FORMS = [
    ruling("4"), ruling(), "Final answer: 4",
    "I agree with agent 2.\nThe answer is \\boxed{\\frac{1}{2}}.\nFinal answer: 0.5",
    "Agent 1: 3\nAgent 2: 4\n\n## Result\n**Answer: B**\n",
    "Score 1: 7\nScore 2: 9\nReason: it is clearer",
    '[{"name": "Ada", "description": "a mathematician"}, {"name": "Bo", "description": "a judge"}]',
    '1. First, name it.\n2. Then claim it.\n- [1] quoted\n> "so they said"\nChosen: 1, 2',
    "<think>I wonder</think>\nYes.", "<think>never closed", "Satisfied: no\nFeedback: say why\n",
]  # fmt: skip
REPLIES = st.sampled_from(FORMS).flatmap(mutated) | WORDS | st.text(max_size=40)
NAMES = sorted(name for name in PROMISES if registry.get(name.partition(":")[0]).is_installed)
FINISHES = st.sampled_from(["stop", "length", "filter", "other"])


@pytest.mark.soak
async def test_any_replies_in_any_protocol(tmp_path):
    numbers = count()

    async def debate(name, question, replies, finish):
        if question not in kinds_for(name):
            question = SUM

        def script(call):
            place = call.draw.seat * 3 + call.scene.round + call.draw.repeat
            return Reply(text=replies[place % len(replies)], finish=finish)

        async with Store.open(tmp_path / str(next(numbers))) as store:
            transcript = await hold(name, Scripted(script), store, question=question)
            again = await hold(name, Scripted(script), store, question=question)
        assert transcript.failed is None
        assert transcript.verdict is not None
        assert timeless(again) == timeless(transcript)
        encoded = msgspec.json.encode(redact(transcript))
        assert decode_transcript(encoded, "it").verdict == transcript.verdict

    def check(name, question, replies, finish):
        asyncio.run(asyncio.wait_for(debate(name, question, replies, finish), 30))

    await asyncio.to_thread(
        fuzz,
        check,
        name=st.sampled_from(NAMES),
        question=st.sampled_from(KINDS),
        replies=st.lists(REPLIES, min_size=1, max_size=5),
        finish=FINISHES,
    )


COMPLETION = """{
"id": "chatcmpl-1",
"object": "chat.completion",
"choices": [{
"index": 0,
"finish_reason": "stop",
"message": {
"role": "assistant",
"reasoning_content": "I wonder",
"content": "Final answer: 4"
}}],
"usage": {
"prompt_tokens": 12,
"completion_tokens": 7,
"total_tokens": 19,
"completion_tokens_details": {"reasoning_tokens": 3},
"prompt_tokens_details": {"cached_tokens": 4}
}}
"""


def test_mutated_responses_of_an_endpoint():
    def check(text):
        try:
            reply = read(text.encode("utf-8", "surrogatepass"), 0.5)
        except Unreadable:
            return
        reply.text.encode()
        assert reply.finish in {"stop", "length", "filter", "other"}
        for tokens in (reply.prompt_tokens, reply.completion_tokens, reply.reasoning_tokens):
            assert tokens is None or (type(tokens) is int and tokens >= 0)
        assert 0 <= reply.cached_tokens <= (reply.prompt_tokens or 0)

    fuzz(
        check,
        text=mutated(COMPLETION)
        | VALUES.map(lambda value: msgspec.json.encode(str(value)).decode()),
    )
