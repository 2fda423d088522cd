"""Predictors: which facts of the first round tell where seeing others changes answers, and how.

Before agents see one another it is known how many share each answer and how sure each is. If these
facts told where an agent gives up a right answer, or where a debate helps, one could debate there
alone. A fact tells it as far as cases with more of it have greater outcomes. Changes that another
draw of the same prompt makes as well count against those that the others' answers make.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from hashlib import blake2b
from math import log2
from typing import NamedTuple

import msgspec

from moot.analyses.analysis import analysis, check_found
from moot.analyses.control_debates import (
    NO_NOTHING,
    MeasuredSet,
    Revision,
    find_lacking_way,
    measure_sets,
)
from moot.analyses.described_tables import TableField, list_tests, tabulate
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.display_text import format_p_equals, format_things
from moot.core.results import Mean
from moot.core.table import Report, ResultTable
from moot.statistics.accuracies import SURE, correct_by_holm
from moot.statistics.concordance import (
    CHANCE,
    FEWEST,
    ScoredOutcome,
    fit_score,
    measure_concordance,
)
from moot.studies.controls import REPEATED

TOGETHER = "all facts, on other questions"
"""Their score: it is fitted on one half of the questions, and measured on the other."""
AGAINST, ALIKE, ENTROPY, OWN = (
    "most agents with one other answer",
    "others with the same answer",
    "entropy of first answers",
    "its own confidence",
)
HELPS = "reading helps"
LARGEST, MEAN_CONFIDENCE = "most agents with one answer", "mean confidence"
_EXPLAINED = (
    "Harmful conformity: an agent whose first answer is right, and which keeps it with nothing "
    "shown, takes a wrong answer of another over with bare answers shown. Useful conformity: from "
    "wrong to right. Both less the same by chance, in a second draw with nothing shown. Reading "
    "helps: the debate is right and the same agents with nothing shown are wrong (1), or the other "
    "way round (−1). AUROC: how often the greater of two unlike outcomes has more of the fact; 0.5 "
    "tells nothing, below it less of the fact goes with more. Changes: cases of 1 or −1; where "
    f"they are on fewer than {FEWEST} questions there is no interval and no p."
)


class PredictedCase(NamedTuple):
    """An agent or a debate, what is known of its first round, and what became of it.

    Attributes:
        question: the question's id.
        facts: by name.
        outcome: 1, 0 or -1.
    """

    question: str
    facts: Mapping[str, float]
    outcome: int


class Predictor(msgspec.Struct, frozen=True, kw_only=True):
    """How well a fact of the first round tells an outcome.

    Attributes:
        outcome: what it is to tell.
        fact: of the first round, or all of them together.
        cases: how many agents or debates have it.
        changes: of these, those whose outcome is not 0.
        auroc: the share of concordant pairs; see ``measure_concordance``.
        p: of a share of 0.5.
        p_holm: corrected by Holm for all predictors of a set of arms on a dataset.
    """

    outcome: str
    fact: str
    cases: int
    changes: int
    auroc: Mean
    p: float | None
    p_holm: float | None = None


class SetPredictors(msgspec.Struct, frozen=True, kw_only=True):
    """What facts of the first round tell of a control set on one dataset.

    Attributes:
        chance: whether second draws tell what chance alone changes.
        missing: outcomes, and the arms they lack.
    """

    name: str
    dataset: str
    predictors: tuple[Predictor, ...]
    chance: bool
    missing: dict[str, tuple[str, ...]]


@analysis(
    source="arXiv:2606.00820; net of chance: moot",
    group="debate",
    needs=("accuracy",),
    place=17,
    lacks=find_lacking_way,
)
def predictors(runs: RecordedRuns) -> Report:
    """Tell which facts of the first round predict where seeing others harms or helps.

    Of methods that differ in what agents are shown before they revise their answers once: how many
    agents share an answer, how unlike the answers are, and how sure agents are. Intervals are over
    questions; all facts together are fitted on one half of the questions and measured on the other.
    """
    sets = [each for each in measure_sets(runs) if "nothing" in each.ways and len(each.ways) > 1]
    check_found(sets, runs, NO_NOTHING)
    data = [measure_predictors(each) for each in sets]
    notes = [note for each in sets for note in each.notes]
    notes += [note for each in data for note in _list_notes(each)]
    return Report(
        title=f"Predictors: {runs.name}",
        about=f"{runs.key}: what the first round tells of the revision",
        tables=[_tabulate(each) for each in data if each.predictors],
        notes=("p (Holm): corrected for all facts and outcomes of a table.", *dict.fromkeys(notes)),
        findings=tuple(line for each in data for line in _describe(each)),
        data=data,
    )


def measure_predictors(own: MeasuredSet) -> SetPredictors:
    """Return what facts of the first round tell of a control set."""
    missing, found = {}, list[Predictor]()
    for outcome, (needs, _) in OUTCOMES.items():
        if lacks := tuple(way for way in needs if way not in own.debates):
            missing[outcome] = lacks
        else:
            found += _measure_outcome(outcome, list(_read_cases(own, outcome)))
    return SetPredictors(
        name=own.name,
        dataset=own.dataset,
        predictors=tuple(correct_by_holm(found)),
        chance=any(row.again for row in own.debates["nothing"].values()),
        missing=missing,
    )


def _read_cases(own: MeasuredSet, outcome: str) -> Iterator[PredictedCase]:
    """Yield the cases of an outcome, of the debates that all its arms have."""
    needs, read = OUTCOMES[outcome]
    for key in own.pair(*needs):
        alone, shown = (own.debates[way][key] for way in needs)
        if alone.right:
            yield from read(key[0], alone, shown)


def _read_harmful(question: str, alone: Revision, shown: Revision) -> Iterator[PredictedCase]:
    return _read_agents(question, alone, shown, harmful=True)


def _read_useful(question: str, alone: Revision, shown: Revision) -> Iterator[PredictedCase]:
    return _read_agents(question, alone, shown, harmful=False)


def _read_agents(
    question: str, alone: Revision, shown: Revision, *, harmful: bool
) -> Iterator[PredictedCase]:
    """Yield each agent that conformity can move from right to wrong, or from wrong to right."""
    for seat, first in enumerate(alone.first):
        again = alone.again[seat] if alone.again else first
        peers = [*alone.first[:seat], *alone.first[seat + 1 :]]
        against = Counter(peer for peer in peers if peer not in {first, None})
        if None in {first, alone.revised[seat], shown.revised[seat], again} or not against:
            continue
        if (first in alone.right) != harmful or alone.revised[seat] != first:
            continue
        moved, chance = (
            answer in against and (answer in alone.right) != harmful
            for answer in (shown.revised[seat], again)
        )
        facts = {
            AGAINST: float(max(against.values())),
            ALIKE: float(peers.count(first)),
            ENTROPY: _measure_entropy(alone.first),
        }
        sure = alone.confidences[seat]
        yield PredictedCase(question, facts | ({} if sure is None else {OWN: sure}), moved - chance)


def _read_debate(question: str, alone: Revision, shown: Revision) -> Iterator[PredictedCase]:
    """Yield the debate, if its first round has an answer."""
    known = [answer for answer in alone.first if answer is not None]
    if known and alone.accuracy is not None and shown.accuracy is not None:
        facts = {
            LARGEST: float(max(Counter(known).values())),
            ENTROPY: _measure_entropy(alone.first),
        }
        sure = [each for each in alone.confidences if each is not None]
        if len(sure) == len(alone.first):
            facts[MEAN_CONFIDENCE] = sum(sure) / len(sure)
        yield PredictedCase(question, facts, round(shown.accuracy - alone.accuracy))


OUTCOMES = {
    "harmful conformity": (("nothing", "stances"), _read_harmful),
    "useful conformity": (("nothing", "stances"), _read_useful),
    HELPS: (("nothing", "reasons"), _read_debate),
}
"""What is predicted: the two arms that tell it, and the cases of a debate in both."""


def _measure_entropy(answers: Sequence[Hashable]) -> float:
    """Return the entropy of the answers in bits; an unparsed one is left out."""
    counts = Counter(answer for answer in answers if answer is not None).values()
    total = sum(counts)
    return sum(-count / total * log2(count / total) for count in counts)


def _measure_outcome(outcome: str, cases: Sequence[PredictedCase]) -> Iterator[Predictor]:
    """Yield how well each fact tells an outcome, then all together; nothing without a case."""
    names = dict.fromkeys(name for each in cases for name in each.facts)
    for name in names:
        own = [each for each in cases if name in each.facts]
        yield _measure_scores(outcome, name, own, [each.facts[name] for each in own])
    whole = [each for each in cases if len(each.facts) == len(names)]
    halves = [[each for each in whole if _is_fitted_on(each.question) is side] for side in (1, 0)]
    if all(len({each.outcome for each in half}) > 1 for half in halves):
        fitted, tested = halves
        score = fit_score(
            [[*each.facts.values()] for each in fitted], [each.outcome for each in fitted]
        )
        scores = [score([*each.facts.values()]) for each in tested]
        found = _measure_scores(outcome, TOGETHER, tested, scores)
        misleads = found.p is not None and (found.auroc.mean or 0.0) < CHANCE
        yield msgspec.structs.replace(found, p=1.0) if misleads else found  # a fit tells one way


def _is_fitted_on(question: str) -> int:
    """Return 1 for the half of the questions that scores are fitted on, else 0."""
    return blake2b(question.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] % 2


def _measure_scores(
    outcome: str, fact: str, cases: Sequence[PredictedCase], scores: Sequence[float]
) -> Predictor:
    scored = [
        ScoredOutcome(each.question, score, each.outcome)
        for each, score in zip(cases, scores, strict=True)
    ]
    auroc, p = measure_concordance(scored)
    return Predictor(
        outcome=outcome,
        fact=fact,
        cases=len(cases),
        changes=sum(each.outcome != 0 for each in cases),
        auroc=auroc,
        p=p,
    )


def _tabulate(found: SetPredictors) -> ResultTable:
    return tabulate(
        f"{_place(found)}what the first round tells",
        found.predictors,
        TableField("fact of the first round", value="fact"),
        TableField("AUROC", "number", "auroc", 3),
        *list_tests(),
        TableField("cases", "count"),
        TableField("changes", "count"),
        band=lambda each: each.outcome,
        note=_EXPLAINED,
    )


def _place(each: SetPredictors) -> str:
    return ", ".join(filter(None, (each.name, each.dataset))) + ": "


def _list_notes(found: SetPredictors) -> Iterator[str]:
    """Yield a sentence for each outcome without its arms, and for missing second draws."""
    for outcome, lacks in found.missing.items():
        yield (
            f"{_place(found)}{outcome}: not shown, there is no method that shows "
            f"{', '.join(lacks)}."
        )
    if not found.chance:
        yield (
            f"{_place(found)}chance is not taken off conformity without second draws: repeats = "
            f"true in the method that shows {REPEATED[0]}."
        )


def _describe(found: SetPredictors) -> Iterator[str]:
    """Yield a sentence for each fact that tells something; one where none does."""
    tested = [each for each in found.predictors if each.p_holm is not None]
    shown = [each for each in tested if each.p_holm is not None and each.p_holm <= SURE]
    for each in shown:
        area = each.auroc
        assert area.mean is not None
        assert area.low is not None
        assert area.high is not None
        size = "greater" if area.mean > CHANCE else "smaller"
        where = each.outcome if each.outcome == HELPS else f"there is {each.outcome}"
        yield (
            f"{_place(found)}{each.fact}: {size} where {where} (AUROC {area.mean:.2f}, 95 % "
            f"interval {area.low:.2f} … {area.high:.2f}; p {format_p_equals(each.p_holm)} after "
            f"Holm; n = {format_things(area.questions, 'question')})."
        )
    if tested and not shown:
        yield (
            f"{_place(found)}no fact of the first round is shown to tell where seeing others "
            f"changes something, in {format_things(len(tested), 'test')}."
        )
