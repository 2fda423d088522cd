"""How far the first agent's opening decides the verdict of a debate (APF-Bench, section 6.1).

Arms that differ in nothing but ``opening`` (and ``distance``) are a group: one protocol with one
model and one setting of the rest, opened in several ways, on the same questions.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from moot.analyses.anchoring import (
    OpeningOutcome,
    group_by_opening,
    model_names,
    name_groups,
    opening_place,
)
from moot.analyses.sentences import family_of
from moot.core.errors import InputError
from moot.core.results import Difference, Mean
from moot.core.stored import Arm
from moot.debate.opening_values import OPENINGS
from moot.debate.protocol import kind_of
from moot.parsing.same import is_same
from moot.statistics.accuracies import (
    Key,
    compare_paired,
    correct_by_holm,
    mean_over_questions,
)
from moot.statistics.spread import TriedQuestion, spread


class Sway(msgspec.Struct, frozen=True, kw_only=True):
    """How much more often a verdict is a value because the first agent was asked about it.

    Attributes:
        followed: the share of debates whose verdict equals a value put forward, 0 to 1.
        openly: the share of the open debates whose verdict equals that same value, on the same
            questions and replicates: what it would be without having been put forward.
        difference: ``followed`` minus ``openly``, paired: above 0 where debates are swayed towards
            the value, below 0 where they are driven away; its ``p_holm`` is corrected for all that
            are tested on the dataset.
    """

    followed: Mean
    openly: Mean
    difference: Difference


class OpeningResult(msgspec.Struct, frozen=True, kw_only=True):
    """One opening of a group.

    Attributes:
        distance: of wrong numbers; None where it changes nothing, or is ``near`` in the whole run.
        unanswered: debates that failed or have no answer; they count as not right.
        best: True for the highest accuracy of the group, for each where several have it.
        difference: its accuracy minus that of the open debates; None for these and without any.
        right_minus: the accuracy of ``control-right`` minus this one's; only of ``control-wrong``.
            All these of one dataset are one family for ``p_holm``.
        sway: None for the open debates, and without any.
    """

    opening: str
    distance: str | None
    arm: str
    accuracy: Mean
    unanswered: int
    best: bool = False
    difference: Difference | None = None
    right_minus: Difference | None = None
    sway: Sway | None = None

    @property
    def label(self) -> str:
        """The opening, with the distance where there is one."""
        return f"{self.opening} ({self.distance})" if self.distance else self.opening


class Variation(msgspec.Struct, frozen=True, kw_only=True):
    """How much the accuracy varies with the opening: what the paper takes for prejudice.

    Over the questions and replicates that all openings of the group have.

    Attributes:
        openings: how many there are.
        range: the highest accuracy minus the lowest.
        sd: the standard deviation of the accuracies.
        chance: the range to be expected if the opening made no difference.
        p: how likely a range at least as wide is then; its ``p_holm`` is corrected for all groups
            of the dataset.
    """

    openings: int
    range: Mean
    sd: Mean
    chance: float
    p: float
    p_holm: float


class OpeningGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Arms on one dataset that differ in their opening alone.

    Attributes:
        name: the protocol's, with the arm's settings where several groups have protocol and model.
        model: the model that speaks, or several names.
        society: True for a society-level framework (table 2), else it is model-level (table 1).
        simulated: True when any of its agents is no language model.
        columns: by opening: open, right, wrong, random; near before far.
        variation: None where no accuracy is known.
    """

    dataset: str
    protocol: str
    name: str
    model: str
    society: bool
    simulated: bool
    columns: tuple[OpeningResult, ...]
    variation: Variation | None


class Prejudice(msgspec.Struct, frozen=True, kw_only=True):
    """The prejudice of one run: by dataset, then by group in the order of the study."""

    run: str
    name: str
    simulated: bool
    groups: tuple[OpeningGroup, ...]


def measure_prejudice(
    found: Iterable[OpeningOutcome],
    *,
    arms: Sequence[Arm],
    run: str = "",
    name: str = "",
    simulated: Collection[str] = (),
    family: str = "dataset",
) -> Prejudice:
    """Compare the openings of every group of arms.

    A failed debate, and one without an answer, counts as not right and follows no value.

    Args:
        found: one for each debate, in any order.
        arms: those of the study, in its order.
        run: the run's key.
        name: the study's name.
        simulated: the names of the arms in which no language model takes part.
        family: the tests of one kind that Holm's correction takes together; see ``Family``.

    Raises:
        InputError: no two arms differ in their opening alone, or none of these has debated.
    """
    grouped = group_by_opening(arms)
    if not grouped:
        raise InputError(
            f"run {run}: no two methods differ in their opening alone; give the methods of a study "
            f"opening = {list(OPENINGS[:3])}"
        )
    wanted = {arm.name for group in grouped for arm in group}
    distances = {opening_place(arm)[1] for group in grouped for arm in group} - {""}
    debates: dict[tuple[str, str], dict[Key, OpeningOutcome]] = {}
    for each in found:
        if each.arm in wanted:
            own = debates.setdefault((each.dataset, each.arm), {})
            own[each.question, each.replicate] = each
    labels = name_groups(grouped)
    made = [
        _group(dataset, group, label, debates, simulated, told=distances != {"near"})
        for dataset in dict.fromkeys(dataset for dataset, _ in debates)
        for group, label in zip(grouped, labels, strict=True)
        if sum((dataset, arm.name) in debates for arm in group) > 1
    ]
    families: dict[tuple[str, str], list[int]] = {}
    for number, group in enumerate(made):
        families.setdefault(family_of(family, group.dataset, group.model), []).append(number)
    for numbers in families.values():
        corrected = _correct_tests([made[number] for number in numbers])
        for number, fixed in zip(numbers, corrected, strict=True):
            made[number] = fixed
    if not made:
        raise InputError(f"run {run}: its methods by opening have not debated yet")
    return Prejudice(
        run=run, name=name, simulated=any(group.simulated for group in made), groups=tuple(made)
    )


