"""How well settings chosen on some questions serve others (arXiv:2311.17371, section 3, figure 3).

Of the arms of a protocol one is chosen by its accuracy on some questions and scored on others: on
the rest of the same dataset, fold by fold, or on a dataset that had no part in the choice, which is
then taken as given. Intervals are over the questions of the score.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import msgspec

from moot.analyses.domains import domain_of
from moot.analyses.folds import choose_by_folds
from moot.core.errors import InputError
from moot.core.results import Difference, Mean
from moot.core.stored import Arm, DebateValues
from moot.statistics.accuracies import Key, average_means, compare_paired, mean_over_questions

FOLDS = 5

ArmScores = dict[Key, float]
Grid = dict[str, ArmScores]  # by arm of one protocol, on the debates that all of them have


class TransferScores(msgspec.Struct, frozen=True, kw_only=True):
    """The arms of one protocol on one dataset, or on all datasets of a domain.

    Attributes:
        dataset: None for the mean over the datasets of the domain, each counted once.
        arms: how many there are to choose from.
        average: of all arms: nothing is chosen.
        best: of the one that is best on these very questions: too good by what chance adds.
        folds: chosen on the other folds of the dataset, scored on the held-out one, over all folds;
            unknown for a single question.
        same_domain: chosen by the mean accuracy on the other datasets of the domain, if any.
        other_domain: chosen by that on all datasets of other domains, if any.
        tuning: ``folds`` minus ``average``; unknown where there is one arm alone.
        transfer: ``same_domain`` minus ``other_domain``.
        chosen: the arm, by the name of the choice; of folds how many chose it.
    """

    protocol: str
    domain: str
    dataset: str | None
    arms: int
    average: Mean
    best: Mean
    folds: Mean
    same_domain: Mean
    other_domain: Mean
    tuning: Mean
    transfer: Mean
    chosen: dict[str, dict[str, int]] = {}


class Transfer(msgspec.Struct, frozen=True, kw_only=True):
    """The transfer of settings in one run.

    Attributes:
        run: its key.
        name: the study's.
        simulated: True when any arm is.
        folds: into how many parts the questions of a dataset are dealt.
        seed: of the dealing.
        domains: the datasets of each domain.
        overall: by domain, then by protocol.
        datasets: by dataset, then by protocol.
    """

    run: str
    name: str
    simulated: bool
    folds: int
    seed: int
    domains: dict[str, tuple[str, ...]]
    overall: tuple[TransferScores, ...]
    datasets: tuple[TransferScores, ...]


def measure_transfer(
    rows: Iterable[DebateValues],
    *,
    arms: Sequence[Arm],
    run: str = "",
    name: str = "",
    simulated: bool = False,
    domains: Mapping[str, Sequence[str]] | None = None,
    folds: int = FOLDS,
    seed: int = 0,
) -> Transfer:
    """Choose an arm of each protocol in every way, and score it where it was not chosen.

    Arms are compared on the (question, replicate) that all arms of their protocol have. Of several
    that are best, the first of the study is chosen.

    Args:
        rows: one for each debate, failed ones included, in any order.
        arms: those of the study, in its order.
        run: the run's key.
        name: the study's name.
        simulated: whether any arm is.
        domains: the datasets of each domain; see ``domain_of``.
        folds: 2 or more; a dataset with fewer questions has a fold for each.
        seed: of the dealing of questions into folds.

    Raises:
        InputError: fewer than two folds, or a dataset in two domains.
        UnknownName: a dataset that is not in the run.
    """
    if folds < 2:
        raise InputError(f"folds = {folds}: must be at least 2, one to score and one to choose on")
    grids = _grids(rows, arms)
    datasets = list(dict.fromkeys(dataset for _, dataset in grids))
    of = domain_of(datasets, domains)
    found = [
        _score_choices(protocol, dataset, grids, of, folds, seed)
        for dataset in datasets
        for protocol in dict.fromkeys(arm.protocol for arm in arms)
        if (protocol, dataset) in grids
    ]
    names = list(dict.fromkeys(of.values()))
    return Transfer(
        run=run,
        name=name,
        simulated=simulated,
        folds=folds,
        seed=seed,
        domains={each: tuple(d for d in datasets if of[d] == each) for each in names},
        overall=tuple(_overall(found, names)),
        datasets=tuple(found),
    )


def _grids(rows: Iterable[DebateValues], arms: Sequence[Arm]) -> dict[tuple[str, str], Grid]:
    """Return by (protocol, dataset) each arm's scores, on the debates that all arms have."""
    known: dict[tuple[str, str], ArmScores] = {}
    for row in rows:
        accuracy = row.values.get("accuracy")
        if accuracy is not None:
            key = row.question, row.replicate
            known.setdefault((row.arm, row.dataset), {})[key] = accuracy
    grids: dict[tuple[str, str], Grid] = {}
    for dataset in dict.fromkeys(dataset for _, dataset in known):
        for protocol in dict.fromkeys(arm.protocol for arm in arms):
            own = [arm.name for arm in arms if arm.protocol == protocol]
            scores = [known.get((arm, dataset), {}) for arm in own]
            common = set(scores[0]).intersection(*scores[1:])
            if common:
                keys = sorted(common)
                grids[protocol, dataset] = {
                    arm: {key: each[key] for key in keys}
                    for arm, each in zip(own, scores, strict=True)
                }
    return grids


