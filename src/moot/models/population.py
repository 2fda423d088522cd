"""The beliefs of a simulated population about a question, and their updates.

The null model of debate: an agent's belief about a question is a Dirichlet distribution over its
possible answers. It answers by a draw from the predictive distribution and adds one to the count of
every answer it reads, its own included. The expected share of right answers then stays the same
from round to round (a Pólya urn: the share is a martingale), so debate makes no agent better.

A vote is not linear in that share. Where the right answer is the likelier one, a vote gains from
independent draws, and debate, which makes draws alike, loses part of that gain; with two possible
answers and beliefs symmetric around one half it neither gains nor loses. After Choi, Zhu and Li,
"Debate or Vote" (arXiv:2508.17536).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from random import Random
from typing import Annotated

import msgspec

from moot.core.calls import ShownAs
from moot.core.questions import Question

_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
_Shift = Annotated[float, msgspec.Meta(ge=-1, le=1)]
_Count = Annotated[int, msgspec.Meta(ge=1)]

WRONG = 4
"""The number of wrong answers beside the right ones, where a question lists none."""

_FILES, _RANKS = "abcdefgh", "12345678"
_MADE_UP = ("none of the known accounts", "the opposite", "both of them", "an earlier one")


class Population(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a population of simulated agents believes and errs; every bias is 0 by default.

    Attributes:
        accuracy: the expected belief in the right answer before anything is read, 0 to 1.
        concentration: the weight of an agent's own belief, in answers read, above 0. It also sets
            how similar questions are: beliefs differ between questions like Dirichlet draws of this
            strength around ``accuracy``.
        seed: the seed of the beliefs about each question. Models with the same seed find the same
            questions hard.
        truth_drift: the share of belief that moves to the right answer after answers were read;
            below 0, to the wrong ones. -1 to 1.
        saturate: the number of answers after which all of ``truth_drift`` has moved, at least 1.
            Each of the first so many answers in an agent's prompt, its own included, moves an equal
            part. Later ones move nothing.
        conformity: the share of belief that moves to the answer read most often. 0 to 1.
        correlation: the probability that an agent's draw is the one that all agents of this seed
            share on this question and round, so that they err together. 0 to 1.
        anchoring: the probability that an agent keeps its first answer throughout. 0 to 1.
        revise: the willingness of agents to change their minds. Above 0, the probability that an
            agent that speaks again gives another answer than its last; below 0, that it repeats its
            last answer. At 0 only the belief decides. -1 to 1.
        bare_conformity: the probability that an agent that reads an answer other than its last one
            takes it over, in each form in which it stands in the prompt. 0 to 1.
        placebo: the same, where the answer has words beside it, also if they say nothing. 0 to 1.
        persuasion: the same, where the words beside it are the reason that was given for it.
            0 to 1. Each of the three decides by itself, after all others.
        heed: the probability that an agent that is shown a number for how sure each of the others
            is takes over the answer of the surest; not where all numbers are one. 0 to 1.
        obedience: the probability that an agent that is told to agree X % of the time does so. It
            then gives the answer that most of the others gave with probability X/100, else an
            answer that they did not give. 0 to 1.
        temperature: the sampling temperature at which agents answer exactly by their belief. Colder
            sampling sharpens the belief, hotter sampling flattens it: each probability is raised to
            ``temperature`` / the sampling temperature. At sampling temperature 0 an agent gives
            its likeliest answer. ``temperature=0`` lets agents ignore it. 0 to 2.
        anchor: the probability that an agent answers the value that its prompt puts forward (the
            opening), or one of several, independent of its belief; below 0, that it answers by its
            belief in all others. Agents that ``anchoring`` holds are excepted. -1 to 1.
        position_bias: the share of belief that moves to the choice shown first. 0 to 1.
        label_bias: the share of belief that moves to the answer called ``label``. 0 to 1.
        label: e.g. ``"C"``; by default ``"true"`` for booleans and ``"B"`` for choices.
        first: the probability that a judge, juror or moderator, when it rules, does so for the side
            shown first, independent of its belief; of a ranker or voter, that it puts what is
            shown first first. 0 to 1.
        own: the probability that a ranker puts its own response first. Together with ``first`` at
            most 1. 0 to 1.
        favours: ``LABEL:SHARE``: the probability that it rules for the side whose heading in the
            prompt has this word (``affirmative``, or ``left`` where personas name the sides), else
            for the side whose own words have it. Together with ``first`` at most 1; in all other
            cases neither bias has an effect.
        miscalibration: the shift of the stated confidence from the probability of being right
            towards certainty; below 0, towards none. -1 to 1.
        guessed: the probability that an agent states a confidence drawn evenly from 0 to 1, which
            tells nothing about its answer. 0 to 1.
        emboldened: the share of the way to certainty by which the stated confidence rises once
            other answers were read, right or wrong ones. 0 to 1.
        unparseable: the share of replies that commit to no answer. 0 to 1.
        insight: the share of the way by which the stated confidence moves to 1 where the answer is
            right, and to 0 where it is wrong. At 0 it does not depend on which answer the agent
            drew. 0 to 1.
        discernment: the probability that an agent which ranks answers by ballot puts a right one
            first among those that are not its own, else their order is drawn evenly. 0 to 1.
        skill: the probability that a quotation of an advocate stands in the passage. 0 to 1.
        quotations: the probability that a voter takes the side with more real quotations in the
            prompt, where one has more; together with ``first`` at most 1. 0 to 1.
        comprehension: the share of belief that moves to what the question's documents in an agent's
            prompt say the answer is, in equal parts; documents of other questions say nothing.
            0 to 1.
        strength: the strength of the case that an agent makes as a side of a debate on a motion: a
            juror finds for a side that is stronger by 1 in 73 % of the cases. -10 to 10.
        diversity: the difference between two free texts on one question, as packages simulate
            them: the share of all choices that each text makes anew, and not once for all agents
            of this seed. At 0 two texts that are made in the same way are equal. 0 to 1.
    """

    accuracy: _Share = 0.5
    concentration: Annotated[float, msgspec.Meta(gt=0, le=1e6)] = 4.0
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    truth_drift: _Shift = 0.0
    saturate: _Count = 1
    conformity: _Share = 0.0
    correlation: _Share = 0.0
    anchoring: _Share = 0.0
    revise: _Shift = 0.0
    bare_conformity: _Share = 0.0
    placebo: _Share = 0.0
    persuasion: _Share = 0.0
    heed: _Share = 0.0
    obedience: _Share = 0.0
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.7
    anchor: _Shift = 0.0
    position_bias: _Share = 0.0
    label_bias: _Share = 0.0
    label: str = ""
    first: _Share = 0.0
    own: _Share = 0.0
    favours: str = ""
    miscalibration: _Shift = 0.0
    guessed: _Share = 0.0
    emboldened: _Share = 0.0
    unparseable: _Share = 0.0
    insight: _Share = 0.0
    discernment: _Share = 0.0
    skill: _Share = 0.5
    quotations: _Share = 0.0
    comprehension: _Share = 0.0
    strength: Annotated[float, msgspec.Meta(ge=-10, le=10)] = 0.0
    diversity: _Share = 1.0

    def prior(self, question: Question) -> dict[str, float]:
        """Return the Dirichlet count of each answer before anything is read, for all agents."""
        return dict(_draw_prior(self, question))

    def predictive(self, question: Question, heard: Iterable[str | None]) -> dict[str, float]:
        """Return the probability of each answer after the answers read so far; None is skipped."""
        counts = self.prior(question)
        known, read = set(counts), dict[str, int]()
        names: dict[str, str] = {}
        for answer in heard:
            if answer is not None:
                names = names or {normalize_answer(each): each for each in counts}
                name = names.setdefault(normalize_answer(answer), answer)
                read[name] = read.get(name, 0) + 1
        for answer, times in read.items():
            counts[answer] = counts.get(answer, 0.0) + times
        total = sum(counts.values())
        belief = {answer: count / total for answer, count in counts.items()}
        if read and self.truth_drift:
            drift = self.truth_drift * min(sum(read.values()) / self.saturate, 1.0)
            right = known.intersection(question.answers)
            belief = lean(belief, right if drift > 0 else set(belief) - right, abs(drift))
        if read and self.conformity:
            most = max(read.values())
            favoured = {answer for answer, times in read.items() if times == most}
            belief = lean(belief, favoured, self.conformity)
        if self.position_bias:
            belief = lean(belief, question.letters[:1], self.position_bias)
        if not self.label_bias:
            return belief
        label = self.label or {"boolean": "true", "choice": "B"}.get(question.kind, "")
        return lean(belief, {label} & set(belief), self.label_bias)

    def sample(self, belief: dict[str, float], at: float | None) -> dict[str, float]:
        """Return the probability of each answer at a temperature; None is the default one."""
        if not self.temperature or at is None or at == self.temperature:
            return belief
        top = max(belief.values())
        if not at:
            most = [answer for answer, share in belief.items() if share == top]
            return {most[0]: 1.0}  # greedy decoding draws nothing
        power = self.temperature / at
        weights = {answer: (share / top) ** power for answer, share in belief.items()}
        total = sum(weights.values())
        return {answer: weight / total for answer, weight in weights.items()}

    def take_over(
        self,
        belief: dict[str, float],
        own: str | None,
        others: Iterable[tuple[str | None, ShownAs]],
    ) -> dict[str, float]:
        """Return the probability of each answer of an agent that others' answers may win over.

        Args:
            belief: its probabilities otherwise.
            own: its last answer; None without one.
            others: the answers of the others, None for an unparsed one, and how each is shown.
        """
        if not (self.bare_conformity or self.placebo or self.persuasion):
            return belief
        last = None if own is None else normalize_answer(own)
        forms: dict[str, set[ShownAs]] = {}
        for answer, shown in others:
            if answer is not None and normalize_answer(answer) != last:
                forms.setdefault(answer, set()).add(shown)
        worded = [answer for answer, shown in forms.items() if shown != {"answer"}]
        reasoned = [answer for answer, shown in forms.items() if "reason" in shown]
        belief = lean(belief, forms, self.bare_conformity)
        belief = lean(belief, worded, self.placebo)
        return lean(belief, reasoned, self.persuasion)

    def adjust_to_agreement(
        self, belief: dict[str, float], others: Iterable[str | None], percent: int | None
    ) -> dict[str, float]:
        """Return the probability of each answer of an agent that is told how far to agree.

        Args:
            belief: its probabilities otherwise.
            others: the answers of the others, None for an unparsed one.
            percent: how far to agree with them, 0 to 100; None when the agent is not told.
        """
        if percent is None or not self.obedience:
            return belief
        given = Counter(normalize_answer(answer) for answer in others if answer is not None)
        if not given:
            return belief
        names = {normalize_answer(answer): answer for answer in [*belief, *filter(None, others)]}
        most = [names[answer] for answer, times in given.items() if times == max(given.values())]
        agrees, differs = lean(belief, most, 1.0), lean(belief, most, -1.0)
        share, obeys = percent / 100, self.obedience
        return {
            answer: (1 - obeys) * belief.get(answer, 0.0)
            + obeys * (share * agrees.get(answer, 0.0) + (1 - share) * differs.get(answer, 0.0))
            for answer in belief | agrees
        }

    def confidence(
        self,
        question: Question,
        belief: Mapping[str, float],
        answer: str,
        *,
        guess: tuple[float, float] = (1.0, 0.0),
        reads: bool = False,
    ) -> float:
        """Return the confidence, 0 to 1, that an agent of this belief states in its answer.

        With ``miscalibration``, ``insight``, ``guessed`` and ``emboldened`` 0 it is the probability
        that an answer drawn from the belief is right, so that it is calibrated exactly under all
        other knobs. Where the right answer is unknown, it is the belief in the given answer.

        Args:
            question: what is asked.
            belief: the agent's probabilities.
            answer: what it answers.
            guess: two even draws from 0 to 1: whether the confidence is a guess, and which.
            reads: whether the agent has read answers of others.
        """
        known = question.answers or (answer,)
        sure = sum(belief.get(right, 0.0) for right in known)
        if self.insight:
            right = normalize_answer(answer) in map(normalize_answer, known)
            sure += self.insight * (float(right) - sure)
        if guess[0] < self.guessed:
            sure = guess[1]
        if reads:
            sure += self.emboldened * (1 - sure)
        shift = self.miscalibration
        return sure + shift * (1 - sure) if shift > 0 else sure * (1 + shift)


