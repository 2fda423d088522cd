"""A call's identity: all that changes replies is in it, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from moot.core.calls import Call, Draw, Message, Sampling, Scene, identity
from moot.core.questions import Question

CALL = Call(model="a/b", messages=(Message("user", "hello"),))
SCENE = Scene(
    question=Question(id="q", kind="text", text="?"), agent="a", role="a", step="answer", round=1
)
OTHERS = {
    "model": replace(CALL, model="a/c"),
    "words": replace(CALL, messages=(Message("user", "hello "),)),
    "role": replace(CALL, messages=(Message("system", "hello"),)),
    "one more": replace(CALL, messages=(*CALL.messages, Message("user", ""))),
    "temperature": replace(CALL, sampling=Sampling(temperature=0.0)),
    "top_p": replace(CALL, sampling=Sampling(top_p=0.5)),
    "max_tokens": replace(CALL, sampling=Sampling(max_tokens=1)),
    "stop": replace(CALL, sampling=Sampling(stop=("x",))),
    "seed": replace(CALL, sampling=Sampling(seed=1)),
    "schema": replace(CALL, sampling=Sampling(schema={"type": "object"})),
    "replicate": replace(CALL, draw=Draw(1, 0, 0)),
    "seat": replace(CALL, draw=Draw(0, 1, 0)),
    "repeat": replace(CALL, draw=Draw(0, 0, 1)),
}


def known_as(call: Call) -> bytes:
    return identity(call.request(), call.draw)


def test_whatever_changes_a_reply_changes_the_identity():
    names = {known_as(call) for call in (CALL, *OTHERS.values())}
    assert len(names) == len(OTHERS) + 1
    assert all(len(name) == 16 for name in names)


def test_where_a_call_stands_is_no_part_of_it():
    assert known_as(replace(CALL, scene=SCENE)) == known_as(CALL)


def test_identities_stay_what_they_were():
    """A ledger outlives a version of moot: this value must never change."""
    assert known_as(CALL).hex() == "b5eea095caa767cd16c3f7076586cc09"
    assert CALL.request() == b'["a/b",[{"role":"user","content":"hello"}],{}]'


def test_the_order_of_a_schema_s_keys_means_nothing():
    schemas = ({"a": 1, "b": {"x": 1, "y": 2}}, {"b": {"y": 2, "x": 1}, "a": 1})
    first, second = (Sampling(schema=schema) for schema in schemas)
    assert known_as(replace(CALL, sampling=first)) == known_as(replace(CALL, sampling=second))


draws = st.builds(Draw, st.integers(0, 500), st.integers(0, 99), st.integers(0, 20))


@given(draws, draws)
def test_draws_are_told_apart(one, other):
    request = CALL.request()
    assert (identity(request, one) == identity(request, other)) == (one == other)


@given(st.integers(0, 2**31 - 1), st.builds(Draw, *[st.integers(0, 10**6)] * 3), st.text())
def test_seeds_are_in_range_and_the_same_each_time(base, draw, text):
    call = replace(CALL, sampling=Sampling(seed=base), draw=draw, messages=(Message("user", text),))
    assert 0 <= call.seed() < 2**31
    assert call.seed() == replace(call).seed()
    warm = replace(call, sampling=Sampling(seed=base, temperature=1.0))
    assert warm.seed() == call.seed()


def test_one_seat_samples_each_question_with_a_seed_of_its_own():
    asked = [replace(CALL, messages=(Message("user", f"{n} + 3 = ?"),)) for n in range(1000)]
    seeds = sorted(call.seed() for call in asked)
    assert len(set(seeds)) == 1000
    assert abs(sum(seeds) / 1000 / 2**30 - 1) < 0.06  # spread over the range, not bunched
