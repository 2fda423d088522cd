"""The preference of raters, as a sentence that is valid after every answer, and its covariates.

A choice is 1 for the council, −1 for the single reply, 0 for neither. The mean of these over
questions, in the drawn order, has a confidence sequence: its interval is valid after every
answer together, so that one may look at any time, and stop when it is settled.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from moot.contrib.judging.choices import Chosen, PairChoice, PairKey
from moot.contrib.judging.pairs import Effect, Pair, RunPairs, describe_left_out
from moot.extend.analyses import sequences
from moot.extend.words import format_interval, format_percent, format_things

FORMAT = "moot-judge/1"
ALPHA, MARGIN = 0.05, 0.2
ONESELF = "me"
"""The name of a rater who gives none."""
_VALUES: dict[Chosen, float] = {"council": 1.0, "solo": -1.0, "same": 0.0}
PreferenceClass: TypeAlias = Literal["better", "worse", "equal", "open"]


class Shift(msgspec.Struct, frozen=True, kw_only=True):
    """A mean or a share with its interval, valid at every look.

    Attributes:
        estimate: None without answers.
        low: of the interval.
        high: of the interval.
        level: of the interval, 0 to 1.
        answers: those that it rests on.
    """

    estimate: float | None
    low: float
    high: float
    level: float
    answers: int


class Preference(msgspec.Struct, frozen=True, kw_only=True):
    """The preference of one rater, or of all raters together.

    Attributes:
        rater: the name; empty for all together.
        sentence: the same in words.
        class_: ``class`` in JSON. ``better``: the council's answers are preferred; ``worse``: the
            single replies; ``equal``: the difference lies within the margin; ``open``: none is
            shown.
        questions: judged, without those that were skipped.
        won: questions on which the council's answer is preferred.
        lost: questions on which the single reply is.
        tied: all others.
        skipped: questions without a choice.
        difference: the share of ``won`` minus that of ``lost``, −1 to 1.
        settled_at: questions after which the class was no longer open; None where it is open.
        longer: of choices between answers of unlike length, the share for the longer one.
        first: of choices, the share for the answer that was shown first.
    """

    rater: str = ""
    sentence: str = ""
    class_: PreferenceClass = msgspec.field(name="class")
    questions: int
    won: int
    lost: int
    tied: int
    skipped: int
    difference: Shift
    settled_at: int | None
    longer: Shift
    first: Shift


class JudgingResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the pairs of a run so far.

    Attributes:
        sentence: the answer.
        run: the key of the run.
        solo: the arm, or the member, of the single replies.
        council: the arm of the method.
        alpha: the share of such judgings in which anything here may be called what it is not.
        margin: the greatest difference that counts as equal, 0 to 1.
        family: the comparisons that ``alpha`` is shared by: raters, and all together.
        pairs: those there are to judge.
        left_out: in words, which questions are not judged; empty for none.
        simulated: whether no language model took part on some side.
        raters: each of them who has judged a pair.
        together: all raters, where several have judged: over the questions that each has seen.
        effect: what the method changed and took; nobody judges for this.
    """

    format: str = FORMAT
    sentence: str
    run: str
    solo: str
    council: str
    alpha: float
    margin: float
    family: int
    pairs: int
    left_out: str
    simulated: bool
    raters: tuple[Preference, ...]
    together: Preference | None
    effect: Effect


class JudgedPair(NamedTuple):
    """A pair with the choice of a rater that counts."""

    pair: Pair
    choice: PairChoice

    @property
    def value(self) -> float | None:
        """1 for the council, −1 for the single reply, 0 for neither; None where it was skipped."""
        return _VALUES.get(self.choice.choice)

    @property
    def for_longer(self) -> float | None:
        """1 for the longer answer, −1 for the shorter; None for neither, or of equal lengths."""
        longer = len(self.pair.council) - len(self.pair.solo)
        return self.value * (1 if longer > 0 else -1) if self.value and longer else None

    @property
    def for_first(self) -> float | None:
        """1 for the answer that was shown first, −1 for the other; None for neither."""
        return self.value * (1 if self.choice.first == "council" else -1) if self.value else None


