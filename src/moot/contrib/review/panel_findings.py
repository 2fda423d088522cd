"""Findings of several reviewers, put together: on which they agree, and on which they do not."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from moot import Transcript, View, Views, views_of
from moot.contrib.review.findings import (
    Finding,
    FindingList,
    FindingStance,
    FindingVote,
    FindingVotes,
)

ORDER = {"high": 0, "medium": 1, "low": 2, "": 3}
"""Findings are listed by severity."""


class JudgedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, and who thinks that it holds.

    Attributes:
        label: under which the reviewers read it: ``F1``.
        what: what is wrong or missing.
        where: the place; empty where none is named.
        severity: high, medium, low, or empty.
        found_by: the agents who found it, each by itself.
        agree: the agents for whom it holds; who found it and does not say otherwise is one.
        disagree: those for whom it does not.
        unsure: those who cannot tell.
        objections: what those who disagree say, by agent.
    """

    label: str
    what: str
    where: str = ""
    severity: str = ""
    found_by: tuple[str, ...] = ()
    agree: tuple[str, ...] = ()
    disagree: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    objections: dict[str, str] = msgspec.field(default_factory=dict)


class PanelFindings(msgspec.Struct, frozen=True, kw_only=True):
    """What a panel of reviewers found in a text.

    Attributes:
        agreed: findings that hold for more than half of the reviewers, the most severe first.
        disputed: all others, so ordered.
        reviewers: how many reviewers there are.
        silent: the agents whose findings or votes could not be read.
    """

    agreed: tuple[JudgedFinding, ...] = ()
    disputed: tuple[JudgedFinding, ...] = ()
    reviewers: int = 0
    silent: tuple[str, ...] = ()


class ShownFinding(NamedTuple):
    """A finding with its label, and the views of those who found it."""

    label: str
    finding: Finding
    found: Views


def label_findings(lists: Sequence[View]) -> list[ShownFinding]:
    """Return all findings, by seat, as ``F1``, ``F2`` …; those in the same words are one."""
    pooled: dict[tuple[str, str], ShownFinding] = {}
    for view in lists:
        listed = view.get(FindingList)
        for finding in listed.findings if listed else ():
            key = (finding.where.casefold(), finding.what.casefold())
            known = pooled.get(key) or ShownFinding(f"F{len(pooled) + 1}", finding, Views())
            pooled[key] = known._replace(found=known.found.add(view))
    return [*pooled.values()]


def read_panel(transcript: Transcript) -> PanelFindings:
    """Return what the reviewers of a recorded debate found. No call is made."""
    views = views_of(transcript)
    lists = [view for view in views if view.turn.round == 1 and not view.turn.node]
    return collect_findings(lists, [view for view in views if view.turn.round > 1])


def collect_findings(lists: Sequence[View], votes: Sequence[View]) -> PanelFindings:
    """Return the findings with their votes; those that most reviewers call the same are one.

    Args:
        lists: of each reviewer, what it found.
        votes: of each reviewer, what it thinks of all findings; none where there were no findings.
    """
    shown = label_findings(lists)
    given = {view.agent.seat.agent: view.get(FindingVotes) for view in votes}
    read = {name: each.votes for name, each in given.items() if each}
    groups = _group(shown, read, len(lists))
    judged = [_judge(group, read) for group in groups]
    judged.sort(key=lambda each: (ORDER[each.severity], -len(each.agree)))
    most = [len(each.agree) > len(lists) / 2 for each in judged]
    spoke = {view.agent.seat.agent for view in lists if view.get(FindingList)}
    names = [view.agent.seat.agent for view in lists]
    return PanelFindings(
        agreed=tuple(each for each, holds in zip(judged, most, strict=True) if holds),
        disputed=tuple(each for each, holds in zip(judged, most, strict=True) if not holds),
        reviewers=len(lists),
        silent=tuple(name for name in names if name not in spoke or (given and name not in read)),
    )


def _group(
    shown: list[ShownFinding], read: dict[str, dict[str, FindingVote]], reviewers: int
) -> list[list[ShownFinding]]:
    """Return the findings in groups that more than half of the reviewers call the same."""
    at = {each.label: [each] for each in shown}
    pairs: dict[frozenset[str], set[str]] = {}
    for name, votes in read.items():
        for label, vote in votes.items():
            for other in vote.same_as:
                pairs.setdefault(frozenset((label, other)), set()).add(name)
    for pair, names in pairs.items():
        first, second = sorted(pair, key=lambda label: int(label[1:]))
        if len(names) > reviewers / 2 and at[first] is not at[second]:
            joined = sorted(at[first] + at[second], key=lambda each: int(each.label[1:]))
            at |= {each.label: joined for each in joined}
    return [*{id(group): group for group in at.values()}.values()]


_STRENGTH: dict[FindingStance, int] = {"agree": 2, "disagree": 1, "unsure": 0}


def _judge(group: list[ShownFinding], read: dict[str, dict[str, FindingVote]]) -> JudgedFinding:
    """Return one finding of a group, the one with the most votes for it, with all votes."""

    def count(each: ShownFinding) -> int:
        return sum(v[each.label].vote == "agree" for v in read.values() if each.label in v)

    best = max(group, key=count)
    labels = [each.label for each in group]
    finders = [*dict.fromkeys(view.agent.seat.agent for each in group for view in each.found)]
    stated: dict[str, FindingVote] = {name: FindingVote(vote="agree") for name in finders}
    for name, votes in read.items():
        own = [votes[label] for label in labels if label in votes]
        if own:
            stated[name] = max(own, key=lambda each: _STRENGTH[each.vote])
    by: dict[FindingStance, list[str]] = {"agree": [], "disagree": [], "unsure": []}
    for name, vote in stated.items():
        by[vote.vote].append(name)
    severities = [each.finding.severity for each in group]
    return JudgedFinding(
        label=best.label,
        what=best.finding.what,
        where=best.finding.where or next((e.finding.where for e in group if e.finding.where), ""),
        severity=min(severities, key=lambda each: ORDER[each]),
        found_by=tuple(finders),
        agree=tuple(by["agree"]),
        disagree=tuple(by["disagree"]),
        unsure=tuple(by["unsure"]),
        objections={name: stated[name].reason for name in by["disagree"] if stated[name].reason},
    )


def write_findings(panel: PanelFindings) -> str:
    """Return the findings as Markdown: those on which the panel agrees, then the dissent.

    Reviewers whose replies cannot be read are named, for their silence is no approval.
    """
    if len(panel.silent) == panel.reviewers and not (panel.agreed or panel.disputed):
        return "No reply could be read: there is no review."
    parts = [] if panel.agreed or panel.disputed else ["No findings."]
    for title, listed in (("Agreed", panel.agreed), ("Disputed", panel.disputed)):
        if listed:
            parts += [f"## {title}", *[_write(each, panel.reviewers) for each in listed]]
    if panel.silent:
        parts.append(f"What {', '.join(panel.silent)} found or voted cannot be read in part.")
    return "\n\n".join(parts)


def _write(each: JudgedFinding, reviewers: int) -> str:
    head = f"- **{each.severity}** " if each.severity else "- "
    place = f"{each.where}: " if each.where else ""
    told = f"{head}{place}{each.what} ({len(each.agree)} of {reviewers} agree)"
    objections = [f"  - {name} disagrees: {why}" for name, why in each.objections.items()]
    silent = [name for name in each.disagree if name not in each.objections]
    return "\n".join([told, *objections, *[f"  - {name} disagrees" for name in silent]])
