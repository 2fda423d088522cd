"""Drafts: several of one argument, each rated by one letter, of which the best is kept."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from moot import Debate, View
from moot.extend.protocols import OMITTED, Standings, gather_all

RATING_DRAWS = 4
"""How often a rating by draws asks."""
WARM = 1.0
"""The temperature of these draws; a rating by log-probabilities has 0."""
LEAST = -100.0
"""The rating where the reply is neither letter: the logarithm of nearly nothing."""


class DraftSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of arguments of which several drafts are written."""

    best_of: Annotated[
        int,
        Meta(
            ge=1,
            le=32,
            description="how many drafts of an argument are written; a rater keeps the best",
            extra=OMITTED | {"redraws": True},
        ),
    ] = 1
    critiques: Annotated[
        int,
        Meta(
            ge=0,
            le=16,
            description="how many critiques of the best draft a critic writes; the best of them "
            "goes to the advocate, who writes anew",
            extra=OMITTED | {"redraws": True},
        ),
    ] = 0
    rated_by: Annotated[
        Literal["logprobs", "draws"],
        Meta(
            title="How a rating is read",
            description="whether a rating is the log-probability of a letter, or its share of "
            "four draws, for models that give no probabilities",
            extra=OMITTED,
        ),
    ] = "logprobs"
    drafts: Annotated[int, Meta(description="filled in: drafts of one argument", extra=OMITTED)] = 1
    reviews: Annotated[
        int,
        Meta(
            description="filled in: critiques of one argument, and calls that rate these or drafts",
            extra=OMITTED,
        ),
    ] = 0


def count_drafts(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with the calls of one argument filled in; what is alone is not rated."""
    own = msgspec.convert(settings, DraftSettings)
    best_of, critiques = own.best_of, own.critiques
    drafts = best_of * (2 if critiques else 1)
    rated = (drafts if best_of > 1 else 0) + (critiques if critiques > 1 else 0)
    times = RATING_DRAWS if own.rated_by == "draws" else 1
    return {**settings, "drafts": drafts, "reviews": critiques + rated * times}


class Candidate(NamedTuple):
    """Something that is rated: a draft or a critique.

    Attributes:
        view: of it, as others are shown it.
        letters: the one of which the probability is the rating, and the other one.
        slots: of the prompt that asks for a letter.
    """

    view: View
    letters: tuple[str, str]
    slots: Mapping[str, Any]


class DraftRater:
    """An agent that answers with one letter, and how its letters become ratings.

    Args:
        debate: the debate.
        rated_by: ``"logprobs"`` or ``"draws"``.

    Raises:
        InputError: its model gives no probabilities of tokens, and they are asked for.
    """

    def __init__(self, debate: Debate, rated_by: str) -> None:
        usual = debate.context.settings["temperature"]
        self.debate, self.by_draws = debate, rated_by == "draws"
        at = WARM if self.by_draws else 0.0
        [self.agent] = debate.seat(
            "rater", remembers=False, debater=False, cooler=0.0 if usual is None else usual - at
        )
        if not self.by_draws:
            self.agent.need_logprobs("rated_by = 'logprobs'", "rate by draws")

    async def choose(
        self, step: str, groups: Sequence[Sequence[Candidate]], number: int
    ) -> list[View]:
        """Return the candidate of each group that is rated best; of equal ones the first.

        A group of one is not rated. The ratings are recorded.

        Args:
            step: of the prompt.
            groups: each has one candidate that is kept.
            number: the round.
        """
        kept = []
        rated = [each for group in groups for each in group if len(group) > 1]
        times = RATING_DRAWS if self.by_draws else 1
        said = await gather_all(
            self._ask(step, each, number) for each in rated for _ in range(times)
        )
        for group in groups:
            if len(group) == 1:
                kept.append(group[0].view)
                continue
            own = [said[at * times : (at + 1) * times] for at in range(len(group))]
            said = said[len(group) * times :]
            values = [self._rate(each, views) for each, views in zip(group, own, strict=True)]
            best = group[values.index(max(values))].view
            known = self.by_draws or all(view.confidence is not None for [view] in own)
            self._record([each.view for each in group], values, best, known=known)
            kept.append(best)
        return kept

    async def _ask(self, step: str, candidate: Candidate, number: int) -> View:
        slots = candidate.slots
        return await self.debate.ask(
            self.agent, step, in_round=number, votes=False, one_token=not self.by_draws, **slots
        )

    def _rate(self, candidate: Candidate, said: Sequence[View]) -> float:
        """Return the rating of a candidate by what was said of it."""
        if self.by_draws:
            return sum(read_letter(each) == candidate.letters[0] for each in said) / len(said)
        chance = read_chance(said[0], *candidate.letters)
        return max(LEAST, log(chance)) if chance else LEAST

    def _record(
        self, views: Sequence[View], values: Sequence[float], best: View, *, known: bool
    ) -> None:
        """Record the ratings, the highest first, under the numbers of the turns."""
        certain = "" if known else "; a letter that came without a probability counts as certain"
        scores = {f"#{view.turn.id}": value for view, value in zip(views, values, strict=True)}
        ranked = dict(sorted(scores.items(), key=lambda each: -each[1]))
        first, second, *_ = ranked.values()
        self.debate.record_count(
            Standings(scores=ranked, lead=first - second, ballots=len(views)),
            f"ratings of what {best.turn.agent} wrote; #{best.turn.id} is kept{certain}",
        )


def read_letter(said: View) -> str:
    """Return the first letter of a reply, in upper case; empty for none."""
    return next((sign.upper() for sign in said.text if sign.isalpha()), "")


def read_chance(said: View, own: str, other: str) -> float:
    """Return the probability of a letter by a reply of one token.

    Where the reply is the other letter, it is what the probability of that leaves; where it is
    neither, 0. A reply without a probability counts as certain.
    """
    sure = 1.0 if said.confidence is None else said.confidence
    return {own: sure, other: 1 - sure}.get(read_letter(said), 0.0)
