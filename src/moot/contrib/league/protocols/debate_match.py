"""Debate match: one debate on a motion, for and against, before jurors that judge apart."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from statistics import fmean
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot import Agent, Debate, InputError, Question, UnknownName, Verdict, View, Views, protocol
from moot.contrib.league.match_ruling import LABELS, TIE, MatchRuling
from moot.contrib.review.juries import choose_jurors
from moot.extend.protocols import OMITTED, Standings, draw_order, gather_all

SIDES = {"pro": "PRO", "con": "CON"}
"""The name of each side, by its role; the side for the motion speaks first."""
STANCES = {"PRO": "for", "CON": "against"}
STEPS = "opening", "rebuttal", "questions", "closing"

MOTIONS = "text", "boolean"
"""The kinds of questions that can be motions."""


def check_motion(question: Question) -> None:
    """Raise ``InputError`` where a question is no motion."""
    if question.kind not in MOTIONS:
        raise InputError(
            f"question {question.id} is of kind {question.kind}: debate-match debates motions, "
            f"which are of kind {' or '.join(MOTIONS)}"
        )


MatchJurors = Annotated[int, Meta(ge=1, le=99, description="how many jurors judge the debate")]
Phases = Annotated[
    str,
    Meta(
        description="the parts of the debate, in each of which both sides speak, separated by "
        "commas: opening, rebuttal, questions, closing"
    ),
]
FamilyExcluded = Annotated[
    bool, Meta(description="whether no juror judges that is of a debater's model family")
]
PhaseCount = Annotated[int, Meta(description="filled in: how many parts there are", extra=OMITTED)]
SidesSwapped = Annotated[
    bool,
    Meta(
        description="whether the agents of both sides change places: who was to argue for the "
        "motion argues against it",
        extra=OMITTED,
    ),
]


class _MatchChoice(msgspec.Struct):
    phases: str
    swapped: bool
    cast: list[dict[str, Any]]


def _work_out(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the settings with the number of parts, and with the agents of swapped sides."""
    own = msgspec.convert(settings, _MatchChoice)
    phases = split_phases(own.phases)
    for part in phases:
        if part not in STEPS:
            raise UnknownName("part", part, STEPS, where=f"{where}: phases")
    settings = settings | {"parts": len(phases)}
    if not own.swapped:
        return settings
    pro, con = SIDES
    named = {each["role"] for each in own.cast if "role" in each}
    free = iter([role for role in SIDES if role not in named])
    other = {pro: con, con: pro}
    cast = list[dict[str, Any]]()
    for each in own.cast:
        role = each.get("role") or next(free, None)
        cast.append({**each, "role": other.get(role, role)} if role else each)
    if not any(each.get("role") in SIDES for each in cast):
        raise InputError(
            f"{where}: swapped: both sides are the same agent; name another with --agent "
            "role=con,model=… (in a study: agents = [{role = 'con', model = '…'}])"
        )
    return settings | {"cast": cast, "swapped": False}


def split_phases(text: str) -> list[str]:
    """Return the parts of a debate by their names."""
    return [each.strip().casefold() for each in text.split(",")]


