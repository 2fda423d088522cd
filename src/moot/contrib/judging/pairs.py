"""Pairs of answers of a run: a method's answer and the single reply to the same question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from moot import InputError, RecordedRuns, Transcript, UnknownName
from moot.contrib.judging.choices import Match, PairKey
from moot.contrib.judging.pairs_log import METHOD
from moot.extend.analyses import Mean, mean_over_questions
from moot.extend.protocols import answer_value, protocols
from moot.extend.records import Arm, RunRow, decode_study

SHORT = 4
"""The most words of a free text that counts as a short answer."""
_COUNCILS = {"council", METHOD}
_SPEAKER = "member "


class Pair(NamedTuple):
    """Two answers to one question.

    Attributes:
        key: the place in the run.
        question: the text, with context and options.
        solo: the single reply, in full.
        council: the answer of the method that is judged, in full.
    """

    key: PairKey
    question: str
    solo: str
    council: str


class Price(NamedTuple):
    """Sums over the debates of one side; None where one of them is unknown."""

    tokens: int | None
    cost: float | None
    words: int


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """The changes and the price of a method, as the run has them: nobody judges for this.

    Attributes:
        questions: those with an answer of both sides.
        alike: of these, the pairs whose two texts are the same.
        changed: the share whose short answers differ, with a 95 % interval; its ``questions`` are
            those with two short answers that could be read, ``mean`` is None without one.
        tokens: of a question at the mean, by side; None where a count is unknown.
        cost: of a question at the mean in US dollars, by side; None where a price is unknown.
        words: written for a question at the mean, by side; of a method by all of its agents. None
            where only the answers are known.
        answer_words: of the answer alone at the mean, by side.
    """

    questions: int
    alike: int
    changed: Mean
    tokens: dict[str, float] | None
    cost: dict[str, float] | None
    words: dict[str, float] | None
    answer_words: dict[str, float]


class PairPlan(NamedTuple):
    """The choice of what people judge in a run.

    Attributes:
        run: the name or key of the run.
        arms: the arm of the single replies, and that of the method; found if empty.
        solo: the agent or the model whose first reply in the debate is the single one; empty for
            the arm of single replies.
        sample: the most questions, drawn from all; None for all.
        replicate: the repetition of each question, from 0.
        seed: of the order of questions.
    """

    run: str
    arms: Sequence[str] = ()
    solo: str = ""
    sample: int | None = None
    replicate: int = 0
    seed: int = 0


class RunPairs(NamedTuple):
    """The pairs of a run.

    Attributes:
        row: the run.
        match: the two arms, or the speaker and the arm.
        council: what people call the method.
        pairs: in the order in which they are judged, the same for all raters.
        repeated: questions left out, as an earlier one has the same text.
        lacking: questions left out, as one side has no answer.
        effect: what the method changed and took.
        simulated: whether no language model took part on some side.
    """

    row: RunRow
    match: Match
    council: str
    pairs: tuple[Pair, ...]
    repeated: int
    lacking: int
    effect: Effect
    simulated: bool


def read_pairs(runs: RecordedRuns, plan: PairPlan) -> RunPairs:
    """Return the pairs of a run.

    Raises:
        InputError: the arms are not clear, or no question has an answer of both.
        UnknownName: there is no such arm, or no such member.
    """
    [row, *_] = runs.rows
    solo, council = choose_arms(row, plan)
    debates = {
        arm: {
            PairKey(each.dataset, each.question, each.replicate): each.transcript
            for each in runs.debates(arm)
            if each.replicate == plan.replicate
        }
        for arm in {solo, council}
    }
    methods, singles = debates[council], debates[solo]
    if plan.solo:
        singles = _pick_speaker(methods, plan.solo)
    found, repeated, lacking = _match(methods, singles)
    if not found:
        raise InputError(
            f"run {row.key}: no question has an answer of both {council} and "
            f"{plan.solo or solo} in replicate {plan.replicate}; choose others with --arms"
        )
    drawn = sorted(found, key=lambda pair: _draw(plan.seed, pair.key))
    unlike = [pair for pair in drawn if pair.solo.strip() != pair.council.strip()]
    [arm] = (each for each in decode_study(row).arms if each.name == council)
    return RunPairs(
        row,
        Match(f"{_SPEAKER}{plan.solo}" if plan.solo else solo, council),
        "council" if arm.protocol in _COUNCILS else council,
        tuple(unlike[: plan.sample]),
        repeated,
        lacking,
        _measure_effect(found, methods, singles),
        simulated=bool({solo, council} & {*decode_study(row).simulated}),
    )


def choose_arms(row: RunRow, plan: PairPlan) -> tuple[str, str]:
    """Return the arm of single replies and the arm of the method.

    Raises:
        InputError: there is none of one kind, or several to choose from.
        UnknownName: an arm that was named is not in the run.
    """
    arms = decode_study(row).arms
    known = [arm.name for arm in arms]
    if plan.arms:
        wrong = [name for name in plan.arms if name not in known]
        if wrong:
            raise UnknownName("arm", wrong[0], known, where="--arms")
        if len({*plan.arms}) != 2:
            raise InputError("--arms: name two arms, the single reply's and the method's: A,B")
        return plan.arms[0], plan.arms[1]
    kinds = {arm.name: _find_kind(arm) for arm in arms}
    methods = [name for name, kind in kinds.items() if kind in {"debate", "society"}]
    singles = [name for name, kind in kinds.items() if kind == "single"]
    singles = [plan.solo and methods[0]] if plan.solo and methods else singles
    if len(methods) != 1 or len(singles) != 1:
        raise InputError(
            f"run {row.key}: which two are compared? name the single reply's arm and the method's "
            f"by --arms, of: {', '.join(known)}"
        )
    return singles[0], methods[0]


def _find_kind(arm: Arm) -> str:
    """Return the kind of an arm in comparisons: its own, else that of its protocol."""
    found = protocols.find(arm.protocol)
    if arm.kind or found is None:
        return arm.kind or "debate"
    return found.kind(arm.settings) if callable(found.kind) else found.kind


def _pick_speaker(debates: Mapping[PairKey, Transcript], name: str) -> dict[PairKey, Transcript]:
    """Return of each debate the first reply of one agent, as a debate of that reply alone."""
    found, names = dict[PairKey, Transcript](), set[str]()
    for key, debate in debates.items():
        for turn in (each for each in debate.turns if each.votes):
            names |= {turn.agent, turn.model}
            if name in {turn.agent, turn.model}:
                found[key] = Transcript((debate.opened, turn, debate.events[-1]))
                break
    if not found:
        raise UnknownName("member", name, sorted(names - {""}), where="--solo")
    return found


def _match(
    methods: Mapping[PairKey, Transcript], singles: Mapping[PairKey, Transcript]
) -> tuple[list[Pair], int, int]:
    """Return the pairs; the questions that are equal to another, and those without an answer."""
    found, seen = list[Pair](), set[str]()
    repeated = lacking = 0
    for key in sorted(methods.keys() | singles.keys()):
        debate = methods.get(key) or singles[key]
        question = _show_question(debate)
        solo, council = _find_text(singles.get(key)), _find_text(methods.get(key))
        if not solo.strip() or not council.strip() or debate.question.secret:
            lacking += 1
        elif question in seen:
            repeated += 1
        else:
            seen.add(question)
            found.append(Pair(key, question, solo, council))
    return found, repeated, lacking


def _show_question(debate: Transcript) -> str:
    question = debate.question
    options = [f"{chr(65 + place)}. {each}" for place, each in enumerate(question.choices)]
    parts = [question.context or "", question.text, "\n".join(options)]
    return "\n\n".join(each for each in parts if each)


def _find_text(debate: Transcript | None) -> str:
    """Return the words of an answer: those of the deciding turn, else of the verdict."""
    if debate is None or debate.verdict is None:
        return ""
    decided = debate.turns[0] if len(debate.turns) == 1 else debate.deciding
    return (decided.text if decided else "") or debate.verdict.text or debate.verdict.answer or ""


def _draw(seed: int, key: PairKey) -> bytes:
    """Return the place of a pair in the order: the same whatever other pairs there are."""
    return blake2b(repr((seed, key)).encode("utf-8", "replace"), digest_size=16).digest()


def _measure_effect(
    pairs: Sequence[Pair],
    methods: Mapping[PairKey, Transcript],
    singles: Mapping[PairKey, Transcript],
) -> Effect:
    changed = {}
    for pair in pairs:
        differs = _differ(singles[pair.key], methods[pair.key])
        if differs is not None:
            changed[f"{pair.key.dataset}/{pair.key.question}", pair.key.replicate] = float(differs)
    prices = {
        side: [_sum_price(debates[pair.key]) for pair in pairs]
        for side, debates in (("solo", singles), ("council", methods))
    }
    n = len(pairs)
    tokens, cost = dict[str, float](), dict[str, float]()
    for side, each in prices.items():
        counted = [one.tokens for one in each if one.tokens is not None]
        priced = [one.cost for one in each if one.cost is not None]
        tokens |= {side: sum(counted) / n} if len(counted) == n else {}
        cost |= {side: sum(priced) / n} if len(priced) == n else {}
    words = {side: sum(one.words for one in each) / n for side, each in prices.items()}
    known = {debate.opened.protocol for debate in methods.values()} - {METHOD}
    texts = {"solo": [pair.solo for pair in pairs], "council": [pair.council for pair in pairs]}
    return Effect(
        questions=n,
        alike=sum(pair.solo.strip() == pair.council.strip() for pair in pairs),
        changed=mean_over_questions(changed) if changed else Mean(),
        tokens=tokens if len(tokens) == 2 else None,
        cost=cost if len(cost) == 2 else None,
        words=words if words["solo"] and known else None,
        answer_words={side: sum(map(_count, each)) / n for side, each in texts.items()},
    )


def _differ(solo: Transcript, council: Transcript) -> bool | None:
    """Return whether two short answers differ; None where one is long, or could not be read."""
    kind = council.question.kind
    first: str | None
    last: str | None
    if kind == "text":
        first, last = _find_text(solo), _find_text(council)
        if max(_count(first), _count(last)) > SHORT:
            return None
    else:
        first = solo.turns[0].answer if len(solo.turns) == 1 else _find_answer(solo)
        last = _find_answer(council)
    if first is None or last is None:
        return None
    return answer_value(first, kind) != answer_value(last, kind)


def _find_answer(debate: Transcript) -> str | None:
    return debate.verdict.answer if debate.verdict else None


def _sum_price(debate: Transcript) -> Price:
    tokens = [(turn.prompt_tokens, turn.completion_tokens) for turn in debate.turns]
    costs = [turn.cost for turn in debate.turns]
    known = [one + other for one, other in tokens if one is not None and other is not None]
    priced = [each for each in costs if each is not None]
    return Price(
        sum(known) if len(known) == len(tokens) else None,
        sum(priced) if len(priced) == len(costs) else None,
        sum(_count(turn.text) for turn in debate.turns),
    )


def _count(text: str) -> int:
    return len(text.split())


def describe_left_out(pairs: RunPairs) -> str:
    """Return in words which questions are not judged, and why; empty where all are."""
    effect = pairs.effect
    counts = Counter(
        {
            "with the same text on both sides": effect.alike,
            "equal to another": pairs.repeated,
            "without an answer of both": pairs.lacking,
            "not drawn": effect.questions - effect.alike - len(pairs.pairs),
        }
    )
    return ", ".join(f"{number} {why}" for why, number in counts.items() if number)
