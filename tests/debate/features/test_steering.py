"""People who steer a debate while it runs: what it changes, and that it can be repeated."""

import pytest

import moot
from moot.core.errors import InputError
from moot.debate.protocol import registry
from moot.reports.transcript import describe_between
from moot.studies.lab import open_lab

REMARK = "Think of the night shift."
MODEL = "simulated/people?accuracy=0.5"
RIGHT = "simulated/right?accuracy=1"
STEERABLE = [each.name for each in registry if each.steered]


async def ask(store, protocol="society-of-minds", steering=None, **given):
    settings = {"rounds": 2, "model": MODEL, "steering": steering, **given}
    asked = {"kind": "boolean", "protocol": protocol, "store": store}
    return await moot.ask("Should the depot move?", **asked, **settings)


def press(steering, press_at, *ways):
    """Return a listener that steers as soon as a turn of this number is there."""

    def listen(event):
        if isinstance(event, moot.Turn) and event.id == press_at:
            for way in ways:
                steering.remark(REMARK) if way == "remark" else getattr(steering, way)()

    return listen


def notes(answer):
    return [(note.what, note.after, note.ends) for note in answer.transcript.notes]


async def requests(folder, answer):
    """Return what was sent, by turn."""
    async with open_lab(folder, readonly=True) as lab:
        asked = {turn.id: lab.store.request(bytes.fromhex(turn.call)) for turn in answer.turns}
    return {turn: call.messages[-1].content for turn, call in asked.items()}


async def test_a_remark_is_seen_by_all_agents_from_the_next_round_on(tmp_path):
    steering = moot.Steering()
    answer = await ask(tmp_path, steering=steering, rounds=3, listen=press(steering, 2, "remark"))
    sent = await requests(tmp_path, answer)
    assert [turn for turn, prompt in sent.items() if REMARK in prompt] == [4, 5, 6, 7, 8, 9]
    assert notes(answer) == [("remark", 3, True)]
    assert answer.transcript.notes[0].why == REMARK
    steering = moot.Steering()
    given = {"need": 3, "listen": press(steering, 1, "remark")}
    gated = await ask(tmp_path, "agreement-gate", steering, **given)
    assert "remark" in [note.what for note in gated.transcript.notes], "behind a gate, too"


@pytest.mark.parametrize(
    ("way", "rounds", "press_at", "ends", "last"), [("extend", 2, 1, 3, 3), ("decide", 9, 4, 6, 2)]
)
async def test_another_round_is_one_more(tmp_path, way, rounds, press_at, ends, last):
    steering = moot.Steering()
    given = {"rounds": rounds, "listen": press(steering, press_at, way)}
    answer = await ask(tmp_path, steering=steering, **given)
    assert [turn.round for turn in answer.turns] == [n for n in range(1, last + 1) for _ in "abc"]
    assert notes(answer) == [(way, ends, True)]
    assert answer.transcript.verdict is not None


async def test_another_round_goes_on_after_a_stop(tmp_path):
    steering = moot.Steering()
    given = {"model": RIGHT, "rounds": 4, "stop": "consensus"}
    plain = await moot.ask("2 + 2?", kind="number", store=tmp_path, **given)
    assert len(plain.turns) == 3
    given |= {"steering": steering, "listen": press(steering, 3, "extend")}
    answer = await moot.ask("2 + 2?", kind="number", store=tmp_path, **given)
    assert len(answer.turns) == 6
    assert [note.what for note in answer.transcript.notes] == ["extend", "stop", "stop"]


async def test_what_comes_too_late_is_recorded_as_such(tmp_path):
    steering = moot.Steering()
    listen = press(steering, 3, "remark")  # with the judge's decision
    answer = await ask(tmp_path, "multi-persona", steering, model=RIGHT, listen=listen)
    assert notes(answer) == [("remark", 3, False)]
    assert "(too late: it had no effect)" in describe_between(answer.transcript.notes[0])


@pytest.mark.parametrize("protocol", STEERABLE)
async def test_the_same_steering_gives_the_same_debate_without_a_call(tmp_path, protocol):
    steering = moot.Steering()
    first = await ask(tmp_path, protocol, steering, listen=press(steering, 1, "remark", "extend"))
    plain = await ask(tmp_path / "plain", protocol)
    steps = moot.Steering.of(first.transcript)
    again = await ask(tmp_path, protocol, steps)
    assert [turn.call for turn in again.turns] == [turn.call for turn in first.turns]
    assert all(turn.replayed for turn in again.turns)
    assert notes(again) == notes(first)
    assert again.transcript.verdict == first.transcript.verdict
    if notes(first) and all(ends for _, _, ends in notes(first)):
        assert len(first.turns) >= len(plain.turns)


@pytest.mark.parametrize("protocol", STEERABLE)
async def test_each_decides_when_told_and_goes_on_where_nothing_is_said(tmp_path, protocol):
    steering = moot.Steering()
    answer = await ask(tmp_path, protocol, steering, rounds=5, listen=press(steering, 1, "decide"))
    assert answer.transcript.verdict is not None
    assert max(turn.round for turn in answer.turns) <= 2, "a judge's last word is one of its own"
    plain = await ask(tmp_path, protocol)
    steered = await ask(tmp_path, protocol, moot.Steering())
    assert [turn.call for turn in steered.turns] == [turn.call for turn in plain.turns]
    assert all(turn.replayed for turn in steered.turns)


@pytest.mark.parametrize("protocol", ["single", "jury", "council", "chateval-scored"])
async def test_others_refuse_by_name(tmp_path, protocol):
    with pytest.raises(InputError, match=f"{protocol} has no further round"):
        await moot.ask("2 + 2?", protocol=protocol, steering=moot.Steering(), store=tmp_path)


@pytest.mark.parametrize("text", ["", "  \n", "x" * 10_001])
def test_a_remark_has_words_and_an_end(text):
    with pytest.raises(InputError, match="remark: it"):
        moot.Steering().remark(text)
