"""The essays of a run, and the debates that left none."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from moot import InputError, UnknownName
from moot.core.stored import RunRow
from moot.ledger.sqlite_store import Store
from moot.studies.study_run import read_study

POINTS = "points"
"""The arm of a judge's run under which the points of essays are asked for."""
ASPECTS = ("relevance", "preference")
"""What a judge compares essays by: an arm of its run, and a prompt, each."""


class Essay(msgspec.Struct, frozen=True, kw_only=True):
    """One essay.

    Attributes:
        dataset: the label of its dataset.
        question: the id of its proposition.
        proposition: what it argues against, or for.
        arm: which wrote it.
        replicate: which of the arm's essays on the proposition it is, from 0.
        cut: whether it ended because a reply must not be longer.
        simulated: whether any agent of its debate is no language model.
    """

    dataset: str
    question: str
    proposition: str
    arm: str
    replicate: int
    text: str
    cut: bool = False
    simulated: bool = False


class LostEssays(msgspec.Struct, frozen=True, kw_only=True):
    """Debates of an arm that left no essay; they are in no figure.

    Attributes:
        failed: those that failed.
        empty: those that ended with an empty reply.
    """

    failed: int = 0
    empty: int = 0


class RunEssays(NamedTuple):
    """The essays of a run.

    Attributes:
        essays: in the order of the study's arms within a proposition.
        lost: by dataset and arm; arms that lost none are in it, too.
    """

    essays: list[Essay]
    lost: dict[tuple[str, str], LostEssays]


def read_essays(store: Store, row: RunRow, *, arms: Sequence[str] = ()) -> RunEssays:
    """Read every essay of a run, and count the debates that left none.

    An essay is the answer to a question of kind ``text``; debates on other questions are passed
    over, and so are those on secret ones, whose texts are not kept.

    Args:
        store: which has the run.
        row: the run.
        arms: their names, where not all are asked for.

    Raises:
        InputError: the run has no debate on a proposition, or none of these arms, or is a judge's.
    """
    known = [arm.name for arm in read_study(row).arms]
    if known == [POINTS, *ASPECTS]:
        raise InputError(f"run {row.key}: a judge's, of essays: name the run that has the essays")
    if unknown := sorted(set(arms) - set(known)):
        raise InputError(f"run {row.key}: no arm {unknown[0]!r}; it has {', '.join(known)}")
    place = {name: number for number, name in enumerate(known)}
    essays: list[Essay] = []
    lost: dict[tuple[str, str], LostEssays] = {}
    for debate in store.debates(row.id):
        if arms and debate.arm not in arms:
            continue
        transcript = debate.transcript
        question = transcript.question
        if question.kind != "text" or question.secret:
            continue
        missing = lost.setdefault((debate.dataset, debate.arm), LostEssays())
        text = (transcript.verdict.answer or "") if transcript.verdict else ""
        if not text.strip():
            what = "failed" if transcript.failed else "empty"
            more = {what: getattr(missing, what) + 1}
            lost[debate.dataset, debate.arm] = msgspec.structs.replace(missing, **more)
            continue
        wrote = transcript.deciding
        essays.append(
            Essay(
                dataset=debate.dataset,
                question=debate.question,
                proposition=question.text,
                arm=debate.arm,
                replicate=debate.replicate,
                text=text,
                cut=wrote is not None and wrote.finish == "length",
                simulated=transcript.opened.simulated,
            )
        )
    if not lost:
        raise InputError(
            f"run {row.key}: no debate of it is on a proposition, so it has no essays; the study "
            "essays has: moot run essays"
        )
    essays.sort(key=lambda each: (each.dataset, each.question, each.replicate, place[each.arm]))
    order = sorted(lost, key=lambda key: (key[0], place[key[1]]))
    return RunEssays(essays, {key: lost[key] for key in order})


def parse_arms(
    given: Sequence[str], known: Sequence[str], *, where: str, what: str = "arm"
) -> tuple[str, ...]:
    """Return the arms that are meant by names that stood between commas.

    An arm's own name may have a comma, as has "debate-to-write, no personas": of names that follow
    each other as many are taken together as make one.

    Args:
        given: the names, without space around them.
        known: the arms there are.
        where: their place, for the error.
        what: their kind, for the error.

    Raises:
        UnknownName: a name is not that of an arm.
    """
    arms = {",".join(part.strip() for part in arm.split(",")): arm for arm in known}
    found: list[str] = []
    rest = list(given)
    while rest:
        ends = range(len(rest), 0, -1)
        end = next((end for end in ends if ",".join(rest[:end]) in arms), None)
        if end is None:
            raise UnknownName(what, rest[0], known, where=where)
        found.append(arms[",".join(rest[:end])])
        del rest[:end]
    return tuple(dict.fromkeys(found))
