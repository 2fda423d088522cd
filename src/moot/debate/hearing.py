"""Oversight: what advocates with a passage tell a judge without it, and how the judge decides."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.opening_values import draw_wrong
from moot.debate.views import View, Views, compose_view, draw_order
from moot.parsing.arguments import count_words, mark_quotes
from moot.parsing.ballots import Ballot

SIDES = "A", "B"
"""The labels of the two answers, for the judge."""

Swapped = Annotated[
    bool, Meta(description="whether the judge is shown the two answers in the other order")
]
ArgumentDraws = Annotated[
    int,
    Meta(
        ge=1,
        le=10,
        description="how often an argument is drawn at most, until it has the length that is asked "
        "for and a quotation; the last one counts",
    ),
]
ArgumentRounds = Annotated[
    int, Meta(ge=0, le=100, description="how many rounds of arguments; 0: the judge decides alone")
]
JudgeAsks = Annotated[
    bool, Meta(description="whether the judge asks something before each round but the first")
]


class ArgumentLength(NamedTuple):
    """How long an argument is to be, in words.

    Attributes:
        asked: what its advocate is told.
        least: the fewest with which it is not drawn again.
        most: the most; what is longer is cut.
    """

    asked: int
    least: int
    most: int


class Hearing:
    """The arguments for two answers before a judge.

    The answers are the right one and a wrong one, drawn by the question's id and the debate's key.
    Their order, and what advocates are told, do not depend on which of them is right.

    Args:
        debate: the debate.
        judge: who decides; it is never shown the passage.
        swapped: whether the judge is shown the answers in the other order.
        length: of an argument.
        draws: how often one is drawn at most.

    Raises:
        InputError: no right answer is known, or there are no wrong ones to draw from.
    """

    def __init__(
        self, debate: Debate, judge: Agent, *, swapped: bool, length: ArgumentLength, draws: int
    ) -> None:
        question = debate.question
        self.debate, self.judge, self.length, self.draws = debate, judge, length, draws
        self.answers = draw_answers(question, *debate.key)
        self.claims = [_state(each, question) for each in self.answers]
        flipped = draw_order(2, question.id, *debate.key, "oversight") == [1, 0]
        self.order = (1, 0) if flipped != swapped else (0, 1)
        self.passage = question.context or ""
        bare = msgspec.structs.replace(question, context=None, choices=())
        self.asked = debate.context.pack.question(bare)
        self.arguments = Views()
        self.side_of: dict[int, int] = {}

    async def argue(
        self, advocate: Agent, side: int, number: int, remark: View | None = None
    ) -> View:
        """Ask an advocate for an argument for an answer, and return what is seen of it.

        Args:
            advocate: who argues; it is shown the passage.
            side: the place of its answer.
            number: the round.
            remark: what the judge has asked, if it has.
        """
        seen = self.arguments.relabel(
            lambda view: "You" if view.agent.seat is advocate.seat else "Your opponent"
        )
        for left in range(self.draws - 1, -1, -1):
            said = await self.debate.ask(
                advocate,
                "argue",
                in_round=number,
                votes=False,
                asked=self.asked,
                passage=self.passage,
                claim=self.claims[side],
                other=self.claims[1 - side],
                arguments=seen,
                remark=remark,
                words=self.length.asked,
            )
            shown = mark_quotes(said.text, self.passage, self.length.most)
            valid = self.length.least <= count_words(shown)
            if not left or (valid and ("quote>" in shown or not self.passage)):
                break
        self.side_of[advocate.seat.number] = side
        return said.text_only(shown, "argument")

    async def ask_judge(self, number: int) -> View:
        """Let the judge ask something before a round."""
        return await self.debate.ask(
            self.judge, "question", in_round=number, votes=False, **self._show_judge()
        )

    async def decide(self, advocates: Sequence[Agent], number: int) -> Verdict:
        """Let the judge decide between the two answers, and return the verdict."""
        sides = Views(
            compose_view(advocates[place % len(advocates)], self.claims[place], each, "answer")
            for place, each in enumerate(self.answers)
        )
        shown = Views(
            View(view.agent, msgspec.structs.replace(view.turn, id=-1 - place)).relabel(
                SIDES[at], self.answers[place], 0
            )
            for at, place in enumerate(self.order)
            for view in [sides[place]]
        )
        said = await self.debate.ask(
            self.judge,
            "judge",
            in_round=number,
            keys=("vote", *SIDES),
            **self._show_judge(),
            sides=shown,
        )
        ballot = said.get(Ballot)
        answer = ballot.vote if ballot else None
        return Verdict(answer=answer, text=said.text, by="judge", turn=said.turn.id)

    def _place_of(self, view: View) -> tuple[int, int]:
        """Return where an argument stands for the judge: by its round, then by its answer."""
        return view.turn.round, self.order.index(self.side_of[view.agent.seat.number])

    def _show_judge(self) -> dict[str, Any]:
        """Return what fills the slots of the judge's prompts."""
        labels = {place: SIDES[at] for at, place in enumerate(self.order)}
        return {
            "asked": self.asked,
            "claims": {SIDES[at]: self.claims[place] for at, place in enumerate(self.order)},
            "arguments": Views(sorted(self.arguments, key=self._place_of)).relabel(
                lambda view: f"For {labels[self.side_of[view.agent.seat.number]]}"
            ),
            "has_passage": bool(self.passage),
        }


def draw_answers(question: Question, *key: object) -> list[str]:
    """Return the right answer and a wrong one, in an order that does not tell which is right.

    Args:
        question: whose right answer is known.
        key: base seed and replicate of the debate.

    Raises:
        InputError: no right answer is known, or there are no wrong ones to draw from.
    """
    return sorted((draw_wrong(question, *key), question.answers[0]))


def find_consultant_side(question: Question, side: str, *key: object) -> int:
    """Return the place, in ``draw_answers``, of the answer that a consultant argues for.

    Args:
        question: whose right answer is known.
        side: ``"right"``, ``"wrong"``, or ``"hash"`` for either, by the question.
        key: base seed and replicate of the debate.
    """
    right = draw_answers(question, *key).index(question.answers[0])
    drawn = draw_order(2, question.id, *key, "consultant")[0]
    return {"right": right, "wrong": 1 - right, "hash": drawn}[side]


def _state(answer: str, question: Question) -> str:
    """Return an answer in words: the text of an option, else the answer."""
    if question.kind == "choice":
        return question.choices[question.letters.index(answer)]
    return answer
