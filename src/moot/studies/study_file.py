"""The study file: datasets, arms and budget in TOML, checked before anything is called."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from os.path import isfile
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from msgspec.structs import replace

from moot.core.errors import InputError, UnknownName, place_errors
from moot.core.stored import Arm, StopRule
from moot.datasets.dataset import Dataset
from moot.datasets.dataset import registry as datasets
from moot.datasets.library import list_entries
from moot.debate.agent_config import MODELS
from moot.debate.debate_settings import resolve_paths
from moot.models.described import parse_tables
from moot.models.prices import Price
from moot.protocols import SINGLE
from moot.runtime.budget import Budget
from moot.runtime.retry import Retry
from moot.studies.arms import choose_arms, expand_arms, find_overlay
from moot.studies.checks import check_count, check_text, convert_table
from moot.studies.controls import add_controls, name_analyses
from moot.studies.equal_budget import add_pools
from moot.studies.extends import ComposedStudy, StudyEntry, StudyKeys, compose_study
from moot.studies.sources import find_study, list_shipped_names, read_study_file
from moot.studies.study import ASKED, OURS, Study, StudyDataset, overlay_of


def load(
    source: str | Path | Mapping[str, Any],
    *,
    model: str = "",
    models: Sequence[str] = (),
    arms: Sequence[str] = (),
) -> Study:
    """Read a study and check it through and through.

    Args:
        source: a TOML file, the name of a study that moot ships, or the same as a mapping.
        model: the model of arms that name none.
        models: models that go round the seats of arms that name none.
        arms: names of arms or protocols, or patterns of them; the study is without all others.

    Raises:
        InputError: something cannot be; the text names file, key, and what would be right.
        UnknownName: a key, protocol, dataset or setting that does not exist, with the nearest.
    """
    read = StudySource.read(source)
    return _check(read.compose(), read.file, read.folder, model, models, arms)


class StudySource(NamedTuple):
    """A study as it was given; its arms may be changed before it is checked.

    Attributes:
        raw: its content.
        file: what it is called in error texts.
        folder: what its paths are relative to.
        above: its file; none where it is no file.
    """

    raw: dict[str, Any]
    file: str
    folder: Path
    above: tuple[Path, ...]

    @classmethod
    def read(
        cls, source: str | Path | Mapping[str, Any], *, where: str = "there is no such file"
    ) -> "StudySource":
        """Read a TOML file, the name of a shipped study, or the same as a mapping.

        ``where`` begins the error for what is neither.
        """
        if isinstance(source, Mapping):
            return cls(dict(source), "study", Path.cwd(), ())
        path = find_study(source, Path(), where=where)
        return cls(read_study_file(path), str(path), path.parent, (path.resolve(),))

    def compose(self) -> ComposedStudy:
        """Return its content with everything it extends; the errors are those of ``load``."""
        return compose_study(self.raw, self.file, self.folder, above=self.above)

    def check(self, composed: ComposedStudy, model: str = "") -> Study:
        """Return what it was composed to, checked; the errors are those of ``load``.

        Args:
            composed: its keys, arms and datasets.
            model: the model of arms that name none.
        """
        return _check(composed, self.file, self.folder, model)

    def list_datasets(self) -> tuple[StudyDataset, ...]:
        """Return the datasets of the study, whatever its arms need; the errors are of ``load``."""
        return tuple(_parts(self.compose().datasets, self.file))

    def find_prompts(self, prompts: object) -> Path | None:
        """Return the file of prompts that a key names; None for moot's own."""
        return find_overlay(prompts, self.folder)


def _check(
    composed: ComposedStudy,
    file: str,
    folder: Path,
    model: str,
    models: Sequence[str] = (),
    chosen: Sequence[str] = (),
) -> Study:
    """Return a composed study, checked through and through; see ``load``."""
    top = composed.top
    if not top.name.strip():
        raise InputError(f"{file}: name: a study needs a name")
    for key, value in (("replicates", top.replicates), ("at_once", top.at_once)):
        if value is not None and value < 1:
            raise InputError(f"{file}: {key} = {value}: must be at least 1")
    usual: dict[str, Any] = {"model": model} if model else {}
    if models:
        usual |= {MODELS: [*models]}
    arms = tuple(expand_arms(composed.arms, top.settings, file, usual, top.prompts, folder))
    arms = tuple(replace(arm, settings=resolve_paths(arm.settings, folder)) for arm in arms)
    arms, left_out = _split_arms(arms, chosen, top.baseline)
    arms, stop, pools = _add_arms(top, arms, file, folder)
    names = [arm.name for arm in arms]
    if top.baseline and top.baseline not in names:
        raise UnknownName("arm", top.baseline, names, where=f"{file}: baseline")
    if not top.confirm_above >= 0:
        raise InputError(
            f"{file}: confirm_above = {top.confirm_above}: must be a number, 0 or more"
        )
    if top.name == ASKED:
        raise InputError(
            f"{file}: name = {ASKED!r}: moot ask keeps its debates under it; take another"
        )
    one = top.prompts if isinstance(top.prompts, str) and top.prompts not in ("", OURS) else None
    for prompts in dict.fromkeys(filter(None, [one, *(arm.prompts for arm in arms)])):
        if prompts != OURS and not isfile(folder / prompts):  # noqa: PTH113 - false for a name that no file can have
            raise InputError(f"{file}: prompts = {prompts!r}: there is no such file")
    return Study(
        name=top.name,
        datasets=tuple(_parts(composed.datasets, file)),
        arms=arms,
        baseline=None if stop else top.baseline or _baseline(names),
        replicates=top.replicates,
        at_once=top.at_once,
        confirm_above=top.confirm_above,
        prompts=folder / one if one else None,
        folder=folder,
        budget=convert_table(Budget, top.budget, where=f"{file}: budget"),
        retry=convert_table(Retry, top.retry, where=f"{file}: retry"),
        prices={
            name: convert_table(Price, price, where=f"{file}: prices.{name}")
            for name, price in top.prices.items()
        },
        models=parse_tables(top.models, file),
        analyses=name_analyses(top.analyses) if top.controls else tuple(top.analyses),
        file=file,
        stop=stop,
        pools=pools,
        left_out=left_out,
    )


