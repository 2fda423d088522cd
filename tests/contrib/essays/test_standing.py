"""Standings: satisfied or not, persuaded or not, or not said."""

import pytest

from moot.contrib.essays.standing import (
    SpeakerStanding,
    read_persuaded,
    read_satisfied,
    without_standing,
)

YES = (
    *("Good.\nSatisfied: yes", "**Satisfied:** Yes."),
    *("It holds. Satisfied with the team's plan: YES", '{"satisfied": true}'),
    *("Am I satisfied? Yes.", "Good. (Satisfied: yes)", "Satisfied - yes"),
    *("- Satisfied (yes/no): yes", "Satisfied: no\nOn second thoughts:\nSatisfied: yes"),
    *("I am satisfied with our plan.", "We are now quite satisfied."),
    "Agent A: Fine.\nSatisfied: yes\nCritic: Never!\nSatisfied: no",
)
NO = (
    *("Hm.\nSatisfied: no", "Satisfied: not yet", "satisfied = false", "[Satisfied – no]"),
    *("Are you satisfied? No, it lacks a cause.", "I am not yet satisfied with the plan."),
    *("I remain dissatisfied.", "We're still not fully satisfied!"),
)
UNSAID = (
    *("", "I have spoken.", "Satisfied: yes or no", 'Satisfied: "yes" / "no"', "Satisfied:"),
    *("I am satisfied that museums need money.", "I would be satisfied if it were shorter."),
    *("They are satisfied with the plan.", "The critic is satisfied with the plan."),
    *("Persuaded: yes", "Yes.", "I think.\nAgent B: I do too.\nSatisfied: yes"),
)


@pytest.mark.parametrize("text", YES)
def test_settled(text):
    assert read_satisfied(text) == SpeakerStanding(settled=True)
    words = text.replace("atisfied", "ersuaded").replace("Sers", "Pers").replace("sers", "pers")
    words = words.replace("with our plan", "by your plan")
    assert read_persuaded(words) == SpeakerStanding(settled=True)


@pytest.mark.parametrize("text", NO)
def test_not_settled(text):
    assert read_satisfied(text) == SpeakerStanding(settled=False)


@pytest.mark.parametrize("text", UNSAID)
def test_not_said(text):
    assert read_satisfied(text) is None


@pytest.mark.parametrize(
    ("text", "settled"),
    [
        ("You have a point.\nPersuaded: yes", True),
        ("Convinced? Not yet.", False),
        ("I am persuaded by the team's plan", True),
        ("I remain unconvinced.", False),
        ("I am still not persuaded by your plan.", False),
        ("I am persuaded by the numbers of other countries that it works.", None),
        ("Satisfied: yes", None),
    ],
)
def test_a_critic_is_persuaded_or_not(text, settled):
    expected = None if settled is None else SpeakerStanding(settled=settled)
    assert read_persuaded(text) == expected


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("We pay.\nSatisfied: yes", "We pay."),
        ('We pay.\n"Persuaded: not yet."', "We pay."),
        ("Persuaded: No\nYou forget rent.", "You forget rent."),
        ("We pay.\nSatisfied: no, since rent is left out.", None),
        ("I am not satisfied: no rent is paid.", None),
        ("Satisfied: yes", ""),
    ],
)
def test_a_line_that_only_tells_a_standing_can_be_left_out(said, kept):
    assert without_standing(said) == (said if kept is None else kept)
