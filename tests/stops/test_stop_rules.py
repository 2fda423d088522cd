"""Gates and stops: when they end a debate, and what the transcript says of it."""

import pytest

from moot.core.errors import InputError, UnknownName
from moot.core.events import Noted
from moot.debate.protocol import registry as protocols
from moot.debate.stop_rule import Ending, find_stops, registry
from moot.debate.stops import stop_at_consensus, stop_at_decision
from moot.debate.views import Views
from support.debates import SUM, hold, stand

ABLE = [each.name for each in protocols if each.has_stops]


def check(name, *rounds, **settings):
    return registry.get(name).apply([stand(*answers) for answers in rounds], SUM, settings)


def constant(call):
    return f"Final answer: {call.draw.seat}"


def swap(call):
    """Two agents that swap their answers in every round."""
    return f"Final answer: {(call.draw.seat + call.scene.round) % 2}"


def stops(transcript):
    return [each for each in transcript.events if isinstance(each, Noted) and each.what == "stop"]


async def test_constant_answers_stop_after_as_many_still_rounds_as_are_asked_for(store):
    held = await hold("society-of-minds", constant, store, rounds=9, stop="stability")
    assert len(held.turns) == 3 * 3
    assert [note.signal for note in stops(held)] == [0.0, 0.0]
    assert [note.ends for note in stops(held)] == [False, True]
    given = {"stop": "stability"}
    once = await hold("society-of-minds", constant, store, rounds=9, twice=1, **given)
    assert len(once.turns) == 3 * 2
    late = await hold("society-of-minds", constant, store, rounds=3, twice=3, **given)
    assert len(late.turns) == 3 * 3, "as many still rounds as there are never stop early"
    assert not any(note.ends for note in stops(late))
    swapped = await hold("society-of-minds", swap, store, agents=2, rounds=9, **given)
    assert len(swapped.turns) == 2 * 3
    assert stops(swapped)[-1].why == "the counts are still; answers were swapped"


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        (("4", "4", "5"), ("4", "5", "5"), 1 / 3), (("4", "4", "5"), ("5", "4", "4"), 0),
        (("4", "5", "6"), ("7", "8", "9"), 1), (("4", None, "5"), ("4", "5", None), 0),
        (("4", "4", "4"), ("4", None, "4"), 1 / 3), (("4", "4.0"), ("4.0", "4"), 0),
    ],
)  # fmt: skip
def test_a_change_is_the_share_of_agents_that_change_a_count(before, now, change):
    ending = check("stability", before, now)
    assert ending.signal == pytest.approx(change)
    assert bool(check("stability", before, now, twice=1, still=change)) is True


def test_a_change_that_is_small_enough_is_no_change():
    rounds = [("4", "4", "5"), ("4", "5", "5"), ("4", "4", "5")]
    assert not check("stability", *rounds, still=0.3)
    assert check("stability", *rounds, still=0.34)
    assert check("stability", ("4", "5")) is None


@pytest.mark.parametrize(
    ("name", "rounds", "ends"),
    [
        # Two agents exchange only where each takes the other's answer.
        ("exchange", [("4", "5", "6"), ("5", "4", "6")], True),
        ("exchange", [("4", "5", "6"), ("5", "6", "4")], False),
        ("exchange", [("4", "4", "6"), ("4", "4", "6")], False),
        ("exchange", [(None, "5"), ("5", None)], False),
        ("exchange", [("4", "5")], False),
        ("deadlock", [("4", "5"), ("4.0", "5")], True),  # a round without a change
        ("deadlock", [("4", "5"), ("5", "4")], False),
        ("deadlock", [("4", "5")], False),
        ("consensus", [("4", "4.0")], True),  # from the first round on
        ("consensus", [("4", None)], False),
    ],
)
def test_a_rule_ends_a_debate(name, rounds, ends):
    assert bool(check(name, *rounds)) is ends


@pytest.mark.parametrize("name", ABLE)
async def test_every_protocol_with_the_setting_ends_early_and_within_its_formula(name, store):
    settings = {"agents": 2, "rounds": 6, "stop": "deadlock"}
    if name == "majority-lock":
        settings |= {"lock": "follower", "p": 0.0}
    if name == "diverse-methods":
        del settings["agents"]
    held = await hold(name, constant, store, **settings)
    assert held.failed is None
    assert stops(held)[-1].why == "no answer changed"
    protocol = protocols.get(name)
    least, most = protocol.count(protocol.check(settings))
    assert least <= len(held.turns) < most


def test_a_stop_that_does_not_exist_is_named():
    with pytest.raises(UnknownName, match="stabilty"):
        protocols.get("free-mad").check({"stop": "stabilty"})
    with pytest.raises(InputError, match="twice"):
        protocols.get("free-mad").check({"stop": "stability", "twice": 0})
    assert [each.name for each in find_stops(" consensus , exchange,")] == ["consensus", "exchange"]


def test_consensus_is_of_the_newest_views():
    one, other = stand("4", "5")
    later = other.relabel("Agent 2", "4", 2)
    assert stop_at_consensus(Views((one, other)), SUM) is None
    assert stop_at_consensus(Views((one, later)), SUM)
    assert stop_at_consensus(stand("4", "4"), SUM) == Ending(why="all agree")
    assert stop_at_decision(stand(None, "4"), SUM), "the newest has an answer"
    assert stop_at_decision(stand("4", None), SUM) is None
