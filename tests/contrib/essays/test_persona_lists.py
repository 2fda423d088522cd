"""Personas: pools and selections, however they are written down."""

import json

import pytest

from moot.contrib.essays.persona_lists import Persona, read_personas, read_selection, team_of

NURSE = {"agent_id": 1, "description": "A nurse", "claim": "It costs lives"}
COOK = {"agent_id": 2, "description": "A cook", "claim": "It costs jobs"}
LINES = f"{json.dumps(NURSE)}\n{json.dumps(COOK)}"
POOL = tuple(
    Persona(number=place, description=f"{who} of the town", claim=f"{who} says no")
    for place, who in enumerate(("Nurse", "Cook", "Judge", "Clerk"), 1)
)


def known(text, *, finished=True):
    found = read_personas(text, finished)
    return [(each.description, each.claim) for each in found.personas] if found else None


@pytest.mark.parametrize(
    "text",
    [
        LINES,
        json.dumps({"personas": [NURSE, COOK]}),
        f"Here they are [as asked]:\n```json\n{LINES}\n```\nShall I go on?",
        LINES.replace('"', "'").replace("}", ",}"),
        json.dumps({"agent_1": NURSE, "agent_2": COOK}),
        LINES.replace("description", "Persona Description").replace("claim", "viewpoint"),
        "1. A nurse: It costs lives\n2. A cook: It costs jobs",
        "Two of them:\n- A nurse: It costs lives\n- A cook: It costs jobs",
        "Agent 1:\n- Persona: A nurse\n- Claim: It costs lives\nAgent 2: A cook - It costs jobs",
        "- Agent A - A nurse: It costs lives\n- Agent B - A cook: It costs jobs",
        "Persona 1 (A nurse): It costs lives\nPersona 2 (A cook): It costs jobs",
    ],
)
def test_a_pool_is_read_from_json_and_from_lists(text):
    assert known(text) == [("A nurse", "It costs lives"), ("A cook", "It costs jobs")]


def test_a_name_stands_before_what_is_said_of_it_but_agent_3_is_nobodys_name():
    named = '{"name": "Ann", "role": "nurse", "description": "on nights", "claim": "No"}'
    assert known(named) == [("Ann: nurse: on nights", "No")]
    numbered = '{"agent": "Agent 3", "persona": "A nurse", "claim": "No"}'
    assert read_personas(numbered).personas == (
        Persona(number=3, description="A nurse", claim="No"),
    )


def test_who_only_claims_something_is_somebody_who_claims_it():
    """As small models write it: the description is left empty."""
    claims = [{**each, "description": ""} for each in (NURSE, COOK)]
    text = json.dumps({"personas": claims})
    pool = read_personas(text).personas
    described = [f"Somebody who holds: {each['claim']}" for each in claims]
    assert [(each.description, each.claim) for each in pool] == [
        (who, each["claim"]) for who, each in zip(described, claims, strict=True)
    ]
    assert known("- Claim: It costs lives") == [(described[0], "It costs lives")]
    for chosen in ({**claims[1], "agent_id": 0}, {"claim": COOK["claim"]}):
        selected = read_selection(json.dumps({"team": [chosen]}))
        assert team_of(pool, selected.personas, 1)[0].claim == COOK["claim"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"personas": [{"agent_id": 1, "description": "", "claim": ""}, …]}',
        "{}",
        "7 " * 500,
        "1.\n2.\n",
    ],
)
def test_nobody_is_read_where_nobody_is_described(text):
    assert read_personas(text) is None


def test_who_was_cut_off_does_not_count():
    assert known(LINES[:-20], finished=False) == [("A nurse", "It costs lives")]
    assert known("1. A nurse: no\n2. A co", finished=False) == [("A nurse", "no")]
    assert known('{"personas": [' + json.dumps(NURSE) + ', {"agent_id": 2, "desc', finished=False)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ('{"team": [{"agent_id": 3, "reason": "r"}, {"agent_id": 1, "reason": "r"}]}', [3, 1]),
        ("I choose candidates 2, 5 and 7.", [2, 5, 7]),
        ("- Candidate 4: knows it\n- Candidate 2: differs", [4, 2]),
    ],
)
def test_a_number_is_enough_to_select_somebody(text, numbers):
    assert [each.number for each in read_selection(text).personas] == numbers


def test_a_selection_has_its_reasons():
    said = json.dumps({**NURSE, "reason_of_selection": "She sees it daily"})
    assert read_selection(said).personas[0].reason == "She sees it daily"
    assert read_selection("1. A nurse: It costs lives. Reason: she knows").personas[0].reason
    assert read_selection("No idea.") is None


def places(*selected, size=3):
    return [each.number for each in team_of(POOL, selected, size)]


def named(number=None, description="", reason=""):
    return Persona(number=number, description=description, reason=reason)


def test_a_team_is_found_by_description_then_by_number():
    assert places(named(3), named(1), named(4)) == [3, 1, 4]
    assert places(named(1, "JUDGE of the town"), named(9, "Clerk")) == [3, 4, 1]
    assert places(named(0), named(3), named(1)) == [1, 4, 2]  # counted from 0
    assert places(named(2, "Somebody else"), size=1) == [2]


def test_a_short_selection_is_filled_up_from_the_pool_in_its_order():
    assert places() == [1, 2, 3]
    assert places(named(4)) == [4, 1, 2]
    assert places(named(4), named(4), named(77), named(2, "Clerk"), size=2) == [4, 1]
    assert places(*map(named, (1, 2, 3, 4)), size=2) == [1, 2]
    assert places(size=9) == [1, 2, 3, 4]
    assert team_of((), (named(1),), 3) == ()


def test_numbers_tell_those_apart_who_have_one_description():
    pool = read_personas(json.dumps({"personas": [
        {"agent_id": n, "description": who, "claim": "No."} for n, who in enumerate("ABC", 1)
    ]})).personas  # fmt: skip
    chosen = [{"agent_id": n, "description": "x", "reason": f"r{n}"} for n in (2, 3)]
    selected = read_selection(json.dumps({"team": chosen})).personas
    team = team_of(pool, selected, 2)
    assert [(each.description, each.reason) for each in team] == [("B", "r2"), ("C", "r3")]
