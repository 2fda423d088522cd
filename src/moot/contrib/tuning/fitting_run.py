"""Fitting what a gate needs, a threshold or a classifier, with a test on other questions.

Every debate of the fit is held in full, so that all thresholds are looked at on the same replies.
The test holds the gate beside the debate that it spares, on questions that the fit has not seen.
Resuming is running again, and a fit on the same replies gives the same file.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from moot import InputError, Model, Question
from moot.contrib.tuning.classifier_fit import fit_classifier
from moot.contrib.tuning.prepared_search import PreparedHalves
from moot.contrib.tuning.threshold_fit import (
    GatedDebate,
    ThresholdFit,
    fit_threshold,
    read_debate,
)
from moot.contrib.tuning.tuning_file import Tuning, load
from moot.extend.analyses import Difference, Key, Mean, compare_paired, mean_over_questions
from moot.extend.protocols import models_in
from moot.extend.records import RunRow, Spent
from moot.extend.stores import describe_place
from moot.extend.studies import (
    Estimate,
    FittedThreshold,
    Lab,
    Plan,
    RunProgress,
    Watch,
    default_model,
    estimate_run,
    open_lab,
)

THRESHOLD, CLASSIFIER, FILLED_IN = "threshold", "classifier", "fitted"
"""The settings of gates that are fitted, and the one that says by which file they were."""
ALWAYS, GATED = "always debates", "gated"
OWN = ("seed", THRESHOLD, CLASSIFIER, FILLED_IN, "need")
"""Settings of a single run, which a file does not repeat."""


class GateTest(msgspec.Struct, frozen=True, kw_only=True):
    """The comparison of a gate with always debating, on questions that the fit has not seen.

    Attributes:
        run: under which ``moot show`` and ``moot report`` find it.
        questions: how many there are.
        gated: accuracy with the gate.
        always: accuracy of always debating.
        difference: of the two, paired.
        share: of what always debating takes, the share that the gate takes: of tokens, or of calls
            where an endpoint reported no tokens; None where no debate ended.
    """

    run: str
    questions: int
    gated: Mean
    always: Mean
    difference: Difference
    share: float | None


class FittedGate(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a fit.

    Attributes:
        run: the key of the run it was fitted on.
        store: the folder it is kept in.
        simulated: True when any agent is no language model.
        protocol: the gate.
        signal: what is compared with the threshold.
        n: the debates of the fit.
        right: those whose first round is right.
        unread: those whose signal could not be read.
        auroc: how well the signal tells right first rounds from wrong ones.
        why: why this threshold, or why none.
        setting: what the file is for: ``"threshold"`` or ``"classifier"``.
        threshold: the file's content; None where the fit is refused.
        file: where it was written; empty where it was not.
        test: None where the fit is refused, or was stopped before it.
        spent: what fit and test have paid for, resumptions included.
        stopped: None when all was done, else why not.
    """

    run: str
    store: str
    simulated: bool
    protocol: str
    signal: str
    setting: str = THRESHOLD
    n: int = 0
    right: int = 0
    unread: int = 0
    auroc: Mean = Mean()
    why: str = ""
    threshold: FittedThreshold | None = None
    file: str = ""
    test: GateTest | None = None
    spent: Spent = Spent()
    stopped: str | None = None


class PreparedFit(PreparedHalves):
    """A fit.

    Attributes:
        always: the arm that debates every question.
        plan: of this arm on all questions.
    """

    def __init__(self, lab: Lab, tuning: Tuning, limit: int | None) -> None:
        super().__init__(tuning, limit)
        study = tuning.study
        open_gate: dict[str, Any] = {FILLED_IN: ""}
        if self.setting == THRESHOLD:
            open_gate[THRESHOLD] = None
        if "need" in tuning.protocol.own.__struct_fields__:
            agents = study.arms[0].settings["agents"]
            open_gate["need"] = agents + 1  # more than can agree: it accepts nothing
        self.always = replace(
            tuning.arm(ALWAYS, {**tuning.table.baseline, **open_gate}), name=ALWAYS
        )
        self.plan = Plan(replace(study, arms=(self.always,), baseline=None), limit=limit)
        self.plan.estimate_arms(lab)
        self._split(self.plan, "fit", tuning.table)
        self._find_models(lab, self.plan)

    @property
    def signal(self) -> str:
        """What is compared with the threshold."""
        return self.tuning.protocol.signal

    @property
    def setting(self) -> str:
        """The setting that the file is for: ``"threshold"`` or ``"classifier"``."""
        return self.tuning.protocol.fitted_setting

    def fit(self, debates: Sequence[GatedDebate]) -> ThresholdFit:
        """Return what is fitted on debates that were held in full, or why nothing is."""
        if self.setting == CLASSIFIER:
            return fit_classifier(debates, self.always.settings[THRESHOLD])
        return fit_threshold(debates, self.signal, self.tuning.table.margin)

    async def expect(self, lab: Lab) -> Estimate:
        """Estimate fit and test: each question is debated in full; the gate shares its calls."""
        return await estimate_run(self.plan, lab)