def list_counting(choices: Sequence[PairChoice], pairs: Sequence[Pair]) -> list[JudgedPair]:
    """Return the choices of one rater that count, in the order of the pairs."""
    last: dict[PairKey, PairChoice] = {each.pair: each for each in choices}
    found = [JudgedPair(pair, last[pair.key]) for pair in pairs if pair.key in last]
    return [each for each in found if each.choice.choice != "undo"]


def describe_judging(
    pairs: RunPairs, by_rater: Mapping[str, Sequence[PairChoice]], *, margin: float = MARGIN
) -> JudgingResult:
    """Return the result of pairs.

    Args:
        pairs: those of the run.
        by_rater: every entry of each rater, in the order of entry.
        margin: the greatest difference that counts as equal, 0 to 1.
    """
    counting = {name: list_counting(each, pairs.pairs) for name, each in by_rater.items()}
    counting = {name: each for name, each in counting.items() if each}
    family = len(counting) + (len(counting) > 1)
    level = 1 - ALPHA / max(family, 1)
    found = [_prefer(each, margin, level, rater=name) for name, each in counting.items()]
    alone = [*counting] == [ONESELF]
    raters = tuple(
        _word(each, "you" if alone else each.rater, pairs.council, margin) for each in found
    )
    together = None
    if len(raters) > 1:
        joint = _prefer_together(list(counting.values()), margin, level)
        together = _word(joint, f"the {len(raters)} raters together", pairs.council, margin)
    said = together or next(iter(raters), None)
    return JudgingResult(
        sentence=said.sentence if said else "Nobody has judged a pair yet.",
        run=pairs.row.key,
        solo=pairs.match.solo,
        council=pairs.match.council,
        alpha=ALPHA,
        margin=margin,
        family=max(family, 1),
        pairs=len(pairs.pairs),
        left_out=describe_left_out(pairs),
        simulated=pairs.simulated,
        raters=raters,
        together=together,
        effect=pairs.effect,
    )


def _prefer(
    judged: Sequence[JudgedPair], margin: float, level: float, *, rater: str = ""
) -> Preference:
    values = [each.value for each in judged if each.value is not None]
    return _compare(
        values,
        margin,
        level,
        rater=rater,
        skipped=len(judged) - len(values),
        longer=_share([each.for_longer for each in judged], level),
        first=_share([each.for_first for each in judged], level),
    )


def _prefer_together(
    raters: Sequence[Sequence[JudgedPair]], margin: float, level: float
) -> Preference:
    """Return the raters' preference on the questions that each has seen; a question is one unit."""
    by_pair: dict[PairKey, list[JudgedPair]] = {}
    for judged in raters:
        for each in judged:
            by_pair.setdefault(each.pair.key, []).append(each)
    groups = (by_pair[each.pair.key] for each in raters[0])  # in the drawn order
    shared = [group for group in groups if len(group) == len(raters)]
    values = [_average([each.value for each in group]) for group in shared]
    return _compare(
        [each for each in values if each is not None],
        margin,
        level,
        skipped=values.count(None),
        longer=_share([_average([one.for_longer for one in group]) for group in shared], level),
        first=_share([_average([one.for_first for one in group]) for group in shared], level),
    )


def _average(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) / len(known) if known else None


def _compare(
    values: Sequence[float],
    margin: float,
    level: float,
    *,
    rater: str = "",
    skipped: int,
    longer: Shift,
    first: Shift,
) -> Preference:
    """Return the preference that values show, in their order."""
    sequence, settled = sequences.open_sequence(level), None
    for value in values:
        sequence.add(value)
        if settled is None and sequences.classify(sequence.low, sequence.high, margin) != "open":
            settled = sequence.n
    return Preference(
        rater=rater,
        class_=sequences.classify(sequence.low, sequence.high, margin),
        questions=sequence.n,
        won=sum(each > 0 for each in values),
        lost=sum(each < 0 for each in values),
        tied=sum(each == 0 for each in values),
        skipped=skipped,
        difference=Shift(
            estimate=sequence.mean,
            low=sequence.low,
            high=sequence.high,
            level=level,
            answers=sequence.n,
        ),
        settled_at=settled,
        longer=longer,
        first=first,
    )


