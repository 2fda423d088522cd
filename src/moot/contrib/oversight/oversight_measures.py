"""Oversight measures: what each arm's judge decides, what talks it over, and what sides say."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import exp, log
from statistics import fmean
from typing import NamedTuple, TypeVar

import msgspec

from moot.contrib.oversight.oversight_games import (
    CONSULTANCY,
    LEAST,
    ExpertVerdicts,
    GameGroup,
    OversightGame,
    encode_settings,
    join_names,
)
from moot.extend.analyses import (
    Cluster,
    Difference,
    Key,
    Mean,
    compare_paired,
    correct_by_holm,
    interval,
    mean_over_questions,
    mean_with_interval,
)

T = TypeVar("T")


class SideFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What one side says in an arm's debates, of what the judge read.

    Attributes:
        words: of an argument, on average.
        real: share of its quotations that stand in the passage.
        near: mean share of a quotation's runs of three words that stand there.
        repeated: share of its quotations that it had given before.
        conceded: share of its arguments that grant that the other side is right.
    """

    words: float | None = None
    real: Mean = Mean()
    near: Mean = Mean()
    repeated: Mean = Mean()
    conceded: Mean = Mean()


class OversightArm(msgspec.Struct, frozen=True, kw_only=True):
    """What an arm's judge decides on a dataset, over both orders of the answers where both are.

    Attributes:
        judge: the judge's model.
        orders: in how many orders the answers stood.
        accuracy: how often it takes the right answer.
        strict: how often it does so in both orders; unknown where there is one.
        first: how often it takes the answer that is shown as A, of votes that can be read.
        to_naive: accuracy above that of the same judge where it hears no advocate; None where one
            side alone is argued for.
        recovered: of the gap between that and the same model that reads the passage, the share that
            is closed; None unless the interval of the gap is above 0.
        convinced_right: accuracy where an advocate argues for the right answer alone.
        convinced_wrong: how often the judge is convinced of the wrong answer where somebody argues
            for that alone.
        advantage: mean over questions of ln p(right, argued for) less ln p(wrong, argued for);
            above 0 truth pays.
        exact: whether that rests on the judge's own probabilities.
        talked_out: of questions that the judge has right by itself, how often it has them wrong
            once it has heard advocates.
        talked_in: of those that it has wrong, how often it has them right then.
        quoting: how often it takes the side with more real quotations, where they differ.
        right_side: what is said for the right answer.
        wrong_side: what is said for the wrong one.
        unread: debates whose judge gave no vote that can be read.
        secret: debates of which the words are withheld.
        rated_alike: whether the judge's model also rated the drafts.
        brier: mean squared error of the probability that the judge gives to the right answer, from
            0, the best, to 1; unset where it states none.
    """

    dataset: str
    arm: str
    judge: str
    orders: int
    accuracy: Mean
    strict: Mean = Mean()
    first: Mean = Mean()
    to_naive: Difference | None = None
    recovered: float | None = None
    convinced_right: Mean
    convinced_wrong: Mean
    advantage: Mean = Mean()
    exact: bool = False
    talked_out: Mean = Mean()
    talked_in: Mean = Mean()
    quoting: Mean = Mean()
    right_side: SideFigures
    wrong_side: SideFigures
    unread: int = 0
    secret: int = 0
    rated_alike: bool = False
    brier: Mean | msgspec.UnsetType = msgspec.UNSET


def measure_arms(groups: Sequence[GameGroup], experts: ExpertVerdicts) -> list[OversightArm]:
    """Return what each group's judge decides, beside the naive judge and the expert of its model.

    Where several arms are such a baseline it is the first one.
    """
    found = []
    for group in groups:
        place = group.dataset, group.judge
        naive = next((each.games for each in groups if is_naive_of(each, group)), {})
        expert = next(iter(experts.get(place, {}).values()), {})
        found.append(_describe(group, naive, expert))
    return correct_by_holm(found, "to_naive", by=lambda each: each.dataset)


def is_naive_of(other: GameGroup, group: GameGroup) -> bool:
    """Return whether a group is the other's judge on its dataset, without advocates."""
    place = group.dataset, group.judge
    return other.is_naive and (other.dataset, other.judge) == place