def _group(
    dataset: str,
    arms: Sequence[Arm],
    name: str,
    debates: Mapping[tuple[str, str], dict[Key, OpeningOutcome]],
    simulated: Collection[str],
    *,
    told: bool,
) -> OpeningGroup:
    """Compare the openings of one group, with tests that are not yet corrected."""
    here = [arm for arm in arms if (dataset, arm.name) in debates]
    held = [debates[dataset, arm.name] for arm in here]
    right = [_right(each) for each in held]
    by = dict(zip((opening_place(arm)[0] for arm in here), range(len(here)), strict=True))
    openly, control = by.get(0), by.get(1)
    means = [mean_over_questions(each) for each in right]
    best = max((round(mean.mean, 12) for mean in means if mean.mean is not None), default=None)
    columns = []
    for k, arm in enumerate(here):
        number, distance = opening_place(arm)
        opening = OPENINGS[number]
        compared = openly is not None and k != openly
        mean = means[k].mean
        columns.append(
            OpeningResult(
                opening=opening,
                distance=(distance or None) if told else None,
                arm=arm.name,
                accuracy=means[k],
                unanswered=sum(each.verdict is None for each in held[k].values()),
                best=mean is not None and round(mean, 12) == best,
                difference=compare_paired(right[k], right[openly])
                if compared and openly is not None and right[k]
                else None,
                right_minus=compare_paired(right[control], right[k])
                if opening == "control-wrong" and control is not None
                else None,
                sway=_sway(held[k], held[openly]) if compared and openly is not None else None,
            )
        )
    return OpeningGroup(
        dataset=dataset,
        protocol=here[0].protocol,
        name=name,
        model=model_names(here[0]),
        society=kind_of(here[0].protocol) == "society",
        simulated=any(arm.name in simulated for arm in here),
        columns=tuple(columns),
        variation=_variation(right),
    )


def _right(held: Mapping[Key, OpeningOutcome]) -> dict[Key, float]:
    return {key: each.accuracy for key, each in held.items() if each.accuracy is not None}


def _sway(held: Mapping[Key, OpeningOutcome], openly: Mapping[Key, OpeningOutcome]) -> Sway:
    """Return how often these debates, and the open ones, have the opening's values as verdict."""
    keys = [key for key in held if key in openly]
    follows = {key: _equals_opening(held[key].verdict, held[key]) for key in keys}
    anyway = {key: _equals_opening(openly[key].verdict, held[key]) for key in keys}
    return Sway(
        followed=mean_over_questions(follows),
        openly=mean_over_questions(anyway),
        difference=compare_paired(follows, anyway),
    )


def _equals_opening(verdict: str | None, opened: OpeningOutcome) -> float:
    """Return 1 if the verdict is a value that the debate was opened with, else 0."""
    return float(any(is_same(verdict, value, opened.kind) for value in opened.opening))


def _variation(right: Sequence[Mapping[Key, float]]) -> Variation | None:
    keys = set(right[0]).intersection(*right[1:])
    tried: dict[str, TriedQuestion] = {}
    for key in sorted(keys):
        totals, size = tried.get(key[0], TriedQuestion((0.0,) * len(right), 0))
        more = (total + each[key] for total, each in zip(totals, right, strict=True))
        tried[key[0]] = TriedQuestion(tuple(more), size + 1)
    found = spread(tried.values())
    if found is None:
        return None
    counted = {"n": len(keys), "questions": len(tried)}
    return Variation(
        openings=len(right),
        range=_mean(found.range, found.range_ends, counted),
        sd=_mean(found.sd, found.sd_ends, counted),
        chance=found.chance,
        p=found.p,
        p_holm=found.p,
    )


def _mean(value: float, ends: tuple[float, float] | None, counted: Mapping[str, int]) -> Mean:
    low, high = ends or (None, None)
    return Mean(mean=value, low=low, high=high, **counted)


def _correct_tests(found: Sequence[OpeningGroup]) -> Iterator[OpeningGroup]:
    """Yield the groups of one family, each kind of test corrected for how many of it there are."""
    columns = [column for group in found for column in group.columns]
    gaps = [gap for each in columns for gap in (each.difference, each.right_minus) if gap]
    accuracies = iter(correct_by_holm(gaps))
    sways = iter(correct_by_holm((e.sway for e in columns if e.sway), "difference"))
    ranges = iter(correct_by_holm(group.variation for group in found if group.variation))
    for group in found:
        made = []
        for each in group.columns:
            changed = {
                name: next(accuracies)
                for name in ("difference", "right_minus")
                if getattr(each, name)
            }
            made.append(replace(each, **changed, sway=each.sway and next(sways)))
        varies = group.variation and next(ranges)
        yield replace(group, columns=tuple(made), variation=varies)
