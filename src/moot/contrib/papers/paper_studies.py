"""The studies of a paper on another model, at another scale, with stand-ins for absent data."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from msgspec.structs import replace

from moot import InputError, Price, Study
from moot.contrib.papers.published import CLAIMS, Paper, PaperDataset, PaperStudy
from moot.extend.studies import Plan, StudySource

_FILES = re.compile(r"the files of these datasets are not here: ([^;]+)")
_FEWEST = 2
"""The fewest questions of a dataset at any scale: one question has no interval."""


class Wanted(NamedTuple):
    """The way in which the studies of a paper are to be run.

    Attributes:
        model: in place of every model of the paper.
        scale: the share of the paper's questions, above 0 and at most 1.
        sums: whether stand-ins take the places of datasets that have files.
        only: numbers of tables and figures; empty for all.
        prices: stated, by the names of models.
        without: names of studies that are left out.
        faithful: the source that protocols follow, ``"paper"`` or ``"code"``; ``"ours"`` for none.
    """

    model: str
    scale: float = 1.0
    sums: bool = False
    only: tuple[str, ...] = ()
    prices: Mapping[str, Price] = {}
    without: tuple[str, ...] = ()
    faithful: str = "ours"


class PlannedStudy(NamedTuple):
    """A study of a paper, ready to be run.

    Attributes:
        of: which one of the paper's.
        plan: what is run.
        labels: what the run calls each dataset, by the paper's names.
        replaced: the paper's own models that do not speak, by their names.
    """

    of: PaperStudy
    plan: Plan
    labels: dict[str, str]
    replaced: tuple[str, ...]


class PlannedPaper(NamedTuple):
    """The studies of a paper that are run, and why others are not.

    Attributes:
        studies: by their names.
        absent: why a study is not run, by its name.
    """

    studies: dict[str, PlannedStudy]
    absent: dict[str, str]

    @property
    def stand_ins(self) -> str:
        """A sentence on the stand-ins for the paper's data; empty without any."""
        own = self.studies.values()
        twins = [each.plan.study.name for each in own if each.plan.study.name == each.of.twin]
        said = []
        if any(each.plan.study.name == _name_twin(each.of.study) for each in own):
            said.append("Sums and moves of chess")
        said += [f"the questions of {name}" for name in twins]
        if not said:
            return ""
        named = " and ".join(said)
        return (
            f"{named[:1].upper()}{named[1:]} stand in for the paper's data, so no value repeats "
            "one of the paper's."
        )

    @property
    def followed(self) -> list[str]:
        """Sentences on the sources that methods follow, each once."""
        every = (told for each in self.studies.values() for told in each.plan.described)
        return list(dict.fromkeys(every))

    @property
    def replaced(self) -> list[str]:
        """The paper's own models that do not speak, each once."""
        return list(dict.fromkeys(name for each in self.studies.values() for name in each.replaced))


def plan_paper(paper: Paper, wanted: Wanted) -> PlannedPaper:
    """Plan the studies that the wanted tables, figures and claims need.

    Raises:
        InputError: a study cannot be run, nor can any with stand-ins; the text has every reason.
    """
    planned: dict[str, PlannedStudy] = {}
    absent: dict[str, str] = {}
    left_out: dict[str, str] = {}
    needed = list_needed(paper, wanted.only)
    for of in paper.ours.studies:
        if of.study in needed & {*wanted.without}:
            left_out[of.study] = "by --without"
        elif of.study in needed:
            try:
                planned[of.study] = _plan(paper, of, wanted)
            except InputError as error:
                absent[of.study] = _shorten(error)
    if absent and not (wanted.sums and planned):
        raise InputError(_explain(paper, absent, sums=wanted.sums))
    return PlannedPaper(planned, {**left_out, **absent})


def list_needed(paper: Paper, only: Iterable[str]) -> set[str]:
    """Return the names of the studies behind tables and figures; all if none is named."""
    chosen = set(only)
    ours = paper.ours
    numbered = [*((t.table, t.studies) for t in ours.tables if t.analysis)]
    numbered += [(figure.figure, figure.studies) for figure in ours.figures]
    numbered += [(CLAIMS, claim.studies) for claim in ours.claims]
    if not chosen:
        return {study for _, studies in numbered for study in studies}
    return {study for number, studies in numbered if number in chosen for study in studies}