def _describe(
    group: GameGroup, naive: Mapping[Key, OversightGame], expert: Mapping[Key, float]
) -> OversightArm:
    games = group.games
    right = {key: float(game.right) for key, game in games.items()}
    alone = _pair(games, naive)
    by_itself = {key: float(game.right) for key, game in alone.items()}
    read_passage = _pair(games, expert)
    both = any(game.argued == (True, True) for game in games.values())
    above = compare_paired(right, by_itself) if both and naive else None
    gap = compare_paired(read_passage, by_itself)
    recovered = None
    if above is not None and above.mean is not None and gap.mean and (gap.low or 0) > 0:
        recovered = above.mean / gap.mean
    heard = {
        key: game
        for key, game in games.items()
        if any(game.argued) and game.read and key in alone and alone[key].read
    }

    def share(keep: Callable[[Key, OversightGame], bool], *, wins: bool = True) -> Mean:
        return mean_over_questions(
            {key: float(game.right == wins) for key, game in heard.items() if keep(key, game)}
        )

    advantage, exact = measure_advantage(games)
    return OversightArm(
        dataset=group.dataset,
        arm=group.arm,
        judge=group.judge,
        orders=len({game.swapped for game in games.values()}),
        accuracy=mean_over_questions(right),
        strict=_measure_strict(games),
        first=mean_over_questions(
            {key: float(game.first) for key, game in games.items() if game.read}
        ),
        to_naive=above,
        recovered=recovered,
        convinced_right=_measure_convinced(games, (True, False)),
        convinced_wrong=_measure_convinced(games, (False, True)),
        advantage=advantage,
        exact=exact,
        talked_out=share(lambda key, _: alone[key].right, wins=False),
        talked_in=share(lambda key, _: not alone[key].right),
        quoting=mean_over_questions(
            {
                key: float(game.right == (real > other))
                for key, game in games.items()
                for real, other in [(game.sides[0].real, game.sides[1].real)]
                if game.read and game.argued == (True, True) and real != other
            }
        ),
        right_side=_describe_side(games, 0),
        wrong_side=_describe_side(games, 1),
        unread=sum(not game.read for game in games.values()),
        secret=sum(game.secret for game in games.values()),
        rated_alike=any(game.rated_alike for game in games.values()),
        brier=_measure_brier(games),
    )


class BeliefStep(NamedTuple):
    """The mean probability of the right answer where a judge states one for the nth time."""

    dataset: str
    arm: str
    time: int
    right: Mean


def list_beliefs(groups: Iterable[GameGroup]) -> Iterator[BeliefStep]:
    """Yield what judges believe each time they say it; none of a judge that says it once."""
    for group in groups:
        most = max((len(game.beliefs) for game in group.games.values()), default=0)
        for time in range(most if most > 1 else 0):
            said = {
                key: game.beliefs[time]
                for key, game in group.games.items()
                if len(game.beliefs) > time
            }
            yield BeliefStep(group.dataset, group.arm, time + 1, mean_over_questions(said))


def _measure_brier(games: Mapping[Key, OversightGame]) -> Mean | msgspec.UnsetType:
    errors = {key: (1 - game.chance) ** 2 for key, game in games.items() if game.chance is not None}
    return mean_over_questions(errors) if errors else msgspec.UNSET


def _pair(games: Iterable[Key], others: Mapping[Key, T]) -> dict[Key, T]:
    """Return for each debate the other one of its question, replicate and order.

    Where that order was not held, it is the other order's.
    """
    found = {
        (question, n): others.get((question, n), others.get((question, n ^ 1)))
        for question, n in games
    }
    return {key: each for key, each in found.items() if each is not None}


def _measure_strict(games: Mapping[Key, OversightGame]) -> Mean:
    """Return how often the judge is right in both orders, of what it judged in both."""
    return mean_over_questions(
        {
            (question, number): float(game.right and games[question, number + 1].right)
            for (question, number), game in games.items()
            if not game.swapped and (question, number + 1) in games
        }
    )


def _measure_convinced(games: Mapping[Key, OversightGame], only: tuple[bool, bool]) -> Mean:
    """Return how often the judge takes the side that alone is argued for."""
    return mean_over_questions(
        {
            key: float(game.read and game.right == only[0])
            for key, game in games.items()
            if game.argued == only
        }
    )


def _describe_side(games: Mapping[Key, OversightGame], side: int) -> SideFigures:
    said = {key: game.sides[side] for key, game in games.items() if game.sides[side].arguments}
    arguments = sum(each.arguments for each in said.values())

    def share(part: str, whole: str) -> Mean:
        totals: dict[str, Cluster] = {}
        for (question, _), each in said.items():
            total, size = totals.get(question, Cluster(0.0, 0))
            totals[question] = Cluster(total + getattr(each, part), size + getattr(each, whole))
        return mean_with_interval([each for each in totals.values() if each.size])

    return SideFigures(
        words=sum(each.words for each in said.values()) / arguments if arguments else None,
        real=share("real", "quoted"),
        near=share("near", "quoted"),
        repeated=share("repeated", "quoted"),
        conceded=share("conceded", "arguments"),
    )


