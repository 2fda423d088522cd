"""The analysis of what raters made of essays: scores from rankings, and how far raters agree.

Source: "Debate-to-Write", section 4.2, table 2 and appendix B.2: raters rank the essays of several
arms on one proposition, ties allowed; a rank becomes a score by its place from the bottom.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from moot import (
    Axis,
    Chart,
    Column,
    InputError,
    NothingToAnalyse,
    RecordedRuns,
    Report,
    ResultTable,
    TableRow,
    analysis,
)
from moot.contrib.essays.assess.essay_charts import draw_measures
from moot.contrib.essays.rate.rankings import ComparedItem, Rankings, RecordedChoice
from moot.contrib.essays.rate.rater_agreement import alpha_of_items
from moot.extend.analyses import Cluster, Mean, make_columns, mean_within_bounds
from moot.extend.words import format_things, on_one_line

SCORES = (
    "Score: the mean place from the bottom, 1 to the number of essays compared; tied essays share "
    "the best of their places. First: ranked first, alone or tied. With 95 % intervals over "
    "propositions, where there are two."
)
AGREEMENT = (
    "Alpha: Krippendorff's, ordinal, of the scores of essays on propositions that two raters or "
    "more ranked, which alone count there; 1 is full agreement, 0 that of chance."
)
TOLD = (
    "Raters were told two things that the paper's were not: to judge the essays and not their own "
    "opinion on the matter, and to pay no heed to length by itself."
)


class Ranking(NamedTuple):
    """How one rater ordered the essays on one proposition.

    Attributes:
        rater: the rater, by any name.
        item: what was shown: the proposition, and which essays on it.
        aspect: by what, e.g. ``"persuasiveness"``.
        places: each arm's place, lower is better, equal for a tie. Only their order counts.
    """

    rater: str
    item: ComparedItem
    aspect: str
    places: dict[str, int]

    @property
    def scores(self) -> dict[str, int]:
        """The score of each arm: the number of essays, minus the place, plus 1 (B.2).

        Essays that are tied share the best of the places they take up: of three, the places 1, 1, 3
        give 3, 3, 1, and three that are all alike 3 each. Table 2 of the paper is only possible so:
        its mean scores of three arms sum to more than 6.
        """
        places = self.places.values()
        return {arm: sum(other >= own for other in places) for arm, own in self.places.items()}


@analysis(
    source="Debate-to-Write, table 2 and appendix B.2",
    group="essays",
    place=61,
    draws=True,
    tried=True,
)
def essay_rankings(runs: RecordedRuns) -> Report:
    """Tell how people ranked the essays of each method, and how far they agree.

    People rank them on the pages of "moot judge RUN". Methods that are chosen are taken as if no
    other had been ranked.
    """
    tables: list[ResultTable] = []
    charts: list[Chart] = []
    ranked, partial = list[Ranking](), 0
    for row, study in zip(runs.rows, runs.studies, strict=True):
        arms = [arm.name for arm in study.arms]
        if len(arms) == 1:
            raise InputError(f"run {row.key}: {arms[0]} alone has no rank: name two arms or more")
        whole, parts = make_rankings(Rankings(runs.lab.store).choices_about(row.id), arms)
        ranked, partial = [*ranked, *whole], partial + parts
        for dataset in dict.fromkeys(each.item.dataset for each in whole):
            where = f"{dataset}, {row.key}" if len(runs.rows) > 1 else dataset
            own = [each for each in whole if each.item.dataset == dataset]
            tables += [tabulate_scores(where, own, arms), tabulate_agreement(where, own)]
            charts.append(chart_scores(where, own, arms))
    if not ranked:
        some = " but parts of some" if partial else ""
        raise NothingToAnalyse(
            f"run {runs.key}: nobody has ranked its essays yet{some}; moot judge "
            f"{runs.rows[0].key} gives raters the page to do so"
        )
    items = format_things(len({each.item for each in ranked}), "proposition")
    raters = format_things(len({each.rater for each in ranked}), "rater")
    begun = format_things(partial, "ranking")
    unfinished = f"{begun} only begun, in which some essay has no place, count nowhere."
    return Report(
        title=f"Essays ranked by people: {runs.name}",
        about=f"{runs.key}: {format_things(len(ranked), 'ranking')} of {items} by {raters}",
        tables=tables,
        charts=tuple(charts),
        notes=(TOLD, *([unfinished] if partial else [])),
    )


def make_rankings(
    entered: Iterable[RecordedChoice], arms: Sequence[str]
) -> tuple[list[Ranking], int]:
    """Return the rankings that were entered whole, by the last place of each essay.

    A ranking is whole once as many essays have a place as the rater compared when entering the
    last one. It stands where its last place was entered.

    Args:
        entered: all places, in the order in which they were entered.
        arms: only these, as if no other had been ranked.

    Returns:
        The rankings, and how many were only begun.
    """
    places: dict[tuple[str, ComparedItem, str], dict[str, int]] = {}
    wanted: dict[tuple[str, ComparedItem, str], int] = {}
    for each in entered:
        choice = each.choice
        key = each.rater, choice.item, choice.aspect
        places[key] = {**places.pop(key, {}), choice.arm: choice.place}
        wanted[key] = choice.essays
    whole = {key: given for key, given in places.items() if len(given) >= wanted[key]}
    chosen = {
        key: {arm: place for arm, place in given.items() if arm in arms}
        for key, given in whole.items()
    }
    found = [Ranking(*key, given) for key, given in chosen.items() if len(given) > 1]
    return found, len(places) - len(whole)


def by_aspect(rankings: Iterable[Ranking]) -> dict[str, list[Ranking]]:
    """Return the rankings by aspect, in the order of their first."""
    found: dict[str, list[Ranking]] = defaultdict(list)
    for each in rankings:
        found[each.aspect].append(each)
    return found


def tabulate_scores(dataset: str, rankings: Sequence[Ranking], arms: Sequence[str]) -> ResultTable:
    """Return table 2: of each arm and aspect the mean score, and how often it is ranked first."""
    aspects = by_aspect(rankings)
    return ResultTable(
        f"{on_one_line(dataset)}: ranked by people",
        (
            Column("arm", head="method"),
            *(
                column
                for aspect in aspects
                for column in (
                    Column("score", "number", 2, group=aspect.capitalize()),
                    Column("first %", "percent", group=aspect.capitalize()),
                )
            ),
            Column("rankings", "count"),
        ),
        [
            TableRow(
                [
                    on_one_line(arm),
                    *(mean for own in aspects.values() for mean in score_arm(own, arm)),
                    sum(arm in each.places for each in rankings),
                ]
            )
            for arm in arms
            if any(arm in each.places for each in rankings)
        ],
        SCORES,
    )


def chart_scores(dataset: str, rankings: Sequence[Ranking], arms: Sequence[str]) -> Chart:
    """Return the picture of table 2: the mean scores of the arms, a panel for each aspect."""
    known = [arm for arm in arms if any(arm in each.places for each in rankings)]
    means = {
        aspect: [score_arm(own, arm)[0] for arm in known]
        for aspect, own in by_aspect(rankings).items()
    }
    axis = Axis("value", "mean score: more is better", ends=(1, len(known)))
    return draw_measures(on_one_line(dataset), "rankings", axis, known, means)


def score_arm(rankings: Sequence[Ranking], arm: str) -> tuple[Mean, Mean]:
    """Return the mean score of an arm, and the share of rankings in which it is first."""
    scores: dict[ComparedItem, list[int]] = defaultdict(list)
    first: dict[ComparedItem, list[int]] = defaultdict(list)
    for each in rankings:
        if arm in each.places:
            scores[each.item].append(each.scores[arm])
            first[each.item].append(each.places[arm] == min(each.places.values()))
    most = max((len(each.places) for each in rankings), default=1)
    given, firsts = (
        [Cluster(float(sum(own)), len(own)) for own in by_item.values()]
        for by_item in (scores, first)
    )
    return mean_within_bounds(given, (1.0, float(most))), mean_within_bounds(firsts)


def tabulate_agreement(dataset: str, rankings: Sequence[Ranking]) -> ResultTable:
    """Return how far raters agree on each aspect: Krippendorff's alpha with its interval."""
    rows = []
    for aspect, own in by_aspect(rankings).items():
        items: dict[ComparedItem, list[Mapping[str, int]]] = defaultdict(list)
        for each in own:
            items[each.item].append(each.scores)
        shared = [scores for scores in items.values() if len(scores) > 1]
        counts = len({each.rater for each in own}), len(shared), sum(map(len, shared))
        rows.append(TableRow([aspect, alpha_of_items(shared), *counts]))
    return ResultTable(
        f"{on_one_line(dataset)}: agreement of the raters",
        (
            Column("aspect"),
            Column("alpha", "number", 2),
            *make_columns("count", "raters", "propositions", "rankings"),
        ),
        rows,
        AGREEMENT,
    )
