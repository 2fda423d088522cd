"""What raters made of the essays of a run: scores from rankings, and how far they agree.

Source: "Debate-to-Write", section 4.2, table 2 and appendix B.2: raters rank the essays of several
arms on one proposition, ties allowed; a rank becomes a score by its place from the bottom.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from moot import InputError
from moot.core.results import Mean
from moot.core.stored import RunRow
from moot.essays.rate.rater_agreement import alpha_of_items
from moot.essays.run_essays import parse_arms
from moot.ledger.rankings import ComparedItem, RecordedChoice
from moot.ledger.sqlite_store import Store
from moot.statistics.accuracies import mean_with_interval
from moot.statistics.intervals import RESAMPLES, SEED, Cluster, interval, mean
from moot.studies.study_run import read_study


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """How one rater ordered the essays on one proposition.

    Attributes:
        rater: the rater, by any name.
        item: what was shown: the proposition, and which essays on it if there were several sets.
        aspect: by what, e.g. ``"persuasiveness"``.
        places: each arm's place, lower is better, equal for a tie. Only their order counts.
    """

    rater: str
    item: str
    aspect: str
    places: dict[str, int]


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What raters made of one arm.

    Attributes:
        aspect: by what.
        arm: whose essays.
        score: the mean of its scores, 1 to the number of essays ranked together; over items.
        first: the share of rankings in which it is first, alone or tied; over items.
        rankings: in which it is ranked.
    """

    aspect: str
    arm: str
    score: Mean
    first: Mean
    rankings: int


class RaterAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far raters agree on one aspect.

    Attributes:
        aspect: by what.
        alpha: Krippendorff's, ordinal, of the scores.
        low: the lower end of its 95 % interval over items, as ``high``; see ``alpha_of_items``.
        raters: those who ranked anything.
        items: ranked by two raters or more, who alone count.
        rankings: of these items.
    """

    aspect: str
    alpha: float | None
    low: float | None
    high: float | None
    raters: int
    items: int
    rankings: int


class HumanScores(msgspec.Struct, frozen=True, kw_only=True):
    """What raters made of the essays of one run.

    Attributes:
        run: its key.
        name: of its study.
        simulated: whether some arm's essays are of no language model.
        scores: of every arm by every aspect.
        agreements: how far raters agree, by aspect.
        raters: those who ranked at least one item.
        items: propositions that were ranked.
        rankings: of an item by a rater for an aspect, with a place for every essay.
        partial: those begun in which some essay has no place yet; they count nowhere.
    """

    run: str
    name: str
    simulated: bool
    scores: tuple[Score, ...]
    agreements: tuple[RaterAgreement, ...]
    raters: int
    items: int
    rankings: int
    partial: int


def read_scores(store: Store, row: RunRow, *, arms: Sequence[str] = ()) -> HumanScores:
    """Return the scores of a run's arms, and how far raters agree, from all rankings so far.

    Args:
        store: which has the run.
        row: the run.
        arms: only these, as if no other had been ranked, see ``parse_arms``; every one if not
            given.

    Raises:
        InputError: there is no whole ranking, or it is a single arm.
        UnknownName: one of ``arms`` is not in the run.
    """
    study = read_study(row)
    arms = parse_arms(arms, [arm.name for arm in study.arms], where=f"run {row.key}")
    if len(arms) == 1:
        raise InputError(f"run {row.key}: {arms[0]} alone has no rank: name two arms or more")
    whole, partial = make_rankings(store.rankings.choices_about(row.id), arms=arms)
    if not whole:
        begun = " but parts of some" if partial else ""
        raise InputError(
            f"run {row.key}: nobody has ranked its essays yet{begun}; moot judge {row.key} gives "
            "raters the page to do so"
        )
    ranked = {arm for each in whole for arm in each.places}
    return HumanScores(
        run=row.key,
        name=row.name,
        simulated=not ranked.isdisjoint(study.simulated),
        scores=tuple(score_arms(whole)),
        agreements=tuple(measure_agreement(whole)),
        raters=len({each.rater for each in whole}),
        items=len({each.item for each in whole}),
        rankings=len(whole),
        partial=partial,
    )


class _Key(NamedTuple):
    rater: str
    item: ComparedItem
    aspect: str


def make_rankings(
    entered: Iterable[RecordedChoice], *, arms: Sequence[str] = ()
) -> tuple[list[Ranking], int]:
    """Return the rankings that were entered whole, by the last place of each essay.

    A ranking is whole once as many essays have a place as the rater compared when entering the
    last one. It stands where its last place was entered.

    Args:
        entered: all places, in the order in which they were entered.
        arms: only these; every one if not given.

    Returns:
        The rankings, and how many were only begun.
    """
    places: dict[_Key, dict[str, int]] = {}
    wanted: dict[_Key, int] = {}
    for each in entered:
        choice = each.choice
        key = _Key(each.rater, choice.item, choice.aspect)
        places[key] = {**places.pop(key, {}), choice.arm: choice.place}
        wanted[key] = choice.essays
    found, partial = list[Ranking](), 0
    for key, given in places.items():
        chosen = {arm: place for arm, place in given.items() if not arms or arm in arms}
        if len(given) < wanted[key]:
            partial += 1
        elif len(chosen) > 1:
            name = "\0".join(map(str, key.item))
            found.append(Ranking(rater=key.rater, item=name, aspect=key.aspect, places=chosen))
    return found, partial


def score_places(places: Mapping[str, int]) -> dict[str, int]:
    """Return scores from one ranking: the number of essays, minus the place, plus 1 (B.2).

    Essays that are tied share the best of the places they take up: of three, the places 1, 1, 3
    give 3, 3, 1, and three that are all alike 3 each. Table 2 of the paper is only possible so: its
    mean scores of three arms sum to more than 6.
    """
    return {arm: sum(other >= own for other in places.values()) for arm, own in places.items()}


def _by_aspect(rankings: Iterable[Ranking]) -> dict[str, list[Ranking]]:
    """Return the rankings that count by aspect: a rater's last of each item by each aspect."""
    aspects = dict.fromkeys(each.aspect for each in rankings)
    last = {(each.rater, each.item, each.aspect): each for each in rankings}.values()
    return {aspect: [each for each in last if each.aspect == aspect] for aspect in aspects}


