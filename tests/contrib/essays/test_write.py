"""Writing an essay from Python."""

import asyncio

import pytest

import moot
from moot.contrib.essays.write import essay_protocols
from support.essays import ESSAY, PROPOSITION, steps

TURNS = [text for _, _, text, _ in steps()]


def house(turns=TURNS):
    return moot.Scripted(turns, name="house")


async def test_an_essay_comes_with_how_it_came_about(tmp_path):
    heard = []
    made = await moot.write(PROPOSITION, model=house(), store=tmp_path, pool=4, listen=heard.append)
    assert isinstance(made, moot.Written)
    assert (made.essay, made.failed, made.calls) == (ESSAY, None, 12)
    assert [each.description for each in made.personas] == ["A taxpayer", "A curator", "A guard"]
    assert len(made.dialogue) == 8
    assert made.settings["stance"] == "oppose"
    assert made.models == ("scripted/house",)
    assert [event.id for event in heard if isinstance(event, moot.Turn)] == list(range(1, 13))


async def test_asking_the_same_again_is_replayed_for_nothing(tmp_path):
    first = await moot.write(PROPOSITION, model=house(), store=tmp_path)
    again = await moot.write(
        PROPOSITION, model=house(), store=tmp_path, budget=moot.Budget(calls=12)
    )
    assert (again.run, again.essay) == (first.run, first.essay)
    assert all(remark.replayed for remark in again.dialogue)
    other = await moot.write(PROPOSITION, model=house(), store=tmp_path, stance="support")
    assert other.run != first.run


async def test_evidence_is_looked_up_and_every_quotation_checked(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "house.md").write_text("In museums, repairs doubled in ten years.\n")
    made = await moot.write(
        PROPOSITION,
        model=house(["1. Costs", "So “Repairs doubled in ten years” [1], “all is well” [1]."]),
        protocol="essay-plan",
        evidence=tmp_path / "notes",
        store=tmp_path / "store",
    )
    assert [each.source for each in made.passages] == ["house.md:1"]
    assert [(each.text, each.found) for each in made.quotes] == [
        ("Repairs doubled in ten years", True), ("all is well", False),
    ]  # fmt: skip


@pytest.mark.parametrize("protocol", [each.name for each in essay_protocols() if each.is_installed])
async def test_every_protocol_that_writes_can_be_named(protocol, tmp_path):
    made = await moot.write(PROPOSITION, protocol=protocol, model=house("?" * 30), store=tmp_path)
    assert (made.protocol, made.essay, made.failed) == (protocol, "?", None)


async def test_several_can_be_written_at_once(tmp_path):
    made = await asyncio.gather(
        *(moot.write(f"{n} is odd.", model=house(), store=tmp_path) for n in range(3))
    )
    assert [each.proposition for each in made] == ["0 is odd.", "1 is odd.", "2 is odd."]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"proposition": 3}, "proposition: expected a text, got 3"),
        ({"proposition": " "}, "proposition: it is empty"),
        ({"stance": "against"}, "unknown stance 'against'; .*oppose, support"),
        ({"stance": 3}, "stance: expected 'oppose', 'support' or 'both'"),
        ({"protocol": "single"}, "unknown protocol 'single'; .*americano, debate-to-write, essay-"),
        ({"protocol": "essay-plam"}, "did you mean 'essay-plan'"),
        ({"evidence": 3}, "evidence: expected a folder"),
        ({"evidence": "nowhere"}, "nowhere.*no such folder"),
        (
            {"evidence": "x", "protocol": "essay-direct"},
            "takes none; .*debate-to-write, essay-plan",
        ),
        ({"rounds": 0}, "setting rounds = 0"),
        ({"rouns": 1}, "did you mean 'rounds'"),
        ({"model": "opnai/x"}, "opnai"),
    ],
)
async def test_what_cannot_be_is_refused_by_name(given, said, tmp_path):
    options = {"proposition": PROPOSITION, "model": house(), "store": tmp_path / "store"} | given
    with pytest.raises(moot.InputError, match=said):
        await moot.write(**options)