def _share(signs: Sequence[float | None], level: float) -> Shift:
    """Return the share of choices that go one way, of signs 1 for that way and −1 for the other."""
    sequence = sequences.open_sequence(level)
    for sign in signs:
        if sign is not None:
            sequence.add(sign)
    return Shift(
        estimate=None if sequence.mean is None else (1 + sequence.mean) / 2,
        low=(1 + sequence.low) / 2,
        high=(1 + sequence.high) / 2,
        level=level,
        answers=sequence.n,
    )


def _word(found: Preference, subject: str, council: str, margin: float) -> Preference:
    """Return a preference with its sentence."""
    gap, answer = found.difference, f"{council}'s" if council == "council" else f"{council}:"
    theirs = f"the {answer} answers" if council == "council" else f"the answers of {council}"
    several = subject.startswith("the ")
    prefers = "prefer" if subject == "you" or several else "prefers"
    finds = "find" if prefers == "prefer" else "finds"
    said = {
        "better": f"{subject} {prefers} {theirs} to the single replies",
        "worse": f"{subject} {prefers} the single replies to {theirs}",
        "equal": f"{subject} {finds} both equally good, within {100 * margin:g} points",
        "open": f"it is still open which answers {subject} {prefers}",
    }[found.class_]
    won = f"the {council}" if council == "council" else council
    counts = f"{found.won} for {won}, {found.lost} for the single reply, {found.tied} the same"
    skipped = f", {found.skipped} skipped" if found.skipped else ""
    sentence = (
        f"After {format_things(found.questions, 'answer')}: {said}. Choices: {counts}{skipped}."
    )
    if found.questions:
        sentence += (
            f" Difference {format_percent(gap.estimate, sign=True)} points, "
            f"{format_percent(gap.level).removesuffix('.0')} % interval "
            f"{format_interval(gap.low, gap.high, sign=True)}, valid at every look."
        )
    return msgspec.structs.replace(found, sentence=sentence)


def describe_beside(found: Preference) -> list[str]:
    """Return the covariates of the choices in sentences: length, and the order shown."""
    lines = []
    for share, which in ((found.longer, "the longer answer"), (found.first, "the one shown first")):
        if share.answers:
            lines.append(
                f"{which[:1].upper()}{which[1:]} was chosen in {format_percent(share.estimate)} % "
                f"of {format_things(share.answers, 'choice')} "
                f"({format_percent(share.level).removesuffix('.0')} % interval "
                f"{format_interval(share.low, share.high)})."
            )
    return lines


def describe_effect(effect: Effect, council: str) -> list[str]:
    """Return the changes and the price of the method in sentences."""
    lines, changed = [], effect.changed
    if changed.mean is not None:
        spread = f" (95 % interval {format_interval(changed.low, changed.high)})"
        lines.append(
            f"On {format_things(changed.questions, 'question')} with short answers, {council} "
            f"changed the single reply's answer in {format_percent(changed.mean)} %"
            f"{spread * (changed.low is not None)}."
        )
    for what, sides in (("tokens", effect.tokens), ("dollars", effect.cost)):
        if sides and sides["solo"]:
            lines.append(
                f"Price: {_times(sides)} the {what} of a single reply "
                f"({_amount(sides['council'], what)} against {_amount(sides['solo'], what)} a "
                "question)."
            )
    if effect.tokens is None and effect.cost is None and effect.words:
        lines.append(
            f"Tokens and prices are not in the record. In words written: {_times(effect.words)} a "
            f"single reply ({effect.words['council']:,.0f} against {effect.words['solo']:,.0f} a "
            "question)."
        )
    own = effect.answer_words
    if own["solo"]:
        lines.append(
            f"Answers have {own['council']:,.0f} words on average, single replies "
            f"{own['solo']:,.0f}."
        )
    return lines


def _times(sides: Mapping[str, float]) -> str:
    return f"{sides['council'] / sides['solo']:,.1f} times"


def _amount(number: float, what: str) -> str:
    return f"${number:,.4f}" if what == "dollars" else f"{number:,.0f}"
