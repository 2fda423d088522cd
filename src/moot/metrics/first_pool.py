"""The debaters' first answers as a pool: what a rule could make of them, and what the debate did.

Where no first answer is right, a rule that outputs one of them is wrong: only a debate can be
right. Of debates of two or more debaters with a verdict and a known right answer; networks have no
one pool. All are None elsewhere.
"""

from collections.abc import Collection
from typing import NamedTuple

from moot.core.events import Transcript
from moot.metrics.debaters import find_debaters, find_right, keep_last, measure_from
from moot.metrics.metric import metric
from moot.parsing.same import majority

CEILING = "arXiv:2606.27288"
MARTINGALE = "arXiv:2508.17536"


class PooledAnswers(NamedTuple):
    """One debate: who was right at first, and in each round.

    Attributes:
        first: whether the first answer of each debater is right, by seat.
        last: the same of its last answer.
        right: whether the verdict is right.
        vote: whether the most frequent first answer is right.
        shares: the share of debaters right in each round in which all spoke, by its number.
        votes: whether the most frequent answer of each of these rounds is right.
    """

    first: tuple[bool, ...]
    last: tuple[bool, ...]
    right: bool
    vote: bool
    shares: dict[int, float]
    votes: dict[int, float]

    @property
    def is_all_wrong(self) -> bool:
        """Whether no first answer is right."""
        return not any(self.first)


@keep_last
def read_pool(transcript: Transcript) -> PooledAnswers | None:
    """Return who was right; None without a known answer, a verdict, or two debaters."""
    known, minds = find_right(transcript), find_debaters(transcript)
    verdict = transcript.verdict
    if "nodes" in transcript.opened.settings or known is None or verdict is None or len(minds) < 2:
        return None
    answers: dict[int, list[str | None]] = {}
    for mind in minds:
        for number, turn in {turn.round: turn for turn in mind.turns}.items():
            answers.setdefault(number, []).append(turn.answer)
    whole = {n: given for n, given in sorted(answers.items()) if len(given) == len(minds)}
    kind = transcript.question.kind
    firsts = [mind.first_answer for mind in minds]
    votes = {n: float(known[majority(given, kind)[0]]) for n, given in whole.items()}
    of_firsts = next((n for n, given in whole.items() if given == firsts), None)
    return PooledAnswers(
        first=tuple([known[answer] for answer in firsts]),
        last=tuple([known[mind.last_answer] for mind in minds]),
        right=known[verdict.answer],
        vote=known[majority(firsts, kind)[0]] if of_firsts is None else bool(votes[of_firsts]),
        shares={n: _share([known[each] for each in given]) for n, given in whole.items()},
        votes=votes,
    )


def _share(right: Collection[bool]) -> float:
    """Return the share of those that are right."""
    return sum(right) / len(right)


@metric(better="lower", source=CEILING)
@measure_from(read_pool)
def all_wrong(pool: PooledAnswers) -> float | None:
    """1 when no debater's first answer is right, else 0."""
    return float(pool.is_all_wrong)


@metric(better="higher", source=CEILING)
@measure_from(read_pool)
def escape(pool: PooledAnswers) -> float | None:
    """1 when the verdict is right though no first answer is, 0 when it is wrong as well.

    None where a first answer is right.
    """
    return float(pool.right) if pool.is_all_wrong else None


@metric(better="lower", source=CEILING)
@measure_from(read_pool)
def measure_lost(pool: PooledAnswers) -> float | None:
    """1 when the verdict is wrong though a first answer is right, 0 when it is right as well.

    None where no first answer is right.
    """
    return float(not pool.right) if not pool.is_all_wrong else None


@metric(better="higher", source=MARTINGALE)
@measure_from(read_pool)
def first_vote_accuracy(pool: PooledAnswers) -> float | None:
    """1 when the most frequent first answer is right, else 0; of a tie, that of the lower seat."""
    return float(pool.vote)


@metric(range=(-1, 1), better="higher", source=MARTINGALE)
@measure_from(read_pool)
def drift(pool: PooledAnswers) -> float | None:
    """The share of debaters whose last answer is right minus that of right first answers."""
    return _share(pool.last) - _share(pool.first)
