"""The transfer of settings in tables: domains first, then each dataset and what was chosen."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from moot.analyses.analysis import analysis
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.transfer import FOLDS, Transfer, TransferScores, measure_transfer
from moot.analyses.transfer_chart import chart_transfer
from moot.core.display_text import format_interval, format_percent, format_things
from moot.core.errors import InputError
from moot.core.results import Mean
from moot.core.table import Column, Report, ResultTable, TableRow, make_columns

ACCURACIES = {
    "average": "average",
    "best": "best",
    "folds": "other folds",
    "same_domain": "same domain",
    "other_domain": "other domain",
}
"""The headings of the accuracies, by their attributes of ``TransferScores``."""
GAPS = {"tuning": "choosing gains", "transfer": "another domain costs"}
"""The same of the differences."""


@analysis(
    source="arXiv:2311.17371, section 3, figure 3",
    group="accuracy",
    needs=("accuracy",),
    name="transfer",
    place=50,
    draws=True,
)
def analyse_transfer(
    runs: RecordedRuns,
    *,
    folds: Annotated[int, Meta(ge=2, description="parts the questions are dealt into")] = FOLDS,
    seed: Annotated[int, Meta(description="seed of the dealing")] = 0,
    domain: Annotated[
        tuple[str, ...],
        Meta(
            description="NAME=DATASET,DATASET: datasets that belong together; may be repeated; "
            "without any, medical and other"
        ),
    ] = (),
) -> Report:
    """Choose each protocol's best method on some questions, and score it on others.

    Others are the rest of the dataset, fold by fold; the domain's other datasets; or those of
    other domains.
    """
    found = measure_transfer(
        runs.values,
        arms=runs.arms,
        run=runs.key,
        name=runs.name,
        simulated=bool(runs.simulated),
        domains=_read_domains(domain),
        folds=folds,
        seed=seed,
    )
    return tabulate_transfer(found)._replace(
        charts=tuple(chart_transfer(found)), data=found, findings=tuple(_findings(found))
    )


def _findings(found: Transfer) -> Iterator[str]:
    """Yield what choosing gains and what another domain costs, of each protocol in each domain."""
    measured = [
        (each, words, gap)
        for each in found.overall
        for words, gap in (
            ("choosing on other folds gains", each.tuning),
            ("choosing in another domain costs", each.transfer),
        )
        if gap.mean is not None
    ]
    clear = [(each, words, gap) for each, words, gap in measured if _leaves_out_zero(gap)]
    if measured and all(gap.low is None for _, _, gap in measured):
        yield "These runs can show nothing: there are too few questions for an interval."
    for each, words, gap in clear:
        yield (
            f"{each.protocol} in {each.domain}: {words} {format_percent(gap.mean, sign=True)} "
            f"points (95 % interval {format_interval(gap.low, gap.high, sign=True)}; "
            f"n = {format_things(gap.questions, 'question')})."
        )
    if rest := len(measured) - len(clear):
        widths = [
            (gap.high - gap.low) / 2
            for _, _, gap in measured
            if gap.low is not None and gap.high is not None
        ]
        reach = (
            f"; intervals reach {format_percent(max(widths))} points to each side" if widths else ""
        )
        yield f"{rest} of {format_things(len(measured), 'difference')} not told from 0{reach}."
    if clear:
        yield (
            "Intervals are not corrected for how many there are: of "
            f"{format_things(len(measured), 'difference')} without any effect, "
            f"{len(measured) / 20:.1f} leave out 0 by chance."
        )


def _leaves_out_zero(gap: Mean) -> bool:
    return gap.low is not None and gap.high is not None and (gap.low > 0 or gap.high < 0)


def _read_domains(given: Iterable[str]) -> dict[str, list[str]]:
    """Return the datasets of each domain. Raises ``InputError`` for what names none."""
    named: dict[str, list[str]] = {}
    for each in given:
        name, _, members = each.partition("=")
        found = [member.strip() for member in members.split(",") if member.strip()]
        if not name.strip() or not found:
            raise InputError(f"domain {each}: write NAME=DATASET,DATASET")
        named.setdefault(name.strip(), []).extend(found)
    return named


def tabulate_transfer(found: Transfer) -> Report:
    """Put into tables the means over each domain, then each dataset and what was chosen."""
    datasets = format_things(len({each.dataset for each in found.datasets}), "dataset")
    return Report(
        title=f"Transfer of settings: {found.name}",
        about=f"{found.run}: {datasets} in {format_things(len(found.domains), 'domain')}",
        tables=[*_domain_tables(found), *_dataset_tables(found)],
        notes=tuple(_notes(found)),
        simulated=found.simulated,
    )


def _domain_tables(found: Transfer) -> Iterator[ResultTable]:
    """Yield for each domain its accuracies, then for all what choosing gains and costs."""
    for domain, datasets in found.domains.items():
        own = [each for each in found.overall if each.domain == domain]
        known = _find_headings(ACCURACIES, own)
        yield ResultTable(
            f"{domain}: {', '.join(datasets)}",
            (Column("protocol"), *make_columns("percent", *known.values())),
            [TableRow([f"{each.protocol} ({each.arms})", *_means(each, known)]) for each in own],
        )
    if gaps := _find_headings(GAPS, found.overall):
        yield ResultTable(
            "What is gained and lost",
            (*make_columns("text", "domain", "protocol"), *make_columns("points", *gaps.values())),
            [TableRow([each.domain, each.protocol, *_means(each, gaps)]) for each in found.overall],
        )


def _dataset_tables(found: Transfer) -> Iterator[ResultTable]:
    """Yield the accuracies on each dataset, and which settings were chosen for it."""
    known = _find_headings(ACCURACIES, found.datasets)
    where = make_columns("text", "dataset", "protocol")
    yield ResultTable(
        "Each dataset",
        (*where, Column("questions", "count"), *make_columns("percent", *known.values())),
        [
            TableRow(
                [each.dataset, each.protocol, each.average.questions, *_means(each, known)],
            )
            for each in found.datasets
        ],
        wide=True,
    )
    chosen = [name for name in known if name != "average"]
    yield ResultTable(
        "What was chosen",
        (*where, *make_columns("text", *(known[name] for name in chosen))),
        [
            TableRow([each.dataset, each.protocol, *(_choices(each, name) for name in chosen)])
            for each in found.datasets
        ],
        wide=True,
    )


def _find_headings(headings: Mapping[str, str], found: Sequence[TransferScores]) -> dict[str, str]:
    """Return the headings of what is known of any."""
    return {
        name: heading
        for name, heading in headings.items()
        if any(getattr(each, name).mean is not None for each in found)
    }


def _means(each: TransferScores, names: Iterable[str]) -> list[Mean]:
    return [getattr(each, name) for name in names]


def _choices(each: TransferScores, name: str) -> str:
    """Return the arms chosen, without the protocol's name; with how often, if there are several."""
    chosen = each.chosen.get(name, {})
    short = {arm: arm.removeprefix(each.protocol).strip() or arm for arm in chosen}
    if len(chosen) == 1:
        return short.popitem()[1]
    return "; ".join(f"{times} × {short[arm]}" for arm, times in chosen.items()) or "–"


def _notes(found: Transfer) -> Iterator[str]:
    """Yield what a reader must know to read the figures."""
    yield "Accuracies in %, with 95 % intervals over questions."
    yield "In brackets: how many variants the protocol has. Average: of all of them."
    yield "Best: of the method that is best on these very questions, which is too good by chance."
    yield f"Other folds: chosen on {found.folds - 1} of {found.folds} parts, scored on the last."
    if any(each.same_domain.mean is not None for each in found.datasets):
        yield "Same domain: chosen on the other datasets of the domain."
    if any(each.other_domain.mean is not None for each in found.datasets):
        yield "Other domain: chosen on the datasets of all other domains."
    yield "Choosing gains: other folds minus average."
    if any(each.transfer.mean is not None for each in found.datasets):
        yield "Another domain costs: same domain minus other domain."
