"""The essays of recorded runs, and the debates that left none."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from moot import NothingToAnalyse, RecordedRuns, UnknownName

POINTS = "points"
"""The arm of a judge's run under which the points of essays are asked for."""
ASPECTS = ("relevance", "preference")
"""The prompts by which a judge compares and grades essays; each is an arm of its run."""


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


DatasetArm = tuple[str, str]  # a dataset and an arm


class RunEssays(NamedTuple):
    """The essays of runs.

    Attributes:
        essays: in the order of the study's arms within a proposition.
        lost: by dataset and arm, how many debates left no essay because they ``failed``, or ended
            with an ``empty`` reply; arms that lost none are in it, too.
    """

    essays: list[Essay]
    lost: dict[DatasetArm, Counter[str]]


def read_essays(runs: RecordedRuns) -> RunEssays:
    """Read every essay of runs, and count the debates that left none.

    An essay is the answer to a question of kind ``text``; debates on other questions are passed
    over, and so are those on secret ones, whose texts are not kept.

    Raises:
        NothingToAnalyse: the runs have no debate on a proposition, or are a judge's.
    """
    known = [arm.name for arm in runs.arms]
    if known[:3] == [POINTS, *ASPECTS]:
        raise NothingToAnalyse(
            f"run {runs.key}: a judge's, of essays: name the run that has the essays"
        )
    essays: list[Essay] = []
    lost: dict[DatasetArm, Counter[str]] = {}
    for debate in runs.debates():
        transcript = debate.transcript
        question = transcript.question
        if question.kind != "text" or question.secret:
            continue
        missing = lost.setdefault((debate.dataset, debate.arm), Counter())
        text = (transcript.verdict.answer or "") if transcript.verdict else ""
        if not text.strip():
            missing["failed" if transcript.failed else "empty"] += 1
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
        raise NothingToAnalyse(
            f"run {runs.key}: no debate of it is on a proposition, so it has no essays; the study "
            "essays has: moot run essays"
        )
    place = known.index
    essays.sort(key=lambda each: (each.dataset, each.question, each.replicate, place(each.arm)))
    order = sorted(lost, key=lambda key: (key[0], place(key[1])))
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
