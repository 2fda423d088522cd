"""Agenda and veto: a chair proposes an answer, and the members may veto it."""

from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents
from moot.debate.verdicts import majority, verdict_from
from moot.debate.views import View
from moot.parsing.approval_ruling import ApprovalRuling

Vetoes = Annotated[
    Annotated[int, Meta(ge=1, le=1000)] | None,
    Meta(description="how many vetoes reject the proposal; none: half of the members, rounded up"),
]


def _check_vetoes(
    settings: dict[str, Any], where: str, *, agents: int, vetoes: int | None
) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` for more vetoes than there are members."""
    if (vetoes or 1) > agents:
        raise InputError(
            f"{where}: vetoes = {vetoes}: there are {agents} members, so no proposal could be "
            "rejected"
        )
    return settings


@protocol(
    paper="andybhall/llm-council-governance (code)",
    calls="2 * agents + 1",
    roles=("member", "chair"),
    voters=("member",),
    opened=("member",),
    first="member",
    verify=_check_vetoes,
    group="councils",
)
async def agenda_veto(
    debate: Debate, question: Question, *, agents: Agents = 4, vetoes: Vetoes = None
) -> Verdict:
    """Let members answer, a chair propose one answer, and the members accept it or veto it.

    Use it when a chair should weigh the answers, and the members' vote should stand against a chair
    that goes astray; a proposal that is the majority's answer changes nothing.

    The chair reads all answers without names. Each member then reads its own answer, the proposal
    and the short answers of all. With fewer vetoes than ``vetoes`` the proposal is the verdict,
    else the majority of the first answers (``fallback``), as it is where the proposal has no
    answer. Open answers are seldom alike: where each is another, the fallback is that of the first
    member. A vote that cannot be read is no veto.

    Differs:
        - Vote: JSON is asked for; a line "FINAL VOTE: VETO", as in the code, is read as well.
    """
    members = debate.seat("member", agents, remembers=False)
    [chair] = debate.seat("chair", remembers=False, debater=False)
    answers = await debate.everyone(members, "answer")
    proposal = await debate.ask(chair, "propose", in_round=2, answers=answers.anonymous())
    votes = await debate.everyone(
        members,
        "vote",
        in_round=3,
        votes=False,
        own=answers.of,
        proposal=proposal,
        answers=answers.to_answers().anonymous(),
    )
    needed = vetoes or (agents + 1) // 2
    if proposal.answer is not None and sum(map(_is_veto, votes)) < needed:
        return verdict_from(proposal, by="proposal")
    return majority(answers, question, by="fallback")


def _is_veto(view: View) -> bool:
    """Return whether a member's vote is a veto."""
    ruling = view.get(ApprovalRuling)
    return ruling is not None and ruling.approved is False