async def fit_gate(
    study: str | Path | Mapping[str, Any] | Tuning,
    *,
    store: str | Path | None = None,
    models: Sequence[Model] = (),
    limit: int | None = None,
) -> FittedGate:
    """Fit the threshold of a gate on some questions, test it on others, and write its file.

    Args:
        study: a study file with a table ``[tune]`` that has ``fit``, the same as a mapping, or one
            already read.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        models: model objects to use for their names.
        limit: the most questions of each dataset, before they are split.

    Raises:
        InputError: it cannot be fitted; nothing was called.
        StoreError: the store cannot be read or written.
    """
    tuning = study if isinstance(study, Tuning) else load(study, model=default_model())
    if not tuning.table.fit:
        raise InputError(f"{tuning.study.file}: tune: fit: name the file of the threshold")
    async with open_lab(store, tables=tuning.study.models) as lab:
        lab.use_models(models)
        return await run_fit(PreparedFit(lab, tuning, limit), lab)


async def run_fit(prepared: PreparedFit, lab: Lab, *, watch: Watch | None = None) -> FittedGate:
    """Fit and test, or go on where it was stopped; the file is written before the test.

    Args:
        prepared: the fit.
        lab: where its models and its store are.
        watch: is given the progress once, to look at while the fit lasts.
    """
    tuning = prepared.tuning
    progress = RunProgress(prepared.plan.size, lab.path, lab.store.claims)
    if watch is not None:
        watch(progress)
    development, found = prepared.halves.development, dict[str, Any]()
    row, stopped = await prepared.run_half(
        lab, (prepared.always,), development, progress, key=prepared.key
    )
    if not stopped:
        fit = prepared.fit([each for _, each in _read_debates(lab, row)])
        found = {name: getattr(fit, name) for name in ("n", "right", "unread", "auroc", "why")}
        if (threshold := _describe(prepared, row, fit)) is not None:
            threshold.write(Path(tuning.table.fit))
            test, stopped = await _test(lab, prepared, threshold, progress)
            found |= {"threshold": threshold, "file": tuning.table.fit, "test": test}
    return FittedGate(
        run=prepared.key,
        store=describe_place(lab.place),
        simulated=prepared.simulated,
        protocol=tuning.protocol.name,
        signal=prepared.signal,
        setting=prepared.setting,
        spent=prepared.sum_spent(lab),
        stopped=stopped or None,
        **found,
    )


def _describe(prepared: PreparedFit, row: RunRow, fit: ThresholdFit) -> FittedThreshold | None:
    """Return the content of the file; None where the fit is refused."""
    chosen, settings = fit.chosen, prepared.always.settings
    if chosen is None:
        return None
    own: dict[str, Any] = {key: value for key, value in settings.items() if key not in OWN}
    threshold = FittedThreshold(
        signal=prepared.signal,
        protocol=prepared.tuning.protocol.name,
        threshold=chosen.threshold,
        why=fit.why,
        settings=own,
        models=sorted(models_in(settings)),
        datasets=sorted({dataset for dataset, _ in prepared.halves.development}),
        runs=[prepared.key],
        made=f"{datetime.fromtimestamp(row.created, UTC):%Y-%m-%d}",
        questions=FittedThreshold.hash_questions(_list_questions(prepared)),
        n=fit.n,
        right=fit.right,
        unread=fit.unread,
        auroc=fit.auroc,
        margin=prepared.tuning.table.margin,
        difference=chosen.difference,
        accepted=chosen.accepted,
        share=chosen.share,
    )
    return threshold if fit.classifier is None else threshold.with_classifier(fit.classifier)


def _list_questions(prepared: PreparedFit) -> Iterator[Question]:
    for dataset, questions in prepared.plan.questions.items():
        for question in questions:
            if (dataset, question.id) in prepared.halves.development:
                yield question


async def _test(
    lab: Lab, prepared: PreparedFit, threshold: FittedThreshold, progress: RunProgress
) -> tuple[GateTest | None, str]:
    """Hold the gate beside the debate on the other questions; return why it stopped, if so."""
    fitted = threshold.filled_in | {FILLED_IN: threshold.digest}
    point = prepared.tuning.table.baseline | fitted
    arms = (prepared.always, prepared.tuning.arm(GATED, point))
    key = f"{prepared.key}-test-{threshold.digest[:6]}"
    row, stopped = await prepared.run_half(lab, arms, prepared.halves.held_out, progress, key=key)
    if stopped:
        return None, stopped
    held: dict[str, dict[Key, GatedDebate]] = {ALWAYS: {}, GATED: {}}
    for arm, debate in _read_debates(lab, row):
        held[arm][debate.key] = debate
    right = {arm: {key: float(each.last) for key, each in own.items()} for arm, own in held.items()}
    both = held[ALWAYS].keys() & held[GATED].keys()
    took = {arm: sum(own[key].total for key in both) for arm, own in held.items()}
    always = mean_over_questions(right[ALWAYS])
    return (
        GateTest(
            run=key,
            questions=always.questions,
            gated=mean_over_questions(right[GATED]),
            always=always,
            difference=compare_paired(right[GATED], right[ALWAYS]),
            share=took[GATED] / took[ALWAYS] if both else None,
        ),
        "",
    )


def _read_debates(lab: Lab, row: RunRow) -> Iterator[tuple[str, GatedDebate]]:
    """Yield the debates of a run that did not fail, each with its arm."""
    for each in lab.store.debates(row.id):
        key = f"{each.dataset}/{each.question}", each.replicate
        if (found := read_debate(each.transcript, key)) is not None:
            yield each.arm, found
