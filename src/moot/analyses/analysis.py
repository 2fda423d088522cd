"""What an analysis is: a function from recorded runs to a report, registered by name."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from moot.analyses.recorded_runs import RecordedRuns
from moot.core.errors import InputError, UnknownName
from moot.core.registry import Registry
from moot.core.stored import Arm
from moot.core.table import Report
from moot.core.without_await import make_sync
from moot.debate.protocol_settings import SettingInfo, convert_settings, describe_settings
from moot.studies.lab import open_lab

AnalysisFunction = Callable[..., Report]


GROUPS = {
    "accuracy": "How often methods are right",
    "price": "Tokens, time and money",
    "settings": "Agents, prompts and settings",
    "debate": "Who changes whose mind",
    "trust": "Judges, bias and confidence",
    "networks": "Networks of agents",
    "essays": "Essays",
    "": "Others",
}
"""What analyses are about, in words, in the order in which lists show it."""


class NothingToAnalyse(InputError):
    """These runs have nothing that an analysis could look at; the text says what they lack."""


def check_found(found: Sized, runs: RecordedRuns, lacking: str) -> None:
    """Raise ``NothingToAnalyse``, with what the runs are lacking, where nothing was found."""
    if not found:
        raise NothingToAnalyse(f"{runs.key}: {lacking}")


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """A registered analysis.

    Attributes:
        name: its name, e.g. ``"prejudice"``.
        function: takes the runs and, by keyword, the options.
        source: where the analysis comes from, e.g. a paper's figure.
        needs: metrics of which at least one debate must have a value.
        protocols: of which it needs an arm of at least one; empty for any.
        varies: settings in at least one of which arms of a protocol must differ; empty for none.
        lacks: returns what runs lack besides, in words; empty where they lack nothing.
        tried: whether it is made to find out what runs lack: it reads results alone.
        group: what it is about, a name of ``GROUPS``.
        options: the options, with their types, ranges, defaults and help texts.
        place: where it stands among others in a report; the least comes first.
        draws: whether it draws charts, which stand in every page of a run that has them.
        finds: whether it has findings, with which ``moot run`` ends where a study names it.
        reported: whether it stands in the report of a study that names no analyses.
    """

    name: str
    function: AnalysisFunction
    source: str
    needs: tuple[str, ...]
    options: type[msgspec.Struct]
    place: int
    draws: bool = False
    finds: bool = True
    reported: bool = True
    protocols: tuple[str, ...] = ()
    varies: tuple[str, ...] = ()
    lacks: Callable[[RecordedRuns], str] | None = None
    tried: bool = False
    group: str = ""

    @property
    def summary(self) -> str:
        """What it tells, in one line."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def help(self) -> str:
        """What it tells, and how it reads it."""
        return (inspect.getdoc(self.function) or "").partition("\nArgs:")[0].strip()

    @property
    def topic(self) -> str:
        """Its group in words."""
        return GROUPS[self.group]

    @staticmethod
    def by_topic(every: "Iterable[Analysis]") -> "dict[str, list[Analysis]]":
        """Return analyses by what they are about, in words, in the order of lists."""
        groups: dict[str, list[Analysis]] = {words: [] for words in GROUPS.values()}
        for each in every:
            groups[each.topic].append(each)
        return {words: own for words, own in groups.items() if own}

    @property
    def settings(self) -> list[SettingInfo]:
        """Its options, in order."""
        return describe_settings(self.options)

    def find_lack(self, runs: RecordedRuns) -> str:
        """Return the lack of runs for this analysis, in words; empty where there is none.

        At most the examples of the runs are read. An analysis may still find nothing to analyse in
        the debates themselves.
        """
        if unknown := self._find_unknown(runs):
            return unknown
        own = [arm for arm in runs.arms if not self.protocols or arm.protocol in self.protocols]
        if not own:
            return f"{runs.key} has no method of {' or '.join(self.protocols)}"
        if self.lacks and (lack := self.lacks(runs)):
            return f"{runs.key}: {lack}"
        if self.varies and not any(_find_unlike(own, setting) for setting in self.varies):
            return f"no two methods of {runs.key} differ in {' or '.join(self.varies)}"
        return self._try(runs) if self.tried else ""

    def apply(self, runs: RecordedRuns, given: Mapping[str, Any]) -> Report:
        """Analyse runs. A report that needs no options is made once, and kept with the runs.

        Args:
            runs: the runs, and what of them is looked at.
            given: values of options; texts of a command line are converted.

        Raises:
            UnknownName: there is no such option.
            InputError: an option has a wrong value.
            NothingToAnalyse: the runs have nothing that the analysis could look at.
        """
        if not given and self.name in runs.reports:
            return runs.reports[self.name]
        options = convert_settings(self.options, given, where=f"analysis {self.name}")
        if unknown := self._find_unknown(runs):
            raise NothingToAnalyse(f"analysis {self.name}: {unknown}")
        report = self.function(runs, **msgspec.structs.asdict(options))
        report = report._replace(
            simulated=report.simulated or bool(runs.simulated), notes=(*report.notes, *runs.notes)
        )
        if not given:
            runs.reports[self.name] = report
        return report

    def _try(self, runs: RecordedRuns) -> str:
        """Return why these runs cannot be given the analysis; empty where they can."""
        try:
            self.apply(runs, {})
        except InputError as error:
            return str(error)
        return ""

    def _find_unknown(self, runs: RecordedRuns) -> str:
        """Return the metric that is known of no debate, in words; empty without one."""
        for metric in self.needs:
            if not any(each.values.get(metric) is not None for each in runs.values):
                return f"no debate of {runs.key} has a known {metric}"
        return ""


