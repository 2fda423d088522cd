"""Scores of a league: ratings of its players, and what its jurors favour and agree on."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from math import log
from statistics import fmean

import msgspec

from moot.contrib.league.league_matches import (
    LeagueMatch,
    Motion,
    SidedDebate,
    find_sign,
    list_rulings,
    pair_debates,
    weigh_jurors,
)
from moot.contrib.league.match_ruling import MOST_MARGIN, TIE, MatchRuling
from moot.extend.analyses import (
    Cluster,
    Judgement,
    Mean,
    correct_by_holm,
    interval,
    mean_within_bounds,
    measure_strengths,
    reach_of_mean,
    sign_flip,
)

EVEN_RATING = 1500
SCALE = 400 / log(10)
"""Points of rating for one unit of strength: 400 for odds of ten to one."""
RIDGE = 1e-3
MANY = 12
"""More players than these are rated with fewer weightings: the time grows with their cube."""
OFTEN, SELDOM = 2_000, 400
"""How many times motions are weighted for intervals, and where players are many or grouped."""


class PlayerRating(msgspec.Struct, frozen=True, kw_only=True):
    """How a player has done.

    Attributes:
        rating: 1500 for an even player; None where the players are not linked by matches.
        margin: its mean margin over its matches.
        won: rated matches with a mean margin above 0; ``drawn`` and ``lost`` are the others.
    """

    player: str
    rating: Mean
    margin: Mean
    won: int
    drawn: int
    lost: int


class MarginEffect(msgspec.Struct, frozen=True, kw_only=True):
    """A mean margin that would be 0 if something had no effect.

    Attributes:
        margin: over rulings, with an interval over motions.
        p: of the test by changes of sign, motion by motion.
        p_holm: corrected for all jurors.
    """

    margin: Mean
    p: float | None
    p_holm: float | None = None


class JurorRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What a juror has done; ``"all"`` for all of them.

    Attributes:
        read: its rulings that can be read; ``unread`` are the others.
        size: the mean size of its margins.
        factor: by which they are multiplied.
        first: its margin towards the side that it is shown first.
        pro: its margin towards the side for the motion.
    """

    juror: str
    read: int
    unread: int
    size: float | None
    factor: float
    first: MarginEffect
    pro: MarginEffect


class JurorPair(msgspec.Struct, frozen=True, kw_only=True):
    """How often two jurors find the same of a match that both judged."""

    one: str
    other: str
    agree: Mean


class SideShare(msgspec.Struct, frozen=True, kw_only=True):
    """How many of a juror's rulings, ties apart, find for the motion; ``"all"`` for all jurors."""

    juror: str
    rulings: int
    pro: Mean


class League(msgspec.Struct, frozen=True, kw_only=True):
    """What the matches of a league show.

    Attributes:
        ratings: the best first.
        apart: the groups of players that never met, where there is more than one.
        matches: all there are, with the mean margin of the first player; None if not rated.
        jurors: the record of all, then of each.
        pairs: of jurors that judged the same matches.
        debates: all that were held.
        lacking: why matches are not rated, with how many.
        groups: the players in the order of their ratings, parted where one is shown to be below
            the first of its group; unset where none is.
        sides: which side rulings found for; unset where they all say which was shown first.
    """

    ratings: list[PlayerRating]
    apart: list[list[str]]
    matches: list[tuple[LeagueMatch, float | None]]
    jurors: list[JurorRecord]
    pairs: list[JurorPair]
    debates: list[SidedDebate]
    lacking: dict[str, int]
    groups: list[list[str]] | msgspec.UnsetType = msgspec.UNSET
    sides: list[SideShare] | msgspec.UnsetType = msgspec.UNSET


