"""The table ``[tune]`` of a study file: what is searched, how long, and for what."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot import InputError, Study, UnknownName
from moot.contrib.tuning.space import CROWDS, Configuration, Space, read_space
from moot.contrib.tuning.threshold_fit import MARGIN
from moot.extend.protocols import Protocol, models_in, protocols
from moot.extend.records import Arm
from moot.extend.studies import StudySource, convert_table

UNTUNED, TUNED = "untuned", "tuned"
MOST = 999
"""Trials a search can have."""


class TrialPrices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a debate has to bring for what it takes: accuracy, from 0 to 1, for one of each.

    Attributes:
        calls: for a call.
        tokens: for a prompt or completion token.
        cost: for a US dollar.
    """

    calls: Annotated[float, Meta(ge=0)] = 0.0
    tokens: Annotated[float, Meta(ge=0)] = 0.0
    cost: Annotated[float, Meta(ge=0)] = 0.0


class TuneTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of ``[tune]``, as they stand there.

    Attributes:
        protocol: the name of what is tuned.
        space: by setting, a list of values or a range.
        baseline: settings of the baseline beside the study's and the protocol's defaults.
        trials: how many configurations are tried, the baseline not counted.
        development: the share of the questions that the search sees, or how many of each dataset.
        seed: of the split and of the search.
        price: what is taken from the accuracy; nothing when not given.
        prune: whether a trial that is clearly worse than the best so far ends early.
        fit: the file that a fitted threshold or classifier is written to, where the protocol is a
            gate; empty where settings are searched.
        margin: how much accuracy a fitted threshold may cost, from 0 to 1.
    """

    protocol: str
    space: dict[str, Any] = {}
    baseline: dict[str, Any] = {}
    trials: Annotated[int, Meta(ge=1, le=MOST)] = 30
    development: int | float = 0.5
    seed: Annotated[int, Meta(ge=0, lt=2**31)] = 0
    price: dict[str, Any] = {}
    prune: bool = True
    fit: str = ""
    margin: Annotated[float, Meta(ge=0, le=1)] = MARGIN


class Tuning(msgspec.Struct, frozen=True, kw_only=True):
    """A study to be tuned, checked.

    Attributes:
        study: with the baseline as its one arm.
        given: the study's settings that the protocol has, as they stand in the file.
        fixed: these, and what holds where they say nothing: for all trials.
    """

    study: Study
    table: TuneTable
    protocol: Protocol
    space: Space
    price: TrialPrices
    given: dict[str, Any]
    fixed: dict[str, Any]

    def arm(self, name: str, point: Configuration) -> Arm:
        """Return a configuration as an arm. Raises ``InputError`` where its settings do not fit.

        Ranges are checked at their ends beforehand; a protocol may still refuse what lies between.
        """
        where = f"{self.study.file}: tune.space" + "".join(f", {k}={v}" for k, v in point.items())
        settings = self.protocol.check(
            {**self.fixed, **point}, where=where, overlay=self.study.prompts
        )
        return Arm(name=name, protocol=self.protocol.name, settings=settings)


def load(source: str | Path | Mapping[str, Any], *, model: str = "") -> Tuning:
    """Read a study with its table ``[tune]`` and check it through and through.

    Args:
        source: a TOML file, or the same as a mapping. Arms of its own are left to ``moot run``.
        model: the model where none is named.

    Raises:
        InputError: something cannot be; the text names file, key, and what would be right.
        UnknownName: a key, protocol, dataset or setting that does not exist, with the nearest.
    """
    read = StudySource.read(source)
    raw, file = read.raw, read.file
    if not isinstance(raw.get("tune"), Mapping):
        raise InputError(f"{file}: tune: a study to be tuned needs a table [tune]")
    given = raw.pop("tune")
    if "protocol" not in given:
        raise InputError(f"{file}: tune: protocol: name the protocol to be tuned")
    table = convert_table(TuneTable, given, where=f"{file}: tune")
    protocol = protocols.get(table.protocol, where=f"{file}: tune: protocol")
    _check_table(table, protocol, file)
    raw.pop("baseline", None)
    raw["arms"] = [{**table.baseline, "name": UNTUNED, "protocol": protocol.name}]
    composed = read.compose()
    top = msgspec.structs.replace(composed.top, baseline=None)
    arms = [entry for entry in composed.arms if entry.name == UNTUNED]
    if isinstance(top.prompts, list):
        raise InputError(f"{file}: prompts: a search has one file of prompts, named by the study")
    for key, value in table.baseline.items():
        overlay = read.find_prompts(top.prompts)
        protocol.check({key: value}, where=f"{file}: tune.baseline", overlay=overlay)
    study = read.check(composed._replace(top=top, arms=arms), model)
    if len(study.arms) > 1:
        raise InputError(f"{file}: settings: a list of values to try stands under [tune.space]")
    fields = protocol.settings.__struct_fields__
    common = {key: value for key, value in top.settings.items() if key in fields}
    tuning = Tuning(
        study=study,
        table=table,
        protocol=protocol,
        space=Space({})
        if table.fit
        else read_space(table.space, protocol, where=f"{file}: tune.space"),
        price=convert_table(TrialPrices, table.price, where=f"{file}: tune.price"),
        given=common,
        fixed={**({"model": model} if model else {}), **common},
    )
    for point in tuning.space.corners():
        tuning.arm("corner", point)
    return tuning


def _check_table(table: TuneTable, protocol: Protocol, file: str) -> None:
    share = table.development
    if not (0 < share < 1 or (isinstance(share, int) and share >= 1)):
        raise InputError(
            f"{file}: tune: development = {share}: a share above 0 and below 1, or a whole number "
            "of questions of each dataset"
        )
    fields = protocol.settings.__struct_fields__
    if table.fit:
        _check_fit(table, protocol, file)
    for key, value in table.baseline.items():
        where = f"{file}: tune.baseline"
        if key not in fields and not (key in CROWDS and isinstance(value, list)):
            raise UnknownName("setting", key, fields, where=where)
        if isinstance(value, list) and not protocol.takes_value(key, value):
            raise InputError(f"{where}: {key}: the baseline has one value, not a list of them")


def _check_fit(table: TuneTable, protocol: Protocol, file: str) -> None:
    setting = protocol.fitted_setting
    if not setting:
        gates = ", ".join(each.name for each in protocols if each.signal)
        raise InputError(
            f"{file}: tune: fit: {protocol.name} has no threshold to fit; these have: {gates}"
        )
    if table.space:
        raise InputError(f"{file}: tune: a threshold is fitted or a space is searched, not both")
    for key in (setting, "need"):
        if key in table.baseline:
            raise InputError(f"{file}: tune.baseline: {key}: it is what is fitted; leave it out")


def find_dearest(tuning: Tuning, corners: list[Arm]) -> list[Arm]:
    """Return, for each model, the end configuration with the most calls and tokens."""
    found: dict[tuple[str, ...], tuple[int, Arm]] = {}
    for arm in corners:
        calls, reply = tuning.protocol.count(arm.settings)[1], arm.settings["max_tokens"] or 200
        models = tuple(sorted(models_in(arm.settings)))
        size = calls * (60 + reply)
        if models not in found or found[models][0] < size:
            found[models] = size, arm
    return [arm for _, arm in found.values()]
