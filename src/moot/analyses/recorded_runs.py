"""One or more recorded runs as analyses read them: their arms and debates, joined."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from operator import attrgetter

from msgspec import UNSET
from msgspec.structs import replace

from moot.core.display_text import format_things
from moot.core.errors import InputError, UnknownName
from moot.core.named_values import describe_surplus
from moot.core.results import Results
from moot.core.stored import Arm, DebateRow, DebateValues, RunRow, StudyRow, decode_study
from moot.core.table import Report
from moot.debate.debate_settings import describe_features
from moot.debate.protocol import RULE, read_debate
from moot.studies.arms import choose_arms
from moot.studies.asked_values import AskedValues
from moot.studies.equal_budget import find_pools
from moot.studies.judging import find_traits
from moot.studies.lab import Lab
from moot.studies.run_results import find_baselines, summarise
from moot.studies.study_run import compute_results

JoinedKey = tuple[str, str, str, int]  # joined arm, dataset, question, replicate

_CHECKED = 25
"""Questions of a dataset of which it is looked up whether two runs asked the same."""


class RecordedRuns:
    """Recorded runs, and the arms and datasets of them that are looked at.

    An arm that several runs have with the same settings is one arm; a debate that several of them
    hold counts once. Arms of one name with other settings are told apart by their runs.

    Args:
        lab: whose store has the runs.
        names: the runs, by what ``Store.find_run`` takes; at least one.
        arms: names of arms or protocols, or patterns with ``*`` of them; none for all but those
            of the same debates decided by another rule.
        datasets: names of datasets, or patterns; none for all.

    Attributes:
        lab: whose store has the runs.
        rows: the runs, each once.
        studies: their studies, in the same order, with the arms that are looked at.
        arms: these arms of all runs, by joined names, each once.
        simulated: the joined names of those with an agent that is no language model.
        reports: those of analyses without options that were made, by the names of the analyses.

    Raises ``StoreError`` for a run that is not there and ``UnknownName`` for an arm that is not.
    """

    def __init__(
        self,
        lab: Lab,
        names: Iterable[str],
        *,
        arms: Sequence[str] = (),
        datasets: Sequence[str] = (),
    ) -> None:
        self.lab, self._chosen = lab, datasets
        self.reports: dict[str, Report] = {}
        found = {row.id: row for row in map(lab.store.find_run, names)}
        self._asked = {number: AskedValues(lab, row) for number, row in found.items()}
        self.rows: list[RunRow] = list(found.values())
        whole = [decode_study(row) for row in self.rows]
        self._names = _name_arms(self.rows, whole)
        self.studies = _select_arms(whole, arms)
        self._shown = {
            self._names[row.id, arm.name] for row, own in self._pairs() for arm in own.arms
        }
        self._every: dict[str, Arm] = {}
        simulated: set[str] = set()
        for row, study in zip(self.rows, whole, strict=True):
            for arm in study.arms:
                name = self._names[row.id, arm.name]
                self._every.setdefault(name, replace(arm, name=name))
                simulated |= {name} if arm.name in study.simulated else set()
        self._simulated, self.simulated = simulated, simulated & self._shown
        self.arms = tuple(arm for name, arm in self._every.items() if name in self._shown)

    @property
    def name(self) -> str:
        """The names of the studies, each once."""
        return ", ".join(dict.fromkeys(row.name for row in self.rows))

    @property
    def key(self) -> str:
        """The keys of the runs."""
        return ", ".join(row.key for row in self.rows)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences that say what the figures do not include; empty if they include everything."""
        times = sum(self.shows(arm, dataset) for arm, dataset, *_ in self._joined[1])
        shared = f"{format_things(times, 'debate')} that several runs hold counted once."
        newer = describe_surplus(each.values for each in self.values)
        said = [shared] * bool(times) + [newer] * bool(newer)
        origins = dict.fromkeys(study.origin for study in self.studies if study.origin)
        said += [f"{each[:1].upper()}{each[1:]}." for each in origins]
        return (*said, *describe_features(self.arms), *self._list_key_notes(), *self._list_rules())

    def _list_rules(self) -> Iterator[str]:
        """Yield which arms were left out for deciding the debates of others by another rule."""
        every = [arm for row in self.rows for arm in decode_study(row).arms if arm.kind == RULE]
        if every and not any(arm.kind == RULE for arm in self.arms):
            yield (
                f"Left out: {format_things(len(every), 'method')} of the same debates decided by "
                f"another rule; --arm {every[0].name!r} shows one, moot analyse decisions all."
            )

    def _list_key_notes(self) -> Iterator[str]:
        """Yield a sentence for each arm whose agents are shown what depends on the right answer."""
        for arm in self.arms:
            if names := read_debate({**arm.settings, "protocol": arm.protocol}).key_settings:
                yield (
                    f"{arm.name}: its agents are shown what depends on the right answer "
                    f"({', '.join(names)}): its figures are those of no method."
                )

    @cached_property
    def values(self) -> list[DebateValues]:
        """The metrics of every debate, by joined arms."""
        return [each for each in self._joined[0] if self.shows(each.arm, each.dataset)]

    @cached_property
    def examples(self) -> list[DebateRow]:
        """The first, the middle and the last debate of each protocol on each dataset.

        Of those that have a verdict and a known accuracy, where there are such.
        """
        protocols = {arm.name: arm.protocol for arm in self.arms}
        groups: dict[tuple[str, str], list[DebateValues]] = {}
        whole: dict[tuple[str, str], list[DebateValues]] = {}
        for each in self.values:
            key = protocols[each.arm], each.dataset
            groups.setdefault(key, []).append(each)
            if not each.failed and each.values.get("accuracy") is not None:
                whole.setdefault(key, []).append(each)
        groups |= whole
        own = {name: pair for pair, name in reversed(self._names.items())}
        return [
            next(self.lab.store.debates(*own[each.arm], each.question, each.dataset))
            for group in groups.values()
            for each in {at: group[at] for at in (0, len(group) // 2, -1)}.values()
        ]

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """The datasets that have debates, in the order of the runs."""
        return tuple(dict.fromkeys(each.dataset for each in self.values))

    @cached_property
    def joined(self) -> Results:
        """The results over all runs as one, of the arms and datasets that are looked at."""
        return self.select(self.whole)

    @cached_property
    def whole(self) -> Results:
        """The results over all runs as one, each debate once: of every arm and dataset.

        An arm is compared with the baseline of the first run that has it.
        """
        return self.compute_whole()

    def compute_whole(self, margin: float | None = None) -> Results:
        """Compute ``whole``, with the greatest difference that counts as equal, where one does."""
        if len(self.rows) == 1:
            key = self.rows[0].key
            return compute_results(self.lab, key, margin, self._asked[self.rows[0].id].read())
        baselines: dict[str, str | None] = {}
        for row in self.rows[::-1]:
            study = decode_study(row)
            baselines |= {
                self._names[row.id, arm]: other and self._names[row.id, other]
                for arm, other in find_baselines(study.arms, study.baseline).items()
            }
        results = summarise(
            sorted(self._joined[0], key=attrgetter("dataset", "arm")),
            run=self.key,
            name=self.name,
            simulated=self._simulated,
            baselines=baselines,
            arms=list(self._every),
            pools=find_pools(self._every.values()),
            draws=lambda dataset, arm: (
                each for each in self._read(arm) if each.dataset == dataset
            ),
            traits=find_traits(self._every.values()),
            unfinished=any(
                study.sequential
                or sum(1 for _ in self.lab.store.values(row.id)) < (study.debates or 0)
                for row, study in zip(self.rows, self.studies, strict=True)
            ),
            margin=margin,
        )
        first = self.studies[0].baseline
        baseline = None if first is None else self._names.get((self.rows[0].id, first))
        sources = ", ".join(dict.fromkeys(each.source for each in self.studies if each.source))
        return replace(results, baseline=baseline, source=sources or UNSET)

    def select(self, results: Results) -> Results:
        """Return of results those of the arms and datasets that are looked at."""
        own = (arm for arm in results.arms if self.shows(arm.arm, arm.dataset))
        verdicts = (each for each in results.verdicts if self.shows(each.arm, each.dataset))
        arms = tuple(own)
        if len(arms) == len(results.arms):
            return replace(results, arms=arms, verdicts=tuple(verdicts))
        unfinished = not results.is_complete
        return replace(
            results, arms=arms, verdicts=tuple(verdicts), planned=None, unfinished=unfinished
        )

    def shows(self, arm: str, dataset: str) -> bool:
        """Return whether a joined arm is looked at on a dataset."""
        return arm in self._shown and self._looks_at(dataset)

    def name_arm(self, run: str, arm: str) -> str:
        """Return the joined name of an arm of a run, which is given by its key."""
        [row] = [row for row in self.rows if row.key == run]
        return self._names[row.id, arm]

    def debates(
        self, arm: str | None = None, *, protocols: Collection[str] | None = None
    ) -> Iterator[DebateRow]:
        """Yield each debate, transcript included, by joined arms.

        Args:
            arm: the joined name of one arm; None for all.
            protocols: only arms of these protocols; None for all.
        """
        for each in self.arms:
            if arm in {None, each.name} and (protocols is None or each.protocol in protocols):
                yield from (row for row in self._read(each.name) if self._looks_at(row.dataset))

    def _read(self, arm: str) -> Iterator[DebateRow]:
        """Yield the debates of a joined arm, each once: several runs may have the same one."""
        seen, held = set[JoinedKey](), [own for own, name in self._names.items() if name == arm]
        for run, own in held:
            for debate in self._asked[run].complete(self.lab.store.debates(run, own)):
                key = arm, debate.dataset, debate.question, debate.replicate
                if key not in seen:
                    yield replace(debate, arm=arm)
                if len(held) > 1:
                    seen.add(key)

    def _pairs(self) -> Iterator[tuple[RunRow, StudyRow]]:
        return zip(self.rows, self.studies, strict=True)

    def _looks_at(self, dataset: str) -> bool:
        return not self._chosen or any(fnmatchcase(dataset, each) for each in self._chosen)

    @cached_property
    def _joined(self) -> tuple[list[DebateValues], list[JoinedKey]]:
        """Every debate once, and those that a further run held again."""
        kept: dict[JoinedKey, DebateValues] = {}
        first: dict[JoinedKey, RunRow] = {}
        again: list[tuple[JoinedKey, RunRow, RunRow]] = []
        for row in self.rows:
            for each in self._asked[row.id].read():
                name = self._names.get((row.id, each.arm))
                if name is None:
                    continue
                key = name, each.dataset, each.question, each.replicate
                if key in kept:
                    again.append((key, first[key], row))
                else:
                    kept[key], first[key] = each._replace(arm=name), row
        every = {dataset for _, dataset, *_ in kept}
        for pattern in self._chosen if every else ():
            if not any(fnmatchcase(dataset, pattern) for dataset in every):
                raise UnknownName("dataset", pattern, every, where="--dataset")
        self._check_questions([each for each in again if self._looks_at(each[0][1])])
        return list(kept.values()), [key for key, *_ in again]

    def _check_questions(self, again: Sequence[tuple[JoinedKey, RunRow, RunRow]]) -> None:
        """Check that two runs that hold one debate asked the same: a dataset may be made anew."""
        looked: Counter[tuple[str, int]] = Counter()
        own = {(run, name): arm for (run, arm), name in self._names.items()}
        for (name, dataset, question, _), *rows in again:
            looked[dataset, rows[1].id] += 1
            if looked[dataset, rows[1].id] <= _CHECKED:
                held = [(row, own[row.id, name]) for row in rows]
                require_same_question(self.lab, held, dataset, question)


def require_same_question(
    lab: Lab, held: Sequence[tuple[RunRow, str]], dataset: str, question: str
) -> None:
    """Require that runs mean the same question by an id.

    Args:
        lab: whose store has the runs.
        held: two runs, each with the name of an arm that debated it.
        dataset: of the question.
        question: its id.

    Raises:
        InputError: text, context or choices differ.
    """
    asked = []
    for row, arm in held:
        put = next(lab.store.debates(row.id, arm, question, dataset)).transcript.question
        asked.append((put.text, put.context, sorted(put.choices)))
    if asked[0] != asked[1]:
        raise InputError(
            f"question {question} of {dataset} is not the same in runs {held[0][0].key} and "
            f"{held[1][0].key}: they cannot be compared"
        )


def _select_arms(studies: Sequence[StudyRow], chosen: Sequence[str]) -> list[StudyRow]:
    """Return the studies with the arms of these names, protocols or patterns.

    Without any, with all but those that decide the debates of others by another rule.
    """
    every = [arm for study in studies for arm in study.arms]
    kept = choose_arms(every, chosen) if chosen else [arm for arm in every if arm.kind != RULE]
    shown = {id(arm) for arm in kept}
    return [
        replace(study, arms=tuple(arm for arm in study.arms if id(arm) in shown))
        if study.arms
        else study
        for study in studies
    ]


def _name_arms(rows: Sequence[RunRow], studies: Sequence[StudyRow]) -> dict[tuple[int, str], str]:
    """Return the joined name of each arm of each run.

    It is the arm's own, followed by the run where another run has an arm of that name with other
    settings.
    """
    meant: dict[str, list[Arm]] = {}
    for study in studies:
        for arm in study.arms:
            meant.setdefault(arm.name, []).append(arm)
    return {
        (row.id, arm.name): arm.name
        if all(arm == other for other in meant[arm.name])
        else f"{arm.name} · {row.key}"
        for row, study in zip(rows, studies, strict=True)
        for arm in study.arms
    }
