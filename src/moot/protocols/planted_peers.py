"""Planted peers: one agent revises its answer after others seem to state a wrong one."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.fillers import join_fillers
from moot.debate.opening_values import check_wrong, draw_wrong
from moot.debate.protocol import protocol
from moot.debate.verdicts import verdict_from
from moot.debate.views import View, Views, compose_view, draw_order, name_agent, strip_answers
from moot.parsing.same import is_correct, majority

ARGUED = 3
"""The level at which the peers are asked."""

PlantedPeers = Annotated[int, Meta(ge=1, le=20, description="how many others seem to answer")]
PlantedLevel = Annotated[
    Literal[0, 1, 2, 3],
    Meta(
        description="what they seem to say: an answer alone (0), with words that say nothing (1), "
        "with a reason of another question (2), or with an argument for it (3)"
    ),
]
Dissenters = Annotated[
    int, Meta(ge=0, le=20, description="how many of them state the right answer instead")
]
WrongAnswer = Annotated[
    Literal["seeded", "commonest"],
    Meta(
        description="which wrong answer they state. seeded: one drawn by seed; commonest: the most "
        "frequent wrong one of as many samples, where any is wrong"
    ),
]
Argues = Annotated[bool, Meta(description="filled in: peers are asked to argue at level 3")]
DrawsSamples = Annotated[
    bool, Meta(description="filled in: samples are drawn for wrong = commonest")
]


def _work_out(
    settings: dict[str, Any], where: str, *, peers: int, dissenters: int, level: int, wrong: str
) -> dict[str, Any]:
    """The settings, with peers asked and samples drawn where they are needed."""
    if dissenters > peers:
        raise InputError(f"{where}: dissenters = {dissenters}: there are {peers} peers")
    return settings | {"argues": level == ARGUED, "draws": wrong == "commonest"}


@protocol(
    paper="arXiv:2606.00820 (controlled gradient of information)",
    calls="2 + draws * peers + argues * peers",
    roles=("mind", "sampler", "shill"),
    agreement=True,
    verify=_work_out,
    voters=("mind",),
    asks=check_wrong,
    kind="control",
    group="oversight",
)
async def planted_peers(
    debate: Debate,
    question: Question,
    *,
    peers: PlantedPeers = 3,
    level: PlantedLevel = 0,
    dissenters: Dissenters = 0,
    wrong: WrongAnswer = "seeded",
    argues: Argues = False,
    draws: DrawsSamples = False,
) -> Verdict:
    """Let an agent revise its answer after others, who were never asked, seem to state another.

    Use it when you want to know how easily agents give up right answers, and for what: bare
    answers, the look of a reason, or an argument; it is a control for studies, since it needs the
    right answer.

    What the others seem to say is composed by moot, so it is no turn and no call. Only at level 3
    agents write it: each ``shill`` is told to argue for the answer that it seems to give. With
    ``wrong=commonest`` each ``sampler`` answers the question, and their most frequent wrong answer
    is the one that is stated. Only the ``mind`` debates: it alone votes and is measured. Its first
    call is that of ``single``.

    Differs:
        - The paper's wordings, and how it chose the wrong answer, were not to be had: prompts are
          those of ``society-of-minds`` and ``exposure``, and the answer is drawn.
        - Reasons of another question are from the list of ``exposure``.
    """
    drawn = draw_wrong(question, *debate.key)  # before anything is paid
    [mind] = debate.seat("mind")
    samplers = debate.seat("sampler", peers, debater=False) if draws else []
    shills = debate.seat(
        "shill",
        peers,
        debater=False,
        remembers=False,
        after=0,
        labels=lambda place: name_agent(place + 1),
    )
    first, *sampled = await debate.everyone([mind, *samplers], "answer")
    plant = _find_commonest(sampled, question) or drawn
    claims = [plant] * (peers - dissenters) + [question.answers[0]] * dissenters
    stated = dict(zip([shill.seat.number for shill in shills], claims, strict=True))
    if argues:
        argued = await debate.everyone(
            shills, "argue", claim=lambda shill: stated[shill.seat.number]
        )
        shown = [_word_argument(debate, view, stated[view.turn.seat]) for view in argued]
    else:
        shown = [
            _compose(debate, shill, stated[shill.seat.number], level, first) for shill in shills
        ]
    return verdict_from(await debate.ask(mind, "revise", others=Views(shown)))


def _find_commonest(sampled: Iterable[View], question: Question) -> str | None:
    """Return the wrong answer that most samples give; None where none gives one."""
    wrong = [view.answer for view in sampled if not is_correct(view.answer, question)]
    return majority(wrong, question.kind)[0]


def _compose(debate: Debate, shill: Agent, answer: str, level: int, first: View) -> View:
    """Return what a peer seems to say at the levels at which it is not asked."""
    part, reason = f"states {answer}", ""
    key = (debate.question.id, *debate.key, shill.seat.number)
    if level == 1:
        bank = debate.word("fillers").splitlines()
        order = draw_order(len(bank), *key)
        reason, used = join_fillers(bank, order, len(first.text.split()))
        part += f"; filler {' '.join(map(str, used))}"
    elif level:
        bank = debate.word("reasons").splitlines()
        place = draw_order(len(bank), *key)[0]
        reason = bank[place]
        part += f"; reason {place} of the list"
    text = debate.word("state", reason=reason, answer=answer)
    return compose_view(shill, text, answer, part)


def _word_argument(debate: Debate, view: View, answer: str) -> View:
    """Return an argument with the answer that it is for."""
    reason = strip_answers(view.text, debate.question)
    text = debate.word("state", reason=reason, answer=answer)
    return view.relabel(view.agent.label, answer, 1).with_text(text, f"argument for {answer}")
