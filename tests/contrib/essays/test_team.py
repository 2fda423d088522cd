"""The moves that protocols of argued essays share."""

import pytest

from moot import InputError
from moot.contrib.essays.persona_lists import Persona
from moot.contrib.essays.team import all_settled, introduce_team, label, seat_team
from moot.debate.protocol import registry
from moot.debate.views import Views
from moot.models.scripted import Scripted
from support.debates import says, staged
from support.essays import speaking, write_by

NURSE = Persona(number=4, description="A nurse", claim="It costs lives")
COOK = Persona(number=2, description="A cook")


def test_members_are_called_by_letters():
    assert [label(place) for place in (0, 1, 9)] == ["Agent A", "Agent B", "Agent J"]


def test_a_team_is_introduced_by_label_a_line_each():
    assert introduce_team([NURSE, COOK]) == "Agent A: A nurse: It costs lives\nAgent B: A cook"
    assert introduce_team([]) == ""


def test_a_team_has_a_seat_for_each_persona_else_as_many_as_asked_for(store):
    debate = staged("debate-to-write", Scripted(says), store)
    team = seat_team(debate, [NURSE, COOK], 5, stance="oppose")
    assert [each.label for each in team] == ["Agent A", "Agent B"]
    assert "as no one else: A nurse\nWhat you hold of the proposition: It costs lives\n" in (
        team[0].system.content
    )
    assert "What you hold" not in team[1].system.content
    debate = staged("debate-to-write", Scripted(says), store)
    assert len(seat_team(debate, [], 5, stance="oppose")) == 5


async def test_all_have_to_be_settled(store):
    yes, no, unsaid = "Satisfied: yes", "Satisfied: no", "Hm."
    for replies, expected in (((yes, yes), True), ((yes, no), False), ((yes, unsaid), False)):
        model = Scripted(list(replies), name="-".join(replies))
        debate = staged("debate-to-write", model, store)
        team = seat_team(debate, [], 2, stance="oppose")
        slots = {"stance": "oppose", "alone": False, "passages": ""}
        views = await debate.in_turn(team, "discuss", Views(), **slots)
        assert all_settled(views) is expected


CURATOR = {"role": "member", "persona": "A curator"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cast": [CURATOR]}, "agent with persona 'A curator': members have those of the pool"),
        ({"cast": [{}, {"persona": "A curator"}]}, "members have those of the pool"),
        (
            {"cast": [{"persona": "A curator"}], "people": [{"description": "A guard"}]},
            "members have those of the pool; name a team of your own with people",
        ),
        ({"cast": [CURATOR] * 3, "personas": False}, "3 personas for role member, and all members"),
    ],
)
def test_an_agent_has_no_persona_beside_that_of_the_pool(given, said):
    with pytest.raises(InputError, match=said):
        registry.get("debate-to-write").check(given)


@pytest.mark.parametrize(
    "given",
    [
        {"cast": [{"role": "critic", "persona": "A guard"}, {"role": "member", "temperature": 1}]},
        {"cast": [{"persona": "A recruiter"}]},
        {"cast": [CURATOR], "personas": False},
        {"cast": [{"persona": "A"}, {"persona": "B"}, {"persona": "C"}], "personas": False},
    ],
)
def test_other_agents_and_members_without_a_pool_can_have_one(given):
    registry.get("debate-to-write").check(given)


async def test_three_members_without_a_pool_each_have_their_own_persona(store):
    cast = [{"persona": f"You are {who}."} for who in ("Ann", "Bo", "Cy")]
    _, _, sent = await write_by(store, speaking(), personas=False, cast=cast)
    assert [who in sent[turn] for turn, who in enumerate(("Ann", "Bo", "Cy"), 1)] == [True] * 3
    assert "Cy" not in sent[1]