registry: Registry[Analysis] = Registry("analysis", "moot.analyses", table="ANALYSES")
"""Analyses by name. A package adds its own by an entry point in the group ``moot.analyses``."""


def analysis(
    *,
    source: str,
    needs: Sequence[str] = (),
    name: str = "",
    place: int = 100,
    draws: bool = False,
    finds: bool = True,
    reported: bool = True,
    protocols: Sequence[str] = (),
    varies: Sequence[str] = (),
    lacks: Callable[[RecordedRuns], str] | None = None,
    tried: bool = False,
    group: str = "",
) -> Callable[[AnalysisFunction], AnalysisFunction]:
    """Register a function ``(runs, *, option=default, …) -> Report`` as an analysis.

    It asks nothing and changes nothing. Its docstring says what it tells. Options need a type and
    a default; ``Annotated[int, Meta(ge=1, description="…")]`` gives a range and a help text.

    Args:
        source: where it comes from, e.g. a paper's table.
        needs: metrics of which at least one debate must have a value.
        name: another name than the function's, whose underscores become hyphens.
        place: where it stands among others in a report; the least comes first.
        draws: whether it draws charts, which stand in every page of a run that has them.
        finds: whether it has findings, with which ``moot run`` ends where a study names it; tables
            alone need not be made there.
        reported: whether it stands in the report of a study that names no analyses. One that reads
            every prompt of a run does not.
        protocols: of which it needs an arm of at least one; empty for any.
        varies: settings in at least one of which arms of a protocol must differ; empty for none.
        lacks: returns what runs lack besides, in words; empty where they lack nothing. It reads
            no debate but the ``examples`` of runs.
        tried: whether it is made to find out what runs lack. One that reads transcripts is not: it
            needs ``lacks``.
        group: what it is about, a name of ``GROUPS``: lists on pages show it there.

    Raises:
        InputError: when it decorates, for an option without a type or a default, and for a group
            that there is not.
    """

    def register(function: AnalysisFunction) -> AnalysisFunction:
        own = name or function.__name__.replace("_", "-")
        if group not in GROUPS:
            raise UnknownName("group", group, filter(None, GROUPS), where=f"analysis {own}")
        options = _describe_options(function, own)
        made = Analysis(
            own,
            function,
            source,
            tuple(needs),
            options,
            place,
            draws,
            finds,
            reported,
            tuple(protocols),
            tuple(varies),
            lacks,
            tried,
            group,
        )
        registry.add(own, made)
        return function

    return register


async def analyse(
    name: str,
    *runs: str,
    store: str | Path | None = None,
    arms: Sequence[str] = (),
    datasets: Sequence[str] = (),
    **options: Any,  # noqa: ANN401 -- options of any type
) -> Report:
    """Analyse recorded runs; nothing is asked.

    Args:
        name: of the analysis; ``moot analyse --list`` names them all.
        runs: ids of runs, their beginnings, or names of studies, whose newest run is meant.
        store: the store's folder; ``MOOT_STORE``, else ``.moot``, if not given.
        arms: names of arms or protocols, or patterns with ``*`` of them; none for all.
        datasets: names of datasets, or patterns; none for all.
        options: of the analysis.

    Raises:
        UnknownName: there is no such analysis, arm, dataset or option.
        InputError: an option has a wrong value, or the runs have nothing to analyse.
    """
    found = registry.get(name)
    async with open_lab(store, readonly=True) as lab:
        return found.apply(RecordedRuns(lab, runs, arms=arms, datasets=datasets), options)


analyse_sync = make_sync(analyse)


def _find_unlike(arms: Sequence[Arm], setting: str) -> bool:
    """Return whether two arms of one protocol have unlike values of a setting."""
    found: dict[str, set[str]] = {}
    for arm in arms:
        found.setdefault(arm.protocol, set()).add(repr(arm.factors.get(setting)))
    return any(len(values) > 1 for values in found.values())


def _describe_options(function: AnalysisFunction, name: str) -> type[msgspec.Struct]:
    """Return a struct with the keyword parameters of an analysis as its fields."""
    hints = get_type_hints(function, include_extras=True)
    fields = []
    for each in inspect.signature(function).parameters.values():
        if each.kind is not each.KEYWORD_ONLY:
            continue
        if each.name not in hints or each.default is each.empty:
            raise InputError(f"analysis {name}: option {each.name} needs a type and a default")
        fields.append((each.name, hints[each.name], each.default))
    return msgspec.defstruct("Options", fields, frozen=True, kw_only=True)