def measure_league(debates: Sequence[SidedDebate], *, rescaled: bool = True) -> League:
    """Return what debates on motions show.

    Args:
        debates: all that were held, failed ones included.
        rescaled: whether margins are brought to one mean size for all jurors.
    """
    factors = weigh_jurors(debates, rescaled=rescaled)
    matches = [(each, each.score(factors)) for each in pair_debates(debates)]
    rated = [(each, score) for each, score in matches if score is not None]
    judged = [_judge(*each) for each in rated]
    players = sorted({name for each, _ in rated for name in (each.one, each.other)})
    times = OFTEN if len(players) <= MANY else SELDOM
    strengths, _ = measure_strengths(judged, ridge=RIDGE, resamples=times)
    ratings = [_rate(player, rated, strengths.get(player)) for player in players]
    ratings.sort(key=lambda each: -(each.rating.mean or each.margin.mean or 0.0))
    linked = _link(rated)
    groups = _group(judged, [each.player for each in ratings]) if strengths else []
    return League(
        ratings=ratings,
        apart=linked if len(linked) > 1 else [],
        matches=matches,
        jurors=_list_jurors(debates, factors),
        pairs=_list_pairs([each for each, _ in rated], [*factors]),
        debates=[*debates],
        lacking=dict(Counter(each.lacking for each, score in matches if score is None)),
        groups=groups if len(groups) > 1 else msgspec.UNSET,
        sides=_list_sides(debates) or msgspec.UNSET,
    )


def _group(judged: Sequence[Judgement], players: Sequence[str]) -> list[list[str]]:
    """Return the players in groups, each parted from the next by the first of a group.

    A player is in the group of the first one while the interval of their difference holds 0.
    """
    groups = list[list[str]]()
    rest = [*players]
    while rest:
        gaps, _ = measure_strengths(judged, ridge=RIDGE, resamples=SELDOM, among=rest)
        below = [name for name in rest if (high := gaps[name].high) is not None and high < 0]
        groups.append([name for name in rest if name not in below])
        rest = below
    return groups


def _list_sides(debates: Sequence[SidedDebate]) -> list[SideShare]:
    """Return which side rulings found for; empty where all say which was shown first."""
    rulings = [*list_rulings(debates)]
    if all(ruling.first for *_, ruling in rulings):
        return []
    jurors = sorted({juror for juror, *_ in rulings})
    own = [
        _share_sides(juror, [(each.motion, r) for name, each, r in rulings if name == juror])
        for juror in jurors
    ]
    every = _share_sides("all", [(each.motion, ruling) for _, each, ruling in rulings])
    return [every, *(own if len(own) > 1 else [])]


def _share_sides(juror: str, rulings: Sequence[tuple[Motion, MatchRuling]]) -> SideShare:
    won = [(motion, float(r.winner == "PRO")) for motion, r in rulings if r.winner != TIE]
    return SideShare(juror=juror, rulings=len(rulings), pro=_share(won))


def _judge(match: LeagueMatch, score: float) -> Judgement:
    return "/".join(match.motion), match.one, match.other, (find_sign(score) + 1) / 2


def _rate(
    player: str, rated: Iterable[tuple[LeagueMatch, float]], strength: Mean | None
) -> PlayerRating:
    own = [
        (each.motion, score if each.one == player else -score)
        for each, score in rated
        if player in {each.one, each.other}
    ]
    signs = Counter(find_sign(score) for _, score in own)
    margin = average_margins(own)
    return PlayerRating(
        player=player,
        rating=_scale(strength, len(own)) if strength else Mean(n=len(own)),
        margin=margin,
        won=signs[1],
        drawn=signs[0],
        lost=signs[-1],
    )


def _scale(strength: Mean, matches: int) -> Mean:
    """Return a strength as a rating."""
    ends = [
        None if each is None else EVEN_RATING + SCALE * each
        for each in (strength.mean, strength.low, strength.high)
    ]
    return Mean(mean=ends[0], low=ends[1], high=ends[2], n=matches, questions=strength.questions)


