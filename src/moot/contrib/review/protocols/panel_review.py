"""Panel review: reviewers list what they find in a text, then vote on all findings."""

from typing import Annotated

import msgspec
from msgspec import Meta

from moot import Debate, Question, Verdict, View, Views, majority, protocol
from moot.contrib.review.findings import FindingVotes
from moot.contrib.review.panel_findings import (
    PanelFindings,
    ShownFinding,
    collect_findings,
    label_findings,
    write_findings,
)

Reviewers = Annotated[
    int, Meta(ge=1, le=1000, title="Agents", description="how many agents take part")
]
MostFindings = Annotated[
    int, Meta(ge=1, le=30, description="how many findings each reviewer may name")
]


@protocol(
    paper="moot",
    calls="2 * agents",
    fewest="agents",
    roles=("reviewer",),
    opened=("reviewer",),
    group="councils",
)
async def panel_review(
    debate: Debate, question: Question, *, agents: Reviewers = 3, most: MostFindings = 8
) -> Verdict:
    """Let reviewers list what they find in a text, then vote on all findings without names.

    Use it when you want the mistakes in a text or a change of code, and to know which of them
    several models find; `moot review` does it in one command.

    The text stands in the question or its context. Findings in the same words are one, and so are
    those that more than half of the reviewers call the same. A finding is agreed if it holds for
    more than half of the reviewers; every other one is disputed. Who found it counts as one for
    whom it holds, unless its vote says otherwise. Where nothing is found there is no vote.

    The verdict's words are all findings as Markdown. A question with an answer, such as "May this
    be merged?", is answered by each reviewer and decided by the majority; to an open one the answer
    is the number of findings.
    """
    reviewers = debate.seat("reviewer", agents, remembers=False)
    lists = await debate.everyone(reviewers, "read", most=most)
    shown = label_findings(lists)
    votes = Views()
    if shown:
        cards = Views(_show(each) for each in shown)
        votes = await debate.everyone(reviewers, "vote", others=lambda _: cards)
    panel = collect_findings(lists, votes)
    _record_dissents(debate, panel, votes)
    return _decide(panel, votes or lists, question)


def _show(each: ShownFinding) -> View:
    """Return a finding as reviewers read it: under its label, without who found it."""
    finding = each.finding
    words = f"{finding.where}: {finding.what}" if finding.where else finding.what
    words = f"[{finding.severity}] {words}" if finding.severity else words
    return each.found[0].relabel(each.label, None, 1).with_text(words, "findings")


def _record_dissents(debate: Debate, panel: PanelFindings, votes: Views) -> None:
    """Record who disagrees with what the panel agrees on."""
    for finding in panel.agreed:
        for view in votes:
            given = view.get(FindingVotes)
            if given and view.agent.seat.agent in finding.disagree:
                debate.record_dissent(view, f"does not see {finding.label}: {finding.what[:80]}")


def _decide(panel: PanelFindings, last: Views, question: Question) -> Verdict:
    words = write_findings(panel)
    if question.kind != "text":
        return msgspec.structs.replace(majority(last, question), text=words)
    told = f"{len(panel.agreed)} agreed, {len(panel.disputed)} disputed"
    read = any(view.turn.reading for view in last)
    return Verdict(answer=told if read else None, text=words, by="panel", turn=None)