@protocol(
    paper="lechmazur/debate (its readme and reports)",
    calls="2 * parts + jurors",
    fewest="2 * parts + jurors - excludes_family * (jurors - 1)",
    roles=("pro", "con", "juror"),
    asks=check_motion,
    verify=_work_out,
    group="judges",
)
async def debate_match(
    debate: Debate,
    question: Question,
    *,
    jurors: MatchJurors = 3,
    phases: Phases = "opening, rebuttal, questions, rebuttal, closing",
    excludes_family: FamilyExcluded = True,
    swapped: SidesSwapped = False,
    parts: PhaseCount = 5,
) -> Verdict:
    """Let one side argue for a motion and one against it, and jurors say who debated better.

    Use it when a question has no right answer and you want to know who argues better, or what
    speaks for either side; take jurors of several models, other than the debaters'.

    The two sides speak in turn, each over all that was said. The jurors judge apart. Each is shown
    the sides as A and B, in an order drawn for it that does not depend on who debates: where the
    sides are swapped, who was shown first is shown second. The verdict is the side to which the
    mean margin of the jurors points, or a tie; a ruling that cannot be read is in no mean, and is
    counted. Of a yes-no question the side for the motion argues for yes, and its victory is the
    answer true.

    Differs:
        - One debate is one run of it. A match is two, with the sides swapped: see the league.
        - Sides are shown part by part, A first in each, so that a preference for what stands first
          is not one for those who speak first.
        - The source's prompts are not public: ours are our own.
        - Jurors of a debater's model family, by its name, do not judge; where that leaves none, all
          judge, and the count says so.
    """
    roles = [debate.seat(role, remembers=False, debater=False)[0] for role in SIDES]
    seated = debate.seat("juror", jurors, remembers=False, debater=False)
    names = split_phases(phases)
    titles = {str(number): name for number, name in enumerate(names, 1)}
    said = Views()
    for number, name in enumerate(names, 1):
        for speaker in roles:
            said = said.add(await _speak(debate, speaker, name, number, said, titles))
    asked = choose_jurors(debate, roles, seated) if excludes_family else seated
    judge = partial(_judge, debate, said=said, titles=titles)
    return _decide(debate, Views(await gather_all(judge(juror) for juror in asked)))


async def _speak(
    debate: Debate,
    speaker: Agent,
    phase: str,
    number: int,
    said: Views,
    titles: Mapping[str, str],
) -> View:
    """Let a side take its turn in a part of the debate, over all that was said."""
    return await debate.ask(
        speaker,
        phase,
        in_round=number,
        votes=False,
        said=said.relabel(lambda view: "You" if view.agent is speaker else "Your opponent"),
        phases=titles,
        stance=STANCES[SIDES[speaker.seat.role]],
        questioned=titles.get(str(number - 1)) == "questions",
    )


async def _judge(debate: Debate, juror: Agent, *, said: Views, titles: Mapping[str, str]) -> View:
    """Show a juror both sides as A and B, in an order drawn for it, and return its ruling."""
    drawn = draw_order(2, debate.question.id, *debate.key, juror.seat.number, "match")
    order = [[*SIDES][place] for place in drawn]
    labels = dict(zip(order, LABELS, strict=True))
    shown = sorted(said, key=lambda view: (view.turn.round, order.index(view.turn.role)))
    return await debate.ask(
        juror,
        "judge",
        in_round=len(titles) + 1,
        said=Views(
            view.relabel(labels[view.turn.role], SIDES[view.turn.role], view.turn.round)
            for view in shown
        ),
        phases=titles,
        stances={label: STANCES[SIDES[role]] for role, label in labels.items()},
    )


def _decide(debate: Debate, judged: Views) -> Verdict:
    """Return the side to which the mean margin of the jurors points."""
    read = {view: ruling for view in judged if (ruling := view.get(MatchRuling))}
    unread = len(judged) - len(read)
    why = "mean margin" + f"; {unread} of {len(judged)} rulings cannot be read" * bool(unread)
    if not read:
        debate.record_count(Standings(scores={}), why)
        return Verdict(answer=None, by="jury: no ruling can be read")
    scores = {
        side: round(fmean(max(0.0, each.margin_of(side)) for each in read.values()), 6)
        for side in SIDES.values()
    }
    [one, best], [other, least] = sorted(scores.items(), key=lambda each: -each[1])
    scores, lead = {one: best, other: least}, round(best - least, 6)
    winner = one if lead else TIE
    debate.record_count(Standings(scores=scores, lead=lead, ballots=len(read)), why)
    for view, ruling in read.items():
        if lead and ruling.winner == other:
            debate.record_dissent(view, f"finds for {other}", signal=ruling.margin)
    votes = Counter(ruling.winner for ruling in read.values())
    return Verdict(
        answer=_as_answer(winner, debate.question),
        text="\n\n".join(each.summary for each in read.values()),
        by="jury: mean margin",
        votes=dict(votes.most_common()),
        scores=scores,
    )


def _as_answer(winner: str, question: Question) -> str | None:
    """Return the winner as an answer: of a yes-no question whether it is so, None for a tie."""
    if question.kind != "boolean":
        return winner
    return {"PRO": "true", "CON": "false"}.get(winner)