def _split_arms(
    arms: tuple[Arm, ...], chosen: Sequence[str], baseline: str | None
) -> tuple[tuple[Arm, ...], tuple[str, ...]]:
    """Return the chosen arms, and the names of the others, which are not the baseline."""
    kept = choose_arms(arms, chosen)
    names = {arm.name for arm in kept}
    left_out = tuple(arm.name for arm in arms if arm.name not in names)
    if baseline in left_out:
        raise InputError(f"--arm leaves out the baseline, {baseline!r}; name it, too")
    return kept, left_out


def _add_arms(
    top: StudyKeys, arms: tuple[Arm, ...], file: str, folder: Path
) -> tuple[tuple[Arm, ...], StopRule | None, dict[str, str]]:
    """Return the arms of a study with those that ``equal_budget``, ``controls`` and ``stop`` add.

    Returns:
        The arms, the rule of a study that ends by itself, and the votes of its methods.
    """
    shared = folder / top.prompts if isinstance(top.prompts, str) else None
    overlay = partial(overlay_of, folder=folder, prompts=shared)
    is_sequential = top.worth or (bool(top.stop) and top.worth is None)
    if top.equal_budget and not is_sequential:
        arms += tuple(add_pools(arms, overlay))
    if top.controls:
        arms += tuple(add_controls(arms, file, overlay))
    if not is_sequential:
        return arms, None, {}
    from moot.studies.sequential_terms import add_votes, read_rule  # of such studies alone

    rule = read_rule(top.stop, arms, file)
    arms, pools = add_votes(rule, arms, file, overlay)
    return arms, rule, pools


def require_files(study: Study) -> None:
    """Check that the files of all its datasets are here.

    Raises:
        InputError: naming every dataset whose files are not, and how to get them.
    """
    states = {entry.name: entry.state for entry in list_entries()}
    names = dict.fromkeys(part.name for part in study.datasets)
    missing = [name for name in names if states[name] in {"missing", "damaged"}]
    if not missing:
        return
    own = [f"{name}-sums" for name in (study.name, study.name.partition("-")[0])]
    sums = next((each for each in own if each in list_shipped_names()), None)
    instead = f"; the study {sums} needs none" if sums else ""
    raise InputError(
        f"{study.file}: the files of these datasets are not here: {', '.join(missing)}; download "
        f"them with {_tell_fetch(study)}, or take a local copy with 'moot data add NAME PATH'"
        f"{instead}"
    )


def _tell_fetch(study: Study) -> str:
    """Return the command that downloads the files of a study's datasets."""
    path = Path(study.file)
    if path.stem in list_shipped_names() and find_study(path.stem, Path()) == path:
        return f"'moot data fetch --study {path.stem}'"
    named = f"--study {quote(study.file)}" if path.is_file() else "NAME"
    return f"'moot data fetch {named}'"


def _baseline(names: list[str]) -> str | None:
    """Return the arm compared with when a study names none: ``single``, or else the first."""
    if len(names) < 2:
        return None
    return SINGLE if SINGLE in names else names[0]


def _parts(entries: Sequence[StudyEntry], file: str) -> Iterator[StudyDataset]:
    if not entries:
        raise InputError(f"{file}: datasets: a study needs at least one [[datasets]]")
    labels: set[str] = set()
    for _, where, table in entries:
        entry = dict(table)
        name = check_text(entry.pop("name", None), f"{where}: name")
        dataset = datasets.get(name, where=where)
        label = check_text(entry.pop("label", name), f"{where}: label")
        if label in labels:
            raise InputError(f"{where}: two datasets are labelled {label!r}; give one a label = …")
        labels.add(label)
        n = check_count(entry.pop("n", None), f"{where}: n")
        seed = check_count(entry.pop("seed", 0), f"{where}: seed", least=0)
        documents = check_count(entry.pop("documents", 0), f"{where}: documents", least=0) or 0
        own = entry.pop("own_document", True)
        if not isinstance(own, bool) or (not own and not documents):
            raise InputError(
                f"{where}: own_document = {own!r}: true or false, beside documents = …"
            )
        yield StudyDataset(
            name=name,
            label=label,
            n=n,
            seed=seed or 0,
            parameters=_parameters(dataset, entry, where),
            documents=documents,
            own_document=own,
        )


def _parameters(dataset: Dataset, given: dict[str, Any], where: str) -> dict[str, Any]:
    for key in given:
        if key not in dataset.parameters:
            valid = ["name", "label", "n", "seed", *dataset.parameters]
            raise UnknownName("key", key, valid, where=where)
    with place_errors(where):
        return dataset.check_settings(given)
