"""What is set aside for a call is what calls have shown they take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import moot
from moot.core.calls import Call, Message, Reply, Sampling
from moot.core.stored import PastReply
from moot.runtime.path import CallPath
from moot.runtime.sizes import QUANTILE, UNKNOWN_REPLY, Quantile, Sizes
from support.call_path import a_call, ask

SIZE = 400


def reply(tokens, prompt=100):
    return Reply(text="x", prompt_tokens=prompt, completion_tokens=tokens)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=400))
def test_the_quantile_is_no_less_than_the_share_it_stands_for(values):
    found = Quantile()
    for value in values:
        found.add(value)
    above = sum(value > found.value for value in values)
    assert above <= len(values) * (1 - QUANTILE)
    exact = sorted(values)[len(values) - 1 - int(len(values) * (1 - QUANTILE))]
    assert found.value <= max(1.0, exact * 1.1)
    assert (found.count, found.longest) == (len(values), max(values))


def test_nothing_known_is_cautious_and_what_is_seen_is_learnt():
    sizes, call = Sizes(), a_call()
    first = sizes.expect(call, SIZE, None)
    assert (first.reply, first.least_reply, first.most_reply) == (UNKNOWN_REPLY, 0, None)
    for _ in range(200):
        sizes.learn(call, SIZE, reply(2000))
    later = sizes.expect(call, SIZE, None)
    assert later.least_reply == 2000
    assert 2000 <= later.reply <= 2000 + UNKNOWN_REPLY // 200
    assert later.least_prompt == 100


@pytest.mark.parametrize(("tokens", "ratio"), [(100, 0.25), (270, 0.675), (400, 1.0)])
def test_the_prompt_of_another_script_is_learnt(tokens, ratio):
    sizes = Sizes()
    for _ in range(50):
        sizes.learn(a_call(), SIZE, reply(10, prompt=tokens))
    found = sizes.expect(a_call(), 4000, None)
    assert 4000 * ratio <= found.least_prompt + 1
    assert found.prompt <= 4000 * ratio * 1.15


async def test_what_the_store_has_is_known_from_the_start(store):
    call = Call(model="scripted/script", messages=(Message("user", "你好" * 50),))
    path = CallPath(store)
    await ask(path, moot.Scripted(["one two three"]), call)
    await store.flush()
    (past,) = store.past_replies({"scripted/script"})
    assert (past.sampling, past.completion_tokens) == (Sampling(), 3)
    assert past.size == len(call.request())
    assert store.past_replies({"scripted/other"}) == []
    sizes = Sizes()
    sizes.learn_past(past)
    assert sizes.expect(call, past.size, None).least_reply == 3


def test_the_context_and_max_tokens_limit_what_is_set_aside():
    assert Sizes().expect(a_call(), SIZE, 4096).most_reply == 4096 - SIZE // 4
    sizes = Sizes()
    sizes.learn(a_call(), SIZE, reply(30))
    assert sizes.expect(a_call(), SIZE, 4096).reply <= 30 + 2048
    call = Call(model="m", messages=(), sampling=Sampling(max_tokens=50))
    assert sizes.expect(call, SIZE, None).reply == 50
    sizes.learn(call, SIZE, reply(700))  # an endpoint that does not count thought
    assert sizes.expect(call, SIZE, None).reply == 700


def test_replies_are_told_apart_by_model_and_sampling_and_hidden_thought_counts():
    sizes = Sizes()
    sizes.learn(a_call(), SIZE, Reply(text="4", thought="so " * 400, prompt_tokens=1))
    assert sizes.expect(a_call(), SIZE, None).least_reply > 250
    for other in (
        Call(model="other", messages=()),
        Call(model=a_call().model, messages=(), sampling=Sampling(effort="low")),
    ):
        assert sizes.expect(other, SIZE, None).least_reply == 0
    sizes.learn_past(PastReply("m", Sampling(), 0, 5000, 10))  # of a secret question: no prompt
    assert sizes.expect(Call(model="m", messages=()), SIZE, None).least_prompt == SIZE // 4
