"""Writing an essay from Python."""

import pytest

import moot
from moot.contrib.essays.write import essay_protocols
from support.essays import PROPOSITION, steps

TURNS = [text for _, _, text, _ in steps()]


def house(turns=TURNS):
    return moot.Scripted(turns, name="house")


@pytest.mark.parametrize("protocol", [each.name for each in essay_protocols() if each.is_installed])
async def test_every_protocol_that_writes_can_be_named(protocol, tmp_path):
    made = await moot.write(PROPOSITION, protocol=protocol, model=house("?" * 30), store=tmp_path)
    assert (made.protocol, made.essay, made.failed) == (protocol, "?", None)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"proposition": 3}, "proposition: expected a text, got 3"),
        ({"proposition": " "}, "proposition: it is empty"),
        ({"stance": 3}, "stance: expected 'oppose', 'support' or 'both'"),
        ({"protocol": "single"}, "unknown protocol 'single'; .*americano, debate-to-write, essay-"),
        ({"evidence": 3}, "evidence: expected a folder"),
        ({"evidence": "x", "protocol": "essay-direct"}, "takes none; .*debate-to-write, essay-p"),
        ({"people": [{"description": "x"}], "protocol": "essay-plan"}, "those that do: debate-to"),
        ({"rouns": 1}, "did you mean 'rounds'"),
        ({"model": "opnai/x"}, "opnai"),
    ],
)
async def test_what_cannot_be_is_refused_by_name(given, said, tmp_path):
    options = {"proposition": PROPOSITION, "model": house(), "store": tmp_path / "store"} | given
    with pytest.raises(moot.InputError, match=said):
        await moot.write(**options)