def average_margins(margins: Iterable[tuple[Motion, float]]) -> Mean:
    """Return the mean margin of motions, with its 95 % interval by Student's t over motions."""
    by_motion: dict[Motion, list[float]] = {}
    for motion, margin in margins:
        by_motion.setdefault(motion, []).append(margin)
    means = [fmean(own) for own in by_motion.values()]
    if not means:
        return Mean()
    mean, reach = fmean(means), reach_of_mean(means)
    ends: tuple[float | None, float | None] = None, None
    if reach is not None:
        ends = max(-MOST_MARGIN, mean - reach), min(MOST_MARGIN, mean + reach)
    elif len(means) > 1:
        clusters = [Cluster(each, 1) for each in means]
        ends = interval(clusters, bounds=(-MOST_MARGIN, MOST_MARGIN)) or ends
    many = sum(map(len, by_motion.values()))
    return Mean(mean=mean, low=ends[0], high=ends[1], n=many, questions=len(means))


def _list_jurors(debates: Sequence[SidedDebate], factors: Mapping[str, float]) -> list[JurorRecord]:
    """Return the record of all jurors, then of each; p is corrected for each of several."""
    named = sorted({juror for each in debates for juror in each.rulings})
    every = _record("all", debates, named, 1.0)
    own = [_record(juror, debates, [juror], factors.get(juror, 1.0)) for juror in named]
    for field in ("first", "pro"):
        own = correct_by_holm(own, field)
    return [every, *(own if len(own) > 1 else [])]


def _record(
    name: str, debates: Sequence[SidedDebate], jurors: Sequence[str], factor: float
) -> JurorRecord:
    rulings = [
        (each.motion, ruling) for juror, each, ruling in list_rulings(debates) if juror in jurors
    ]
    every = sum(juror in jurors for each in debates for juror in each.rulings)
    sizes = [abs(ruling.margin_of("PRO")) for _, ruling in rulings]
    return JurorRecord(
        juror=name,
        read=len(rulings),
        unread=every - len(rulings),
        size=fmean(sizes) if sizes else None,
        factor=factor,
        first=_measure_effect(
            [(motion, ruling) for motion, ruling in rulings if ruling.first],
            lambda ruling: ruling.margin_of(ruling.first),
        ),
        pro=_measure_effect(rulings, lambda ruling: ruling.margin_of("PRO")),
    )


def _measure_effect(
    rulings: Iterable[tuple[Motion, MatchRuling]], margin: Callable[[MatchRuling], float]
) -> MarginEffect:
    margins = [(motion, margin(ruling)) for motion, ruling in rulings]
    found = average_margins(margins)
    sums: dict[Motion, list[float]] = {}
    for motion, each in margins:
        sums.setdefault(motion, []).append(each)
    p = sign_flip([Cluster(fmean(own), 1) for own in sums.values()]) if sums else None
    return MarginEffect(margin=found, p=p)


def _list_pairs(matches: Sequence[LeagueMatch], jurors: Iterable[str]) -> list[JurorPair]:
    """Return how often each two jurors agree on a match, then how often any two do."""
    every: list[tuple[Motion, float]] = []
    pairs = []
    for one, other in combinations(sorted(jurors), 2):
        own = []
        for each in matches:
            found = each.judge_alone(one), each.judge_alone(other)
            if None not in found:
                own.append((each.motion, float(found[0] == found[1])))
        if own:
            pairs.append(JurorPair(one=one, other=other, agree=_share(own)))
            every += own
    if len(pairs) > 1:
        pairs.insert(0, JurorPair(one="any", other="any other", agree=_share(every)))
    return pairs


def _share(agreed: Iterable[tuple[Motion, float]]) -> Mean:
    clusters: dict[Motion, Cluster] = {}
    for motion, each in agreed:
        total, size = clusters.get(motion, Cluster(0.0, 0))
        clusters[motion] = Cluster(total + each, size + 1)
    return mean_within_bounds(clusters.values())


def _link(rated: Iterable[tuple[LeagueMatch, float]]) -> list[list[str]]:
    """Return the groups of players between which no match goes."""
    groups: list[set[str]] = []
    for each, _ in rated:
        met = {each.one, each.other}
        joined = [group for group in groups if group & met]
        groups = [group for group in groups if not group & met] + [met.union(*joined)]
    return [sorted(group) for group in groups]
