"""A talk in turn that ends when enough agents agree with the newest solution."""

import pytest

from support.debates import hold


def speak(*rounds):
    """Each agent's answer in each round, from texts such as "4 4 5"; "-" is no answer."""
    table = [words.split() for words in rounds]

    def script(call):
        place = int(call.scene.agent.rpartition("-")[2]) - 1
        said = table[min(call.scene.round, len(table)) - 1][place]
        return "I am lost." if said == "-" else f"I add.\nFinal answer: {said}"

    return script


@pytest.mark.parametrize(
    ("rounds", "given", "calls", "answer", "by"),
    [
        (["4 4 5"], {}, 2, "4", "consensus"),
        (["4 4 5", "5 5 5"], {"consensus": "unanimity"}, 5, "5", "consensus"),
        (["4 4 5 5", "5 5 5 5"], {"agents": 4}, 5, "5", "consensus"),  # more than half: three
        (["4 4 4 5"], {"agents": 4, "consensus": "supermajority"}, 3, "4", "consensus"),
        (["4 4 4 9"], {"agents": 4, "consensus": "hybrid"}, 4 * 4 + 3, "4", "consensus"),
        (["4 4 9"], {"consensus": "hybrid", "rounds": 5}, 15, "9", "newest solution"),
        (["4 5 6", "7 8 9"], {"rounds": 2}, 6, "9", "newest solution"),
        (["- 4 -", "4 5 5"], {}, 4, "4", "consensus"),
        (["- - -"], {"rounds": 1}, 3, None, "newest solution"),
        (["4 - 4"], {"consensus": "supermajority"}, 3, "4", "consensus"),
    ],
)
async def test_it_ends_when_enough_agree(store, rounds, given, calls, answer, by):
    held = await hold("consensus-talk", speak(*rounds), store, **given)
    assert (len(held.turns), held.verdict.answer, held.verdict.by) == (calls, answer, by)


async def test_who_agrees_again_is_counted_once(store):
    given = {"agents": 3, "rounds": 3, "consensus": "unanimity"}
    held = await hold("consensus-talk", speak("4 - -"), store, **given)
    assert (len(held.turns), held.verdict.by) == (9, "newest solution")
    shares = [note.signal for note in held.notes]
    assert shares == [pytest.approx(1 / 3)] * 9
