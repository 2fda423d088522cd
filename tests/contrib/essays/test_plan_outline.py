"""Plans: outlines in lines, headings, bullets and JSON."""

import json

import pytest

from moot.contrib.essays.plan_outline import EssayPlan, PlanPoint, read_plan

POINTS = (PlanPoint("Costs", ("Who pays", "Who gains")), PlanPoint("Freedom"))


@pytest.mark.parametrize(
    "text",
    [
        "1. Costs\n   - Who pays\n   - Who gains\n2. Freedom",
        "Here is the plan:\n\n(1) **Costs**:\n- Who pays\n- Who gains\n\n(2) Freedom\n\nGood luck!",
        "## Plan of the essay\n### 1. Costs\n* Who pays\n* Who gains\n### 2. Freedom",
        "I. Costs\n  A. Who pays\n  B. Who gains\nII. Freedom",
        "1. Costs\n1.1 Who pays\n1.2 Who gains\n2. Freedom",
        "**Main Point 1: Costs**\n- Subpoint: Who pays\n- Who gains\n**Point 2: Freedom**",
        "- Costs\n  - Who pays\n  - Who gains\n- Freedom",
        "1. Costs\n- Sub-point 1.1: Who pays\n- Sub-point 1.2: Who gains\n2. Freedom",
        "1. Costs\n   - Who\n     pays\n   - Who gains\n2. Freedom",
        json.dumps([{"point": "Costs", "sub_points": POINTS[0].supports}, "Freedom"]),
        "# Costs\nWho pays\nWho gains\n\n# Freedom",
        json.dumps({"points": [{"point": "Costs", "supports": POINTS[0].supports}, "Freedom"]}),
        "```json\n"
        + json.dumps(
            {"plan": {"main_points": [{"p": "Costs", "s": POINTS[0].supports}, "Freedom"]}}
        )
        + "\n```",
    ],
)
def test_points_are_read_with_what_supports_them(text):
    assert read_plan(text) == EssayPlan(None, POINTS)


@pytest.mark.parametrize(
    "text",
    [
        "Acknowledgment: It has merits.\n1. Costs",
        "(1) Acknowledgement:\n- It has merits.\n(2) Costs",
        "**Acknowledgment Point**: It has merits.\n\n**1. Costs**",
        "1. Concession - It has merits.\n2. Costs",
        "# Acknowledgment\nIt has merits.\n# Costs",
        json.dumps({"acknowledgment": "It has merits.", "points": ["Costs"]}),
    ],
)
def test_what_is_granted_is_no_point(text):
    assert read_plan(text) == EssayPlan("It has merits.", (PlanPoint("Costs"),))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We should say that it costs too much, and that nobody wants it.",
        "Acknowledgment: It has merits.",
        "1. A main point\n- A sub-point\n2. …",
        "{}",
        '{"points": null, "acknowledgment": 3}',
    ],
)
def test_there_is_no_plan_without_a_point(text):
    assert read_plan(text) is None


def test_a_sub_point_may_speak_of_an_acknowledgment():
    plan = read_plan("1. Costs\n- Acknowledgment of who pays\n2. Freedom")
    assert plan == EssayPlan(
        None, (PlanPoint("Costs", ("Acknowledgment of who pays",)), PlanPoint("Freedom"))
    )


def test_the_line_that_was_cut_in_does_not_count():
    assert read_plan("1. Costs\n2. Free", finished=False) == EssayPlan(None, (PlanPoint("Costs"),))
    assert read_plan("1. Cos", finished=False) is None


def test_what_follows_a_paragraph_later_is_no_sub_point():
    assert read_plan("1. Costs\n\nThis plan persuades.") == EssayPlan(None, (PlanPoint("Costs"),))