def _score_choices(
    protocol: str,
    dataset: str,
    grids: Mapping[tuple[str, str], Grid],
    of: Mapping[str, str],
    folds: int,
    seed: int,
) -> TransferScores:
    grid = grids[protocol, dataset]
    others = [
        (own, each) for (its, own), each in grids.items() if its == protocol and own != dataset
    ]
    same = _best([each for own, each in others if of[own] == of[dataset]])
    other = _best([each for own, each in others if of[own] != of[dataset]])
    best = _best([grid])
    assert best is not None
    average = {key: fmean(scores[key] for scores in grid.values()) for key in grid[best]}
    folded = choose_by_folds(grid, folds, f"{seed}/{dataset}")
    chosen = {"best": {best: 1}, "folds": folded.chosen}
    chosen |= {} if same is None else {"same_domain": {same: 1}}
    chosen |= {} if other is None else {"other_domain": {other: 1}}
    return TransferScores(
        protocol=protocol,
        domain=of[dataset],
        dataset=dataset,
        arms=len(grid),
        average=mean_over_questions(average),
        best=mean_over_questions(grid[best]),
        folds=folded.score,
        same_domain=mean_over_questions(grid[same] if same else {}),
        other_domain=mean_over_questions(grid[other] if other else {}),
        tuning=folded.tuning,
        transfer=_gap(grid[same], grid[other]) if same and other else Mean(),
        chosen=chosen,
    )


def _best(grids: Sequence[Grid]) -> str | None:
    """Return the arm with the highest mean of its accuracies; None without a dataset."""
    if not grids:
        return None
    means = {arm: fmean(fmean(grid[arm].values()) for grid in grids) for arm in grids[0]}
    return max(means, key=lambda arm: round(means[arm], 12))  # the first of those that are equal


def _gap(arm: ArmScores, baseline: ArmScores) -> Mean:
    gap: Difference = compare_paired(arm, baseline)
    return Mean(mean=gap.mean, low=gap.low, high=gap.high, n=gap.pairs, questions=gap.questions)


def _overall(found: Sequence[TransferScores], domains: Sequence[str]) -> Iterable[TransferScores]:
    """For each domain and protocol, the means over the domain's datasets."""
    for domain in domains:
        own = [each for each in found if each.domain == domain]
        datasets = {each.dataset for each in own}
        for protocol in dict.fromkeys(each.protocol for each in own):
            parts = [each for each in own if each.protocol == protocol]
            if len(parts) < len(datasets):  # a mean over fewer would not compare with the others
                continue
            yield TransferScores(
                protocol=protocol,
                domain=domain,
                dataset=None,
                arms=parts[0].arms,
                average=average_means([each.average for each in parts]),
                best=average_means([each.best for each in parts]),
                folds=average_means([each.folds for each in parts]),
                same_domain=average_means([each.same_domain for each in parts]),
                other_domain=average_means([each.other_domain for each in parts]),
                tuning=average_means([each.tuning for each in parts]),
                transfer=average_means([each.transfer for each in parts]),
            )
