"""One question, debated: a study of one, through one call."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from moot.core.answer import Answer
from moot.core.encoding import replace_surrogates
from moot.core.errors import InputError, NotFoundError, check_known
from moot.core.events import Transcript
from moot.core.messages import Message
from moot.core.ports import Ledger, Model
from moot.core.questions import KINDS, Kind, Question, ToolUse
from moot.core.stored import Arm, DebateOrigin, RunRow, Status, decode_study
from moot.debate.context import Listener
from moot.debate.debate_settings import complete, hash_packs, list_content
from moot.debate.protocol import is_steerable
from moot.debate.protocol import registry as protocols
from moot.debate.recorded import list_dissents
from moot.debate.unread import list_unread
from moot.models.prices import Price
from moot.protocols import DEFAULT
from moot.runtime.budget import Budget
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from moot.studies.fitted import fill_fitted
from moot.studies.lab import Lab, encode_study, open_lab
from moot.studies.packed_questions import Questions
from moot.studies.plan import Plan
from moot.studies.study import ASKED, Study, StudyDataset
from moot.studies.task import ReadyArm, Task

if TYPE_CHECKING:
    from moot.debate.steering import Steering

OWN = "starters"
"""The dataset whose training part has moot's own worked examples."""

UNMEASURED = DebateOrigin(None, b"\1\0\0\0\0")
"""The origin of a debate by itself: no metric has measured it. See ``metric_code``."""