def _shorten(error: InputError) -> str:
    """Return why a study cannot be run, without what the paper's command says itself."""
    text = str(error).partition(".toml: ")[2] or str(error)
    return text.removeprefix("study: ").partition("; the study ")[0]


def _explain(paper: Paper, absent: Mapping[str, str], *, sums: bool) -> str:
    """Return why nothing was run: the absent files of all studies together, then the rest."""
    files: dict[str, None] = {}
    said = []
    for study, reason in absent.items():
        if found := _FILES.search(reason):
            files |= dict.fromkeys(found[1].split(", "))
        else:
            said.append(f"  {study}: {reason}")
    if files:
        said.insert(0, f"  the files of these datasets are not here: {', '.join(files)}")
        needing = [study for study, reason in absent.items() if _FILES.search(reason)]
        named = " ".join(f"--study {study}" for study in needing)
        said.insert(1, f"  download all with 'moot data fetch {named}',")
        said.insert(2, "  or take a local copy of each with 'moot data add NAME PATH'")
    if not sums:
        said.append("  --sums runs the same methods on sums and chess, which need no files")
    said.append(f"  --without STUDY leaves one out: {', '.join(absent)}")
    said.append(f"  --only NUMBER takes a part: {'; '.join(paper.numbers)}")
    return "\n".join([f"paper {paper.name}: nothing was called", *said])


def _plan(paper: Paper, of: PaperStudy, wanted: Wanted) -> PlannedStudy:
    datasets = {each.name: each for each in paper.ours.datasets if each.name in of.datasets}
    own = StudySource.read({"name": of.study, "extends": of.study}).compose()
    raw = _compose(of, wanted, datasets)
    source = StudySource.read(raw)
    study = source.check(source.compose(), wanted.model)
    labels = {
        name: _label(each, of, wanted, [part.label for part in study.datasets])
        for name, each in datasets.items()
    }
    if of.arms:
        kept = [arm for arm in study.arms if any(fnmatchcase(arm.name, own) for own in of.arms)]
        study = replace(study, arms=tuple(kept))
    study = replace(study, prices={**study.prices, **wanted.prices})
    return PlannedStudy(
        of,
        Plan(_scale(study, of, labels, datasets, wanted)),
        labels,
        _list_models(own.top.settings),
    )


def _list_models(settings: Mapping[str, Any]) -> tuple[str, ...]:
    own = settings.get("model", [])
    return tuple([own] if isinstance(own, str) else own)


def _compose(
    of: PaperStudy, wanted: Wanted, datasets: Mapping[str, PaperDataset]
) -> dict[str, Any]:
    """Return the study as a mapping: the shipped one, with the model and the stand-ins."""
    base = of.twin if wanted.sums and of.twin else of.study
    raw: dict[str, Any] = {
        "name": base,
        "extends": base,
        "settings": {"model": wanted.model, **_follow(wanted.faithful)},
        "drop_arms": of.drop_arms,
    }
    if wanted.sums and not of.twin and datasets:
        raw["name"] = _name_twin(of.study)
        raw["drop_datasets"] = ["*"]
        raw["datasets"] = [
            {**each.sums, "label": _name_sums(name), "n": of.n.get(name, each.n)}
            for name, each in datasets.items()
        ]
    return raw


def _follow(source: str) -> dict[str, str]:
    """Return the setting by which protocols follow a source; none for moot's own."""
    return {"faithful": source} if source != "ours" else {}


def _name_twin(study: str) -> str:
    return f"{study}-sums"


def _name_sums(name: str) -> str:
    """Return the label of what stands in for a dataset."""
    return f"{name} (sums)"


def _label(each: PaperDataset, of: PaperStudy, wanted: Wanted, known: list[str]) -> str:
    """Return the name of a dataset of the paper in the run."""
    if not wanted.sums:
        return each.label
    return known[0] if of.twin else _name_sums(each.name)


def _scale(
    study: Study,
    of: PaperStudy,
    labels: Mapping[str, str],
    datasets: Mapping[str, PaperDataset],
    wanted: Wanted,
) -> Study:
    """Return a study with a share of its questions; the same one at full scale."""
    if wanted.scale == 1:
        return study
    sizes = {labels[name]: of.n.get(name, each.n) for name, each in datasets.items()}
    scaled = tuple(
        replace(part, n=max(_FEWEST, round((part.n or sizes.get(part.label, 0)) * wanted.scale)))
        for part in study.datasets
    )
    return replace(study, datasets=scaled)