def score_arms(rankings: Sequence[Ranking]) -> list[Score]:
    """Return one score for each arm and aspect: the mean of the points of ``score_places``.

    The aspects are in order of their first ranking; within an aspect the highest score is first.

    Args:
        rankings: of any aspects, in the order in which they were made. Where a rater ranked an item
            twice by one aspect, only the last ranking counts.
    """
    found = []
    for aspect, every in _by_aspect(rankings).items():
        own = [each for each in every if each.places]
        arms = sorted({arm for each in own for arm in each.places})
        most = max((len(each.places) for each in own), default=1)
        made = [_score(aspect, arm, own, most) for arm in arms]
        found += sorted(made, key=lambda each: -(each.score.mean or 0.0))
    return found


def _score(aspect: str, arm: str, rankings: Sequence[Ranking], most: int) -> Score:
    by_item: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for each in rankings:
        if arm in each.places:
            best = each.places[arm] == min(each.places.values())
            by_item[each.item].append((score_places(each.places)[arm], best))
    given = [Cluster(float(sum(s for s, _ in own)), len(own)) for own in by_item.values()]
    first = [Cluster(float(sum(b for _, b in own)), len(own)) for own in by_item.values()]
    low, high = interval(given, bounds=(1.0, float(most))) or (None, None)
    n = sum(size for _, size in given)
    score = Mean(mean=mean(given), low=low, high=high, n=n, questions=len(given))
    return Score(aspect=aspect, arm=arm, score=score, first=mean_with_interval(first), rankings=n)


def measure_agreement(
    rankings: Sequence[Ranking], *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[RaterAgreement]:
    """Return the agreement of raters on each aspect: Krippendorff's alpha with its interval.

    Args:
        rankings: of any aspects, in the order in which they were made; see ``score_arms``. A rater
            need not have ranked every item.
        resamples: how many times items are drawn for the interval.
        seed: of the draws.
    """
    found = []
    for aspect, own in _by_aspect(rankings).items():
        items: dict[str, list[dict[str, int]]] = defaultdict(list)
        for each in own:
            items[each.item].append(score_places(each.places))
        shared = [scores for scores in items.values() if len(scores) > 1]
        alpha, low, high = alpha_of_items(shared, resamples=resamples, seed=seed)
        found.append(
            RaterAgreement(
                aspect=aspect,
                alpha=alpha,
                low=low,
                high=high,
                raters=len({each.rater for each in own}),
                items=len(shared),
                rankings=sum(map(len, shared)),
            )
        )
    return found


class EnteredPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A place as it was entered, as a row of a table.

    Attributes:
        rater: the name that the rater gave or was given.
        shown: as which of the item's essays the rater saw it, from 1.
        essays: how many were compared.
        time: when it was entered, UTC, in ISO 8601.
        counts: whether it is the rater's last of this essay and aspect.
    """

    rater: str
    dataset: str
    item: str
    replicate: int
    aspect: str
    arm: str
    place: int
    shown: int
    essays: int
    time: str
    counts: bool


def list_places(entered: Sequence[RecordedChoice]) -> Iterator[EnteredPlace]:
    """Yield everything that was entered, as rows, in that order."""
    last = {
        (each.rater, each.choice.item, each.choice.aspect, each.choice.arm): number
        for number, each in enumerate(entered)
    }
    counts = set(last.values())
    for number, each in enumerate(entered):
        choice = each.choice
        yield EnteredPlace(
            rater=each.rater,
            dataset=choice.item.dataset,
            item=choice.item.question,
            replicate=choice.item.replicate,
            aspect=choice.aspect,
            arm=choice.arm,
            place=choice.place,
            shown=choice.shown,
            essays=choice.essays,
            time=datetime.fromtimestamp(each.created, UTC).isoformat(timespec="milliseconds"),
            counts=number in counts,
        )
