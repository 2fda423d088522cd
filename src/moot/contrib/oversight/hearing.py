"""Oversight: what advocates with a passage tell a judge without it, and how the judge decides."""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from moot import Agent, Ballot, Debate, InputError, Verdict, View, Views
from moot.contrib.oversight.argued_answers import (
    draw_answers,
    find_chosen,
    find_order,
    state_answer,
)
from moot.contrib.oversight.arguments import count_words, mark_quotes, take_tagged
from moot.contrib.oversight.drafts import (
    Candidate,
    DraftRater,
    DraftSettings,
    count_drafts,
    read_letter,
)
from moot.extend.protocols import OMITTED, compose_view, gather_all

SIDES = "A", "B"
"""The labels of the two answers."""
COOLER = 0.4
"""How far below the advocates the judge is in temperature."""
JUDGE = "The judge"
"""The label of what the judge asks."""

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
        extra={"redraws": True},
    ),
]
ArgumentRounds = Annotated[
    int, Meta(ge=0, le=100, description="how many rounds of arguments; 0: the judge decides alone")
]
JudgeAsks = Annotated[
    bool, Meta(description="whether the judge asks something before each round but the first")
]
Assigned = Annotated[
    bool,
    Meta(
        description="whether the first advocate is given its answer; off: it reads the passage, "
        "answers, and argues for that",
        extra=OMITTED,
    ),
]
JudgesByLetter = Annotated[
    bool,
    Meta(
        description="whether the judge answers by one letter alone, whose probability is recorded",
        extra=OMITTED,
    ),
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


class HearingSettings(DraftSettings, frozen=True, kw_only=True):
    """The settings of a hearing, whoever argues in it."""

    draws: ArgumentDraws = 1
    swapped: Swapped = False
    assigned: Assigned = True
    letter: JudgesByLetter = False


class Plea(NamedTuple):
    """One advocate's turn to argue.

    Attributes:
        advocate: who argues.
        side: the place of its answer.
        draft: what it is to write anew, and what a critic says of it; None for a first draft.
        critique: as above.
    """

    advocate: Agent
    side: int
    draft: View | None = None
    critique: View | None = None


class _HearingChoice(msgspec.Struct):
    cast: list[dict[str, Any]]
    assigned: bool
    rounds: int
    side: str = "hash"


def verify_hearing(settings: dict[str, Any], where: str, *, asks: str) -> dict[str, Any]:
    """Return the settings of a hearing, with what they determine filled in.

    Without rounds nobody argues: the judge asks nothing, and no advocate chooses its answer.

    Args:
        settings: each of its type.
        where: for the error's text.
        asks: the setting that says whether the judge asks.

    Raises:
        InputError: a consultant is given a side, and is to choose it; or an agent has documents of
            its own.
    """
    own = msgspec.convert(settings, _HearingChoice)
    for number, entry in enumerate(own.cast, 1):
        if "evidence" in entry:
            raise InputError(
                f"{where}: agents[{number}]: evidence: agents of a debate before a judge cannot "
                "read from sources of their own; set evidence for all"
            )
    if own.side != "hash" and not own.assigned:
        raise InputError(
            f"{where}: side = {own.side!r}: with assigned = false the consultant chooses "
            "its side; leave one of the two out"
        )
    silent = {} if own.rounds else {asks: False, "assigned": True}
    return count_drafts(settings) | silent


class Hearing:
    """The arguments for two answers before a judge.

    The answers are the right one and a wrong one, drawn by the question's id and the debate's key.
    Their order, and what advocates are told, do not depend on which of them is right.

    Args:
        debate: the debate, with the settings of ``HearingSettings``.
        advocates: who argue: one, or two against each other.
        length: of an argument.

    Raises:
        InputError: no right answer is known, there are no wrong ones to draw from, or a model gives
            no probabilities that are asked for.
    """

    def __init__(self, debate: Debate, advocates: Sequence[Agent], length: ArgumentLength) -> None:
        question, given = debate.question, debate.context.settings
        names = HearingSettings.__struct_fields__
        self.has = HearingSettings(**{name: given[name] for name in names if name in given})
        self.debate, self.advocates, self.length = debate, advocates, length
        self.answers = draw_answers(question, *debate.key)
        self.claims = [state_answer(each, question) for each in self.answers]
        self.usual = find_order(question, *debate.key)
        self.order = self.usual[::-1] if self.has.swapped else self.usual
        self.passage = question.context or ""
        bare = msgspec.structs.replace(question, context=None, choices=())
        self.asked = debate.context.pack.question(bare)
        self.arguments = Views()
        self.side_of: dict[int, int] = {}
        [self.judge] = debate.seat("judge", remembers=False, debater=False, cooler=COOLER)
        if self.has.letter:
            self.judge.need_logprobs("letter = true", "leave it out")
        rates = self.has.best_of > 1 or self.has.critiques > 1
        self.rater = DraftRater(debate, self.has.rated_by) if rates else None
        self.critic: Agent | None = None
        if self.has.critiques:
            [self.critic] = debate.seat("critic", remembers=False, debater=False)

    async def hold(self, first: int, *, in_turn: bool = False, asks: bool = False) -> Verdict:
        """Hold all rounds, and return the judge's verdict.

        Args:
            first: the place of the answer for which the first advocate argues, unless it chooses.
            in_turn: whether an advocate reads who spoke before it in its round.
            asks: whether the judge asks something before each round but the first.
        """
        rounds = self.debate.context.settings["rounds"]
        if not self.has.assigned:
            first = await self._let_choose(self.advocates[0], first)
        pleas = [Plea(each, abs(first - place)) for place, each in enumerate(self.advocates)]
        self.side_of = {each.advocate.seat.number: each.side for each in pleas}
        ordered = sorted(pleas, key=lambda each: self.order.index(each.side))
        groups = [[each] for each in ordered] if in_turn else [pleas]
        for number in range(1, rounds + 1):
            if asks and number > 1:
                self.arguments = self.arguments.add(await self._ask_judge(number))
            for group in groups:
                self.arguments = self.arguments.add(*await self._argue(group, number))
        return await self._decide(max(rounds, 1))

    async def _let_choose(self, advocate: Agent, otherwise: int) -> int:
        """Let an advocate answer by the passage, and return the place of its answer.

        Where its reply names neither answer, it is the place that it would have been given.
        """
        said = await self.debate.ask(
            advocate,
            "choose-side",
            in_round=1,
            votes=False,
            keys=("vote", *SIDES),
            asked=self.asked,
            passage=self.passage,
            sides=self._show_sides(self.usual),
        )
        return find_chosen(self.answers, said.answer, otherwise)

    async def _argue(self, pleas: Sequence[Plea], number: int) -> list[View]:
        """Let advocates argue at the same time, and return what is seen of it.

        Whatever is asked of one is asked of all before the next thing is asked of any: so the
        numbers of turns and draws do not depend on who is faster.
        """
        kept = await self._keep_best(pleas, await self._write(pleas, number), number)
        if self.critic is None:
            return kept
        drafted = [plea._replace(draft=draft) for plea, draft in zip(pleas, kept, strict=True)]
        asked = [plea for plea in drafted for _ in range(self.has.critiques)]
        said = await gather_all(self._criticise(self.critic, plea, number) for plea in asked)
        candidates = [
            Candidate(each, ("Y", "N"), {**self._show(self.usual, plea), "critique": each})
            for plea, each in zip(asked, said, strict=True)
        ]
        best = await self._choose("rate-critique", candidates, len(pleas), number)
        again = [plea._replace(critique=each) for plea, each in zip(drafted, best, strict=True)]
        return await self._keep_best(again, await self._write(again, number), number)

    async def _write(self, pleas: Sequence[Plea], number: int) -> list[View]:
        """Return the drafts of each advocate, those of one side by side."""
        wanted = [plea for plea in pleas for _ in range(self.has.best_of)]
        written: dict[int, View] = {}
        missing = [*range(len(wanted))]
        for _ in range(self.has.draws):
            drawn = await gather_all(self._draw(wanted[place], number) for place in missing)
            written |= zip(missing, drawn, strict=True)
            missing = [place for place in missing if not self._is_valid(written[place].text)]
        return [written[place] for place in range(len(wanted))]

    async def _draw(self, plea: Plea, number: int) -> View:
        """Ask an advocate for an argument, and return what is seen of it."""
        said = await self.debate.ask(
            plea.advocate,
            "argue",
            in_round=number,
            votes=False,
            **self._show_passage(plea),
            is_asked=any(
                each.agent.seat is self.judge.seat and each.turn.round == number
                for each in self.arguments
            ),
            draft=plea.draft,
            critique=plea.critique,
            words=self.length.asked,
        )
        shown = mark_quotes(said.text, self.passage, self.length.most)
        return said.text_only(shown, "argument")

    def _is_valid(self, argument: str) -> bool:
        """Return whether an argument is long enough, and quotes the passage where there is one."""
        quotes = "quote>" in argument or not self.passage
        return quotes and self.length.least <= count_words(argument)

    async def _criticise(self, critic: Agent, plea: Plea, number: int) -> View:
        """Ask the critic what would make a draft stronger, and return what is seen of it."""
        said = await self.debate.ask(
            critic,
            "criticise",
            in_round=number,
            votes=False,
            **self._show_passage(plea),
            draft=plea.draft,
        )
        return said.text_only(take_tagged(said.text, "critique"), "critique")

    async def _keep_best(
        self, pleas: Sequence[Plea], drafts: Sequence[View], number: int
    ) -> list[View]:
        """Return the draft of each advocate that the rater rates best."""
        candidates = []
        for place, draft in enumerate(drafts):
            plea = pleas[place // self.has.best_of]._replace(draft=draft)
            at = self.usual.index(plea.side)
            shown = {**self._show(self.usual, plea), "sides": self._show_sides(self.usual)}
            candidates.append(Candidate(draft, (SIDES[at], SIDES[1 - at]), shown))
        return await self._choose("rate", candidates, len(pleas), number)

    async def _choose(
        self, step: str, candidates: Sequence[Candidate], groups: int, number: int
    ) -> list[View]:
        """Return the best candidate of each group, of which all have the same size."""
        size = len(candidates) // groups
        if self.rater is None or size == 1:
            return [each.view for each in candidates[::size]]
        return await self.rater.choose(
            step,
            [candidates[at : at + size] for at in range(0, len(candidates), size)],
            number,
        )

    async def _ask_judge(self, number: int) -> View:
        """Let the judge ask something before a round, and return what is seen of it."""
        said = await self.debate.ask(
            self.judge, "question", in_round=number, votes=False, **self._show(self.order)
        )
        return said.text_only(take_tagged(said.text, "question"), "question")

    async def _decide(self, number: int) -> Verdict:
        """Let the judge decide between the two answers, and return the verdict."""
        shown = {**self._show(self.order), "sides": self._show_sides(self.order)}
        if self.has.letter:
            said = await self.debate.ask(
                self.judge, "rate", in_round=number, votes=False, one_token=True, **shown
            )
            at = SIDES.index(letter) if (letter := read_letter(said)) in SIDES else None
            answer = None if at is None else self.answers[self.order[at]]
        else:
            said = await self.debate.ask(
                self.judge, "judge", in_round=number, keys=("vote", *SIDES), **shown
            )
            ballot = said.get(Ballot)
            answer = ballot.vote if ballot else None
        return Verdict(answer=answer, text=said.text, by="judge", turn=said.turn.id)

    def _compose(self, side: int, text: str, answer: str | None, part: str, place: int) -> View:
        """Return what the advocate of a side seems to have said; it is no turn."""
        seated = {self.side_of.get(each.seat.number): each for each in self.advocates}
        view = compose_view(seated.get(side, self.advocates[0]), text, answer, part)
        return View(view.agent, msgspec.structs.replace(view.turn, id=-place), part)

    def _show_sides(self, order: Sequence[int]) -> Views:
        """Return the two answers under their labels."""
        return Views(
            self._compose(side, self.claims[side], self.answers[side], "", side + 1).relabel(
                SIDES[at], self.answers[side], 0
            )
            for at, side in enumerate(order)
        )

    def _show_passage(self, plea: Plea) -> dict[str, Any]:
        """Return what fills the slots of prompts for those who have read the passage."""
        own = plea.advocate.seat

        def label(view: View) -> str:
            if view.agent.seat is self.judge.seat:
                return JUDGE
            return "You" if view.agent.seat is own else "Your opponent"

        return {
            "asked": self.asked,
            "passage": self.passage,
            "claim": self.claims[plea.side],
            "other": self.claims[1 - plea.side],
            "arguments": self.arguments.relabel(label),
            "alone": len(self.advocates) == 1,
        }

    def _show(self, order: Sequence[int], plea: Plea | None = None) -> dict[str, Any]:
        """Return what fills the slots of prompts for those who have not read it.

        Args:
            order: of the two answers.
            plea: whose draft stands in the place of the advocate's next argument; an opponent that
                has not spoken in the round yet says a fixed sentence.
        """
        labels = {side: SIDES[at] for at, side in enumerate(order)}
        shown = self.arguments
        if plea is not None and plea.draft is not None:
            shown = shown.add(plea.draft, *self._make_dummies(plea.draft))

        def find_side(view: View) -> int | None:
            return self.side_of.get(view.agent.seat.number)

        def place(view: View) -> tuple[int, int]:
            side = find_side(view)
            return view.turn.round, -1 if side is None else order.index(side)

        def label(view: View) -> str:
            side = find_side(view)
            return JUDGE if side is None else f"For {labels[side]}"

        return {
            "asked": self.asked,
            "claims": {SIDES[at]: self.claims[side] for at, side in enumerate(order)},
            "arguments": Views(sorted(shown, key=place)).relabel(label),
            "has_passage": bool(self.passage),
            "alone": len(self.advocates) == 1,
            "own": None if plea is None else labels[plea.side],
        }

    def _make_dummies(self, draft: View) -> Views:
        """Return a fixed sentence of each opponent that has not spoken in a draft's round."""
        spoken = {
            view.agent.seat.number for view in self.arguments if view.turn.round == draft.turn.round
        }
        silent = {each.seat.number for each in self.advocates} - spoken - {draft.agent.seat.number}
        return Views(
            self._compose(
                self.side_of[seat], self.debate.word("dummy"), None, "argument", 3
            ).relabel("", None, draft.turn.round)
            for seat in silent
        )