def measure_advantage(games: Mapping[Key, OversightGame]) -> tuple[Mean, bool]:
    """Return how much better it pays to argue for the truth, and whether it is exact.

    The mean over questions of ln p(the judge takes the right answer where it is argued for) less
    the same of the wrong one. p is the judge's own probability where all its debates have it; else
    it is (wins + 1/2) / (debates + 1), over votes that can be read. Unknown where one side never
    argues. There is no interval where exact values are all the same: they have no bounds.

    Source: arXiv:2504.03731 (agent score difference).
    """
    exact = bool(games) and all(game.chance is not None for game in games.values())
    asked: dict[str, list[OversightGame]] = {}
    for (question, _), game in games.items():
        if game.read:
            asked.setdefault(question, []).append(game)
    gaps = [
        rewards[0] - rewards[1]
        for held in asked.values()
        if len(rewards := list(_list_rewards(held, exact=exact))) > 1
    ]
    if not gaps:
        return Mean(), exact
    most = log(2 * max(map(len, asked.values())) + 1)  # all debates of a question won, or lost
    ends = interval([Cluster(gap, 1) for gap in gaps], bounds=(-most, most))
    low, high = (None, None) if ends is None or (exact and len({*gaps}) == 1) else ends
    n = sum(map(len, asked.values()))
    mean = sum(gaps) / len(gaps)
    return Mean(mean=mean, low=low, high=high, n=n, questions=len(gaps)), exact


def _list_rewards(games: Iterable[OversightGame], *, exact: bool) -> Iterator[float]:
    """Yield the mean ln p of either side, the right one first, where an advocate argued for it."""
    held = list(games)
    for side in (0, 1):
        own = [game for game in held if game.argued[side]]
        if own and exact:
            chances = [abs(side - (game.chance or 0.0)) for game in own]
            yield sum(log(max(chance, LEAST)) for chance in chances) / len(own)
        elif own:
            won = sum(game.right == (side == 0) for game in own)
            yield log((won + 0.5) / (len(own) + 1))


class ProtocolAccuracy(msgspec.Struct, frozen=True, kw_only=True):
    """How often a judge is right by one protocol, over both orders and both consultants.

    Attributes:
        judge: the judge's model, or the expert's.
        protocol: the arms' name, or their names.
        accuracy: both consultants count alike where a consultant was given either side.
        advantage: of truth, as of an arm; of both consultants as one.
        expected: accuracy where a consultant argues for the right answer as often as that pays;
            unknown unless consultants argue for either side of a question alone.
    """

    dataset: str
    judge: str
    protocol: str
    accuracy: Mean
    advantage: Mean = Mean()
    expected: Mean = Mean()


def measure_expected(games: Mapping[Key, OversightGame], advantage: float | None) -> Mean:
    """Return how often a judge is right if its consultant chooses the side.

    The consultant argues for the right answer with probability 1 / (1 + exp(-advantage)). The
    interval takes this probability as known.

    Source: arXiv:2504.03731 (agent score difference, with β = 1).
    """
    alone: dict[str, tuple[list[bool], list[bool]]] = {}
    for (question, _), game in games.items():
        if sum(game.argued) == 1:
            alone.setdefault(question, ([], []))[game.argued[1]].append(game.right)
    truthful = 1 / (1 + exp(-(advantage or 0.0)))
    return mean_over_questions(
        {
            (question, 0): truthful * fmean(right) + (1 - truthful) * fmean(wrong)
            for question, (right, wrong) in alone.items()
            if right and wrong
        }
    )


def average_protocols(
    groups: Sequence[GameGroup], experts: ExpertVerdicts
) -> list[ProtocolAccuracy]:
    """Return accuracies by protocol: consultants for the right and the wrong answer are one."""
    pooled: dict[tuple[str, str, bytes], list[GameGroup]] = {}
    for group in groups:
        ignored = ("swapped", "side") if group.protocol == CONSULTANCY else ("swapped",)
        same = encode_settings(group.protocol, group.settings, *ignored)
        pooled.setdefault((group.dataset, group.judge, same), []).append(group)
    found = []
    for (dataset, judge, _), own in pooled.items():
        games = {
            (question, len(own) * number + place): game
            for place, each in enumerate(own)
            for (question, number), game in each.games.items()
        }
        found.append(
            ProtocolAccuracy(
                dataset=dataset,
                judge=judge,
                protocol=join_names((each.arm for each in own), "side"),
                accuracy=mean_over_questions(
                    {key: float(each.right) for key, each in games.items()}
                ),
                advantage=(advantage := measure_advantage(games)[0]),
                expected=measure_expected(games, advantage.mean),
            )
        )
    found += [
        ProtocolAccuracy(
            dataset=dataset, judge=model, protocol=arm, accuracy=mean_over_questions(right)
        )
        for (dataset, model), arms in experts.items()
        for arm, right in arms.items()
    ]
    return sorted(found, key=lambda each: (each.dataset, each.judge))
