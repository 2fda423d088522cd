"""People whom the user names: they are the team, and nobody is asked for another."""

import pytest

import moot
from moot import InputError
from moot.debate.protocol import registry
from support.essays import PROPOSITION, speaking, write_by
from support.prompts import assert_order

PEOPLE = (
    {"name": "Ada Stone", "description": "a curator", "claim": "Fees pay for guards."},
    {"description": "a bus driver"},
)
PROTOCOL = registry.get("debate-to-write")


async def test_they_are_the_team_without_a_call_for_a_pool(store):
    transcript, steps, sent = await write_by(store, speaking(), people=PEOPLE)
    assert steps == ["discuss", "discuss", "challenge", "plan", "essay"]
    assert transcript.opened.settings["team"] == 2
    assert_order(sent[1], "as no one else: Ada Stone: a curator", "Fees pay for guards.")
    assert "as no one else: a bus driver" in sent[2]
    introduced = "Agent A: Ada Stone: a curator: Fees pay for guards.\nAgent B: a bus driver"
    assert all(introduced in sent[turn] for turn in (1, 2, 3, 4))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"people": [{"description": " "}]}, r"people\[1\]: say who it is"),
        ({"people": [{"claim": "x"}]}, r"people\[1\]: say who it is"),
        ({"people": [*PEOPLE, {"descripton": "x"}]}, r"people\[3\]: .*'descripton'.*description"),
        ({"people": [{"description": "x" * 401}]}, r"people\[1\]: description: it has more than"),
        ({"people": [{"description": "a\x07b"}]}, "control character ␇"),
        ({"people": [PEOPLE[1]] * 2}, "two of them are 'a bus driver'"),
        ({"people": [{"description": f"{n}"} for n in range(11)]}, "setting people"),
        ({"people": PEOPLE, "team": 3}, "team = 3: people names 2"),
        ({"people": PEOPLE, "pool": 5}, "pool = 5: people are named"),
        ({"people": PEOPLE, "personas": False}, "personas = false nobody has a persona"),
    ],
)
def test_contradictions_are_refused(given, said):
    with pytest.raises(InputError, match=said):
        PROTOCOL.check(given)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "No such file"),
        ("[[persons]]", "unknown table 'persons'"),
        ("people = 3", r"write a table \[\[people\]\]"),
        ("[[people]", "not TOML"),
    ],
)
async def test_a_file_that_names_nobody_is_refused(text, said, tmp_path):
    file = tmp_path / "people.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(InputError, match=said):
        await moot.write(PROPOSITION, store=tmp_path / "s", people=file)
