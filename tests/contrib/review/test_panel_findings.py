"""Findings of several reviewers, put together."""

import json

import moot
from moot.contrib.review.panel_findings import read_panel, write_findings

FOUND = {
    "reviewer-1": [("high", "line 2", "the sum is wrong")],
    "reviewer-2": [("", "line 2", "1 + 1 is 2"), ("low", "", "it has no title")],
    "reviewer-3": [],
}


def vote(label, said, *same):
    return {"finding": label, "vote": said, "reason": f"{said} indeed", "same_as": [*same]}


async def review(found, votes, store, **settings):
    """A review in which each reviewer finds and votes what a table says."""

    def script(call):
        name = call.scene.agent
        if call.scene.step == "read":
            if isinstance(found[name], str):
                return found[name]
            rows = [{"severity": s, "where": w, "what": t} for s, w, t in found[name]]
            return json.dumps({"findings": rows})
        given = votes[name]
        return given if isinstance(given, str) else json.dumps({"votes": given})

    model = moot.Scripted(script, name="reviewers")
    given = {"context": "1 + 1 = 3", "protocol": "panel-review", "store": store}
    return await moot.ask("Review this.", model=model, **given, **settings)


ALL_SAME = {
    "reviewer-1": [vote("F1", "agree", "F2"), vote("F3", "disagree")],
    "reviewer-2": [vote("F1", "agree", "F2"), vote("F3", "agree")],
    "reviewer-3": [vote("F2", "agree"), vote("F3", "disagree")],
}


async def test_what_most_call_the_same_is_one_finding_and_what_most_reject_is_disputed(tmp_path):
    answer = await review(FOUND, ALL_SAME, tmp_path)
    panel = read_panel(answer.transcript)
    [agreed], [disputed] = panel.agreed, panel.disputed
    assert (agreed.what, agreed.severity, agreed.where) == ("the sum is wrong", "high", "line 2")
    assert agreed.agree == ("reviewer-1", "reviewer-2", "reviewer-3")
    assert agreed.found_by == ("reviewer-1", "reviewer-2")
    assert (disputed.what, disputed.agree) == ("it has no title", ("reviewer-2",))
    assert disputed.objections == dict.fromkeys(("reviewer-1", "reviewer-3"), "disagree indeed")
    assert panel.silent == ()
    assert (answer.answer, answer.by) == ("1 agreed, 1 disputed", "panel")
    assert answer.text == write_findings(panel)
    assert "**high** line 2: the sum is wrong (3 of 3 agree)" in answer.text


async def test_who_found_it_holds_it_unless_its_vote_says_otherwise(tmp_path):
    votes = {
        "reviewer-1": [vote("F1", "disagree")],
        "reviewer-2": "I would rather not.",
        "reviewer-3": [vote("F3", "unsure")],
    }
    panel = read_panel((await review(FOUND, votes, tmp_path)).transcript)
    by_label = {each.label: each for each in panel.disputed}
    assert by_label["F1"].agree == ()
    assert by_label["F2"].agree == ("reviewer-2",)
    assert by_label["F3"].unsure == ("reviewer-3",)
    assert panel.agreed == ()
    assert panel.silent == ("reviewer-2",)


async def test_what_half_call_the_same_stays_apart_and_who_sees_none_of_it_dissents(tmp_path):
    votes = {**ALL_SAME, "reviewer-1": [vote("F1", "agree")]}
    panel = read_panel((await review(FOUND, votes, tmp_path)).transcript)
    assert {each.label for each in (*panel.agreed, *panel.disputed)} == {"F1", "F2", "F3"}
    said = {"reviewer-1": "agree", "reviewer-2": "agree", "reviewer-3": "disagree"}
    votes = {who: [vote("F1", each)] for who, each in said.items()}
    [dissent] = (await review(FOUND, votes, tmp_path / "other")).dissents
    told = (dissent.agents, dissent.why)
    assert told == (("reviewer-3",), "does not see F1: the sum is wrong")


async def test_replies_that_cannot_be_read_approve_of_nothing(tmp_path):
    silent = moot.Scripted(lambda _: "It is a fine text.", name="silent")
    asked = {"protocol": "panel-review", "store": tmp_path}
    answer = await moot.ask("Review it.", kind="text", model=silent, **asked)
    assert (answer.answer, answer.text) == (None, "No reply could be read: there is no review.")
    empty = await review({key: [] for key in FOUND}, {}, tmp_path / "none")
    assert (empty.calls, empty.text) == (3, "No findings."), "without findings there is no vote"
    assert empty.answer == "0 agreed, 0 disputed"
    one = {**{key: [] for key in FOUND}, "reviewer-2": "It is a fine text."}
    words = (await review(one, {}, tmp_path)).text
    assert words == "No findings.\n\nWhat reviewer-2 found or voted cannot be read in part."