class QuestionPlan(Plan):
    """The plan of one question: a study of one arm, which asks it alone.

    Args:
        question: what is debated.
        study: its arm, and what it may cost.

    Attributes:
        question: what is debated.
        protocol: the algorithm.
        settings: every setting in force.
        overlay: the user's file of prompts that lies over moot's own; None without one.
    """

    STUDY = ASKED
    """The name of the study under which such debates are kept."""
    PROTOCOL = DEFAULT
    """The protocol of a question for which none is named."""
    limited = False

    def __init__(self, question: Question, study: Study) -> None:
        self.question = question
        super().__init__(study, questions={ASKED: Questions([question])})
        [(arm, settings, _, self.overlay)] = self.arms
        self.settings, self.protocol = arm.settings, settings.protocol

    def where(self, ready: ReadyArm, dataset: str = "") -> str:  # noqa: ARG002 -- there is one of each
        """Return the words by which error texts name the plan: its protocol."""
        return self.study.file

    def prices(self, lab: Lab) -> dict[str, Price]:
        """Return the stated prices by the names under which the models' calls go."""
        return lab.prices(self.study.prices, self.models, where="prices (--price)")

    def task(self, replicate: int = 0, number: int = 0) -> Task:
        """Return the debate.

        Args:
            replicate: which of several debates of the same question it is, from 0.
            number: its place among all debates: calls of earlier ones go first.
        """
        [ready] = self.arms
        return self._ready_task(number, ASKED, 0, self.question, ready, replicate)

    def require_steerable(self) -> None:
        """Raise ``InputError`` where the debate cannot be steered while it runs."""
        if not is_steerable(self.protocol, self.settings):
            can = ", ".join(each.name for each in protocols if each.steered)
            raise InputError(
                f"{self.protocol.name} has no further round that a person could ask for: it cannot "
                f"be steered; these can: {can}"
            )

    async def load_steering(self, ledger: Ledger, row: RunRow, replicate: int) -> "Steering | None":
        """Return the recorded steps of a debate of its run; None where it cannot be steered."""
        if not is_steerable(self.protocol, self.settings):
            return None
        from moot.debate.steering import Steering  # few debates can be steered

        return await Steering.load(ledger, row.key, replicate)

    async def begin(self, lab: Lab, replicate: int | None = 0) -> tuple[RunRow, int]:
        """Begin the run that stores the debate; asking the same again goes on with that run.

        Args:
            lab: where its models and its store are.
            replicate: which of several debates of the same question it is; None: a new one.

        Returns:
            The run, and the replicate.

        Raises:
            InputError: there is no such model, or the right answer cannot be read. Nothing is
                stored then.
        """
        await self.settle()
        for name in self.models:
            lab.model(name)
        asked: dict[str, Any] = {"question": self.question}
        if self.overlay is not None:
            asked["prompts"] = str(self.overlay)
        study = encode_study(lab, self.study.name, self.study.arms, asked=asked)
        return await lab.store.open_debate(self.key, self.study.name, study, replicate)

    async def debate(
        self,
        lab: Lab,
        row: RunRow,
        replicate: int = 0,
        number: int = 0,
        *,
        path: CallPath | None = None,
        listen: Listener | None = None,
        steering: "Steering | None" = None,
    ) -> Transcript:
        """Hold the debate in a run that was begun, and store it.

        The run counts as stopped where the debate does not end, and where the endpoint knows no
        such model before anything was said: such a debate is not stored. The run's end shows no
        metric: whoever asks for one later has it measured from the transcript.

        Args:
            lab: where its models and its store are.
            row: the run.
            replicate: which of several debates of the same question it is.
            number: its place among all debates: calls of earlier ones go first.
            path: where its calls go; where those of the laboratory go, when not given.
            listen: is called with each event as it happens.
            steering: what a person asks of the debate while it runs.
        """
        task, store = self.task(replicate, number), lab.store
        ended: Status = "stopped"
        if row.status != "running":
            store.set_status(row.id, "running", wait=False)
        try:
            transcript = await task.run(path or lab.path, lab.model, listen, steering)
            if not _lacks_model(transcript):
                place = row.id, task.arm.name, task.dataset, task.question.id, replicate
                await store.save_debate(*place, transcript, {}, UNMEASURED)
                ended = "done"
        finally:
            store.set_status(row.id, ended, wait=False)  # a commit is long where others debate, too
        return transcript

    async def answer(
        self,
        *,
        model: str | Model | None,
        store: str | Path | None,
        listen: Listener | None,
        steering: "Steering | None" = None,
    ) -> Answer:
        """Debate the question in a laboratory of its own, and return the answer.

        Args:
            model: the model, where it is an object that its owner closes.
            store: the ledger's folder.
            listen: is called with each event as it happens.
            steering: what a person asks of the debate while it runs; the recorded steps when not
                given.

        Raises:
            InputError: the endpoint knows no such model, and nothing was paid for.
        """
        async with open_lab(store) as lab:
            if isinstance(model, Model):
                lab.use_models([model])
            prices, study = self.prices(lab), self.study
            row, replicate = await self.begin(lab)
            lab.set_budget(study.budget, study.retry, prices, run=row.id, models=self.asked)
            if steering is None:
                recorded = await self.load_steering(lab.store, row, replicate)
                steering = recorded if recorded and recorded.steps else None
            transcript = await self.debate(lab, row, listen=listen, steering=steering)
        if transcript.failed is not None and _lacks_model(transcript):
            raise InputError(transcript.failed.words)
        return Answer(
            transcript=transcript,
            run=row.key,
            dissents=list_dissents(transcript),
            unread=list_unread(transcript),
        )

    def _key(self, limit: int | None) -> str:  # noqa: ARG002 -- as of every plan
        [(arm, settings, _, overlay)] = self.arms
        everything = list(hash_packs(settings, overlay, self.kinds))
        loaded = self.list_loaded(ASKED, arm.name)
        content = [self.question, everything, loaded, *list_content(settings)]
        asked = msgspec.json.encode([arm.protocol, arm.settings, *content], order="deterministic")
        return f"ask-{blake2b(asked, digest_size=5).hexdigest()}"


def _lacks_model(transcript: Transcript) -> bool:
    """Whether the endpoint knows no such model, so that nothing was said."""
    failed = transcript.failed
    return failed is not None and failed.kind == NotFoundError.__name__ and not transcript.turns