def restrict(belief: dict[str, float], heard: Iterable[str | None]) -> dict[str, float]:
    """Return the belief in the answers heard alone; all of it where none of them is an answer."""
    given = {normalize_answer(answer) for answer in heard if answer is not None}
    left = {answer: share for answer, share in belief.items() if normalize_answer(answer) in given}
    total = sum(left.values())
    return {answer: share / total for answer, share in left.items()} if total else belief


def make_random(*key: object) -> Random:
    """Return a generator of random numbers that depends only on the key."""
    digest = blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return Random(digest)  # noqa: S311  (a simulation: repeatable, and guards nothing)


def lean(belief: dict[str, float], values: Collection[str], share: float) -> dict[str, float]:
    """Return the probability of each answer after a share of belief moves to some values, or away.

    Args:
        belief: the probabilities otherwise.
        values: the values, in equal parts; without any nothing changes.
        share: above 0, the share of belief that moves to the values; below 0, the share that moves
            away from them, to all other answers as they are believed. -1 to 1.
    """
    if not share or not values:
        return belief
    moved = {value: 1 / len(values) for value in values}
    if share < 0:
        avoided = {normalize_answer(value) for value in values}
        others = {
            answer: p for answer, p in belief.items() if normalize_answer(answer) not in avoided
        }
        total = sum(others.values())
        moved = {answer: p / total for answer, p in others.items()} if total else belief
    size = abs(share)
    return {
        answer: (1 - size) * belief.get(answer, 0.0) + size * moved.get(answer, 0.0)
        for answer in belief | moved
    }


