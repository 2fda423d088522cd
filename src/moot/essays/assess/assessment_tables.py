"""The measures and judgements of the essays of a run, in tables."""

from collections.abc import Iterable, Iterator, Sequence

from moot.core.display_text import on_one_line
from moot.core.results import Mean
from moot.core.table import Column, Report, ResultTable, TableRow, make_columns
from moot.essays.assess.arm_measures import ArmEssays, Gap
from moot.essays.assess.assessment import Assessment, Verdicts
from moot.essays.assess.assessment_notes import notes
from moot.essays.assess.preference import Strength, WinRate

SHOWN = {
    "self-bleu": ("S-BLEU", 1),
    "self-embedding": ("S-Emb", 100),
    "perspective": ("Pers.", 100),
    "words": ("words", 1),
    "repetition": ("repeated %", 100),
}
"""The heading of each measure, and the factor by which it is shown."""

ABOUT = (
    "S-BLEU, S-Emb and Pers.: how alike essays of one arm on one proposition are in words, meaning "
    "and points; 100: all the same; lower is more diverse. Words and the share of repeated runs "
    "of four words: the mean of an essay. 95 % intervals over propositions, where there are two."
)
DIFFERENCES = (
    "The arm minus the baseline, on the propositions of both. p: of changes of sign, proposition "
    "by proposition; corrected by Holm for all arms of a dataset."
)
RATES = (
    "Won: the share of comparisons with the other arms' essays in which the arm's is preferred, in "
    "%, a tie half. Strength: of Bradley and Terry, 0 for an even arm; stronger by 1 wins 73 %."
)
PAIRS = (
    "Won: by the arm named first, in %, a tie half. p: of changes of sign, proposition by "
    "proposition; corrected by Holm for all pairs of the aspect."
)
ORDERS = (
    "Agree: pairs of essays judged alike in both orders, in %. First: what is shown first is "
    "preferred, in % of comparisons that are no tie; 50 where places do not matter."
)


def tabulate_essays(found: Assessment) -> Report:
    """Put every measure of the essays of a run, and every comparison of them, into tables."""
    made = [*_measures(found), *_differences(found)]
    if found.judged is not None:
        made += [*_rates(found.judged), *_pairs(found.judged), _orders(found.judged)]
    return Report(
        title=f"Essays: {found.name}",
        about=f"{found.run}: the essays of {found.name}",
        tables=[table for table in made if table.rows],
        notes=tuple(notes(found)),
        simulated=found.simulated,
    )


def _measures(found: Assessment) -> Iterator[ResultTable]:
    """Yield a table 1 for each dataset, with the length and repetition of the essays beside it."""
    note = ABOUT
    for dataset in _datasets(found.arms):
        own = [arm for arm in found.arms if arm.dataset == dataset]
        names = [name for name in SHOWN if any(name in arm.measures for arm in own)]
        yield ResultTable(
            f"{on_one_line(dataset)}: essays",
            (
                Column("arm"),
                Column("n", "count"),
                *(Column(SHOWN[name][0], "number", 1) for name in names),
            ),
            [
                TableRow(
                    [_name_arm(arm, found), arm.essays, *(_measure(arm, name) for name in names)],
                    marked=arm.arm == found.baseline,
                )
                for arm in own
            ],
            note,
        )
        note = ""  # once is enough


def _differences(found: Assessment) -> Iterator[ResultTable]:
    note = DIFFERENCES
    for dataset in _datasets(found.arms):
        rows = [
            TableRow(
                [
                    _name_arm(arm, found),
                    SHOWN[name][0],
                    _times(gap, SHOWN[name][1]),
                    gap.p,
                    gap.p_holm,
                    gap.propositions,
                ]
            )
            for arm in found.arms
            if arm.dataset == dataset
            for name, got in arm.measures.items()
            if (gap := got.difference) is not None
        ]
        yield ResultTable(
            f"{on_one_line(dataset)}: against {on_one_line(str(found.baseline))}",
            (
                *make_columns("text", "arm", "measure"),
                Column("difference", "signed", 1),
                *make_columns("p", "p", "p Holm"),
                Column("propositions", "count"),
            ),
            rows,
            note,
        )
        note = ""


def _rates(judged: Verdicts) -> Iterator[ResultTable]:
    strengths = {(each.aspect, each.arm): each for each in judged.strengths}
    note = RATES
    for aspect, own in _by_aspect(judged.rates):
        yield ResultTable(
            f"Judged by {aspect}",
            (
                Column("arm"),
                Column("won %", "percent"),
                Column("strength", "signed", 2),
                *make_columns("count", "won", "tied", "lost", "left out"),
            ),
            [
                TableRow(
                    [
                        on_one_line(each.arm),
                        each.rate,
                        _strength(strengths.get((aspect, each.arm))),
                        *(each.won, each.tied, each.lost, each.unread),
                    ]
                )
                for each in own
            ],
            note,
        )
        note = ""


def _pairs(judged: Verdicts) -> Iterator[ResultTable]:
    note = PAIRS
    for aspect, own in _by_aspect(judged.pairs):
        yield ResultTable(
            f"Judged by {aspect}, pair by pair",
            (
                *make_columns("text", "arm", "against"),
                Column("won %", "percent"),
                *make_columns("count", "won", "tied", "lost"),
                *make_columns("p", "p", "p Holm"),
            ),
            [
                TableRow(
                    [
                        on_one_line(each.arm),
                        on_one_line(each.against or ""),
                        *(each.rate, each.won, each.tied, each.lost, each.p, each.p_holm),
                    ]
                )
                for each in own
            ],
            note,
        )
        note = ""


def _orders(judged: Verdicts) -> ResultTable:
    return ResultTable(
        "Whether the order matters",
        (
            Column("aspect"),
            *make_columns("percent", "agree %", "first %"),
            Column("p", "p"),
            *make_columns("count", "pairs", "first twice", "second twice"),
        ),
        [
            TableRow(
                [
                    each.aspect,
                    *(each.agreement, each.first, each.p),
                    *(each.pairs, each.to_first, each.to_second),
                ]
            )
            for each in judged.orders
        ],
        ORDERS,
    )


def _datasets(arms: Sequence[ArmEssays]) -> list[str]:
    return list(dict.fromkeys(arm.dataset for arm in arms))


def _name_arm(arm: ArmEssays, found: Assessment) -> str:
    """Return an arm's name; it says that the arm is simulated where others of the run are not."""
    mixed = arm.simulated and not all(each.simulated for each in found.arms)
    return f"{on_one_line(arm.arm)}{' (simulated)' if mixed else ''}"


def _by_aspect(rates: Iterable[WinRate]) -> list[tuple[str, list[WinRate]]]:
    grouped: dict[str, list[WinRate]] = {}
    for each in rates:
        grouped.setdefault(each.aspect, []).append(each)
    return list(grouped.items())


def _measure(arm: ArmEssays, name: str) -> Mean | None:
    got = arm.measures.get(name)
    return None if got is None else _times(got.mean, SHOWN[name][1])


def _strength(each: Strength | None) -> Mean | None:
    if each is None or each.strength is None:
        return None
    return Mean(mean=each.strength, low=each.low, high=each.high)


def _times(got: Mean | Gap, factor: float) -> Mean:
    """Multiply a mean or a difference with its interval."""
    ends = (None if each is None else factor * each for each in (got.mean, got.low, got.high))
    mean, low, high = ends
    return Mean(mean=mean, low=low, high=high)