def plan_question(
    question: str,
    *,
    protocol: str,
    settings: Mapping[str, Any],
    choices: Sequence[str] = (),
    kind: Kind | None = None,
    context: str | None = None,
    answer: str | None = None,
    history: Sequence[Message] = (),
    tool_use: ToolUse | None = None,
    prompts: Path | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
) -> QuestionPlan:
    """Check everything that was given, and return the plan. Raises ``InputError``.

    The parameters are those of ``ask``; ``history`` is the conversation that the question goes on
    with, ``tool_use`` a client's tools, for a protocol of one agent alone.
    """
    asked = _question(question, choices, kind, context, history, tool_use)
    if answer is not None:
        from moot.debate.opening_values import read_user_answer  # which needs the readers of prose

        right = read_user_answer(answer, asked, where="answer")
        asked = msgspec.structs.replace(asked, answer=right)
    given, known = complete(settings), protocols.get(protocol)
    named, where = given.get(known.fitted_setting), f"protocol {known.name}"
    given |= fill_fitted(named, known, None, where=where)
    checked = known.check(given, overlay=prompts)
    arm = Arm(name=known.name, protocol=known.name, settings=checked)
    return _plan_arm(asked, arm, prompts, budget=budget or Budget(), prices=dict(prices or {}))


def restore_plan(row: RunRow) -> QuestionPlan | None:
    """Return the plan of a run's debates, to go on with one that was interrupted.

    None where the run is a study's, or where an older moot began it, without its question.

    Raises:
        InputError: its prompts, examples or settings are no longer what they were: another debate
            would go on than the one that was interrupted.
        DamagedError: what the store keeps of the run cannot be read.
    """
    kept = decode_study(row)
    if kept.question is msgspec.UNSET:
        return None
    prompts = None if kept.prompts is msgspec.UNSET else Path(kept.prompts)
    plan = _plan_arm(kept.question, kept.arms[0], prompts)
    if plan.key != row.key:
        raise InputError(
            f"run {row.key}: its prompts or examples have changed since it was interrupted, so it "
            "cannot go on; ask again"
        )
    return plan


def _plan_arm(question: Question, arm: Arm, prompts: Path | None, **terms: Any) -> QuestionPlan:  # noqa: ANN401 -- what it may cost
    study = Study(
        name=ASKED,
        datasets=(StudyDataset(name=OWN, label=ASKED, n=1, seed=0, parameters={}),),
        arms=(arm,),
        baseline=None,
        prompts=prompts,
        file=f"protocol {arm.protocol}",
        **{"budget": Budget(), "retry": Retry(), "prices": {}, **terms},
    )
    return QuestionPlan(question, study)


def _question(
    text: str,
    choices: Sequence[str],
    kind: Kind | None,
    context: str | None,
    history: Sequence[Message],
    tool_use: ToolUse | None,
) -> Question:
    """Return the question that was asked. Raises ``InputError`` where it cannot be one."""
    if isinstance(choices, str):
        raise InputError(f"choices: expected a list of texts, got {choices!r}")
    for choice in choices:
        if not isinstance(choice, str):
            raise InputError(f"choices: expected a text, got {choice!r}")
    if not text.strip():
        raise InputError("question: it is empty; ask something")
    if len(set(choices)) < len(choices):
        raise InputError("choices: two of them are the same")
    kind = kind or ("choice" if choices else "text")
    check_known("kind", [kind], KINDS, where="question")
    if kind == "choice" and not 2 <= len(choices) <= 26:
        raise InputError("choices: a multiple-choice question needs 2 to 26 of them")
    if kind != "choice" and choices:
        raise InputError(f"choices: a question of kind {kind!r} has none; leave out the kind")
    text, options = replace_surrogates(text), tuple(map(replace_surrogates, choices))
    context = None if context is None else replace_surrogates(context)
    earlier = tuple(
        [
            msgspec.structs.replace(each, content=replace_surrogates(each.content))
            for each in history
        ]
    )
    put = (text, options, context, *earlier, *([tool_use] if tool_use else []))
    return Question(
        id=f"ask-{blake2b(repr(put).encode(), digest_size=5).hexdigest()}",
        kind=kind,
        text=text,
        context=context,
        choices=options,
        history=earlier or msgspec.UNSET,
        tool_use=tool_use or msgspec.UNSET,
    )