def pick(belief: Mapping[str, float], chance: float) -> str:
    """Return the answer on which a number drawn uniformly from [0, 1) falls."""
    held = [answer for answer, share in belief.items() if share]
    for answer in held[:-1]:
        chance -= belief[answer]
        if chance < 0:
            return answer
    return held[-1]


@lru_cache(maxsize=1024)
def _draw_prior(people: Population, question: Question) -> dict[str, float]:
    """Return what ``prior`` does; every agent of a debate asks for it at each call."""
    rng = make_random("belief", people.seed, question.id, question.text)
    right, wrong = possible(question, rng)
    share = people.accuracy if right and wrong else float(bool(right))
    means = dict.fromkeys(right, share / max(len(right), 1))
    means |= dict.fromkeys(wrong, (1 - share) / max(len(wrong), 1))
    drawn = {
        answer: rng.gammavariate(mean * people.concentration, 1.0) if mean else 0.0
        for answer, mean in means.items()
    }
    total = sum(drawn.values())
    if not total:  # the concentration is so small that every draw was rounded to 0
        return {answer: mean * people.concentration for answer, mean in means.items()}
    ordered = question.letters or drawn  # letters in their order, so that a draw favours none
    return {answer: drawn[answer] / total * people.concentration for answer in ordered}


def possible(question: Question, rng: Random) -> tuple[list[str], list[str]]:
    """Return the right answers to a question, and the wrong ones that an agent may hold."""
    right = list(dict.fromkeys(question.answers))
    if question.kind == "choice":
        others = list(question.letters)
    elif question.kind == "boolean":
        others = ["true", "false"]
    elif question.kind in {"number", "math"}:
        others = _numbers(right, rng)
    elif question.kind == "square":
        squares = [file + rank for file in _FILES for rank in _RANKS if file + rank not in right]
        others = rng.sample(squares, min(WRONG, len(squares)))
    else:
        others = list(_MADE_UP)
    known = {normalize_answer(answer) for answer in right}
    return right, [answer for answer in others if normalize_answer(answer) not in known]


def _numbers(right: list[str], rng: Random) -> list[str]:
    """Return wrong numbers: whole steps away from the right one, or from any if it is unknown."""
    try:
        centre = Fraction(right[0]) if right else Fraction(rng.randrange(10, 100))
    except (ValueError, ZeroDivisionError):
        centre = Fraction(rng.randrange(10, 100))
    steps = rng.sample([step for step in range(-10, 11) if step], WRONG)
    digits = len(right[0].partition(".")[2]) if right and "/" not in right[0] else 0
    if centre.denominator == 1 or not digits:
        return [str(centre + step) for step in steps]
    return [f"{float(centre + step):.{digits}f}" for step in steps]


@lru_cache(maxsize=1024)
def normalize_answer(answer: str) -> str:
    """Return one form for equal answers: numbers by value, texts without case and spacing."""
    try:
        return str(Fraction(answer))
    except (ValueError, ZeroDivisionError):
        return " ".join(answer.casefold().split())
