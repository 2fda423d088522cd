"""One question, made ready to be debated: all that can be wrong with it is found here."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.core.events import Transcript
from moot.core.messages import Message
from moot.core.ports import Model
from moot.core.questions import KINDS, Kind, Question
from moot.core.stored import Arm, RunRow, Status
from moot.core.texts import clean
from moot.debate.cast import speaking
from moot.debate.context import Listener
from moot.debate.evidence import contents, ready
from moot.debate.nodes import packs
from moot.debate.protocol import Protocol
from moot.debate.protocol import registry as protocols
from moot.debate.run_debate import run_debate
from moot.metrics.metric import measure
from moot.models.prices import Price
from moot.parsing import openings
from moot.prompts.packs import Pack
from moot.runtime.budget import Budget
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from moot.studies.lab import Lab, open_lab
from moot.studies.run import kept
from moot.studies.shots import FewShotExamples, Shots
from moot.studies.study import ASKED

OWN = "starters"
"""The dataset whose training part has moot's own examples."""


class Prepared(NamedTuple):
    """A debate of one question that can be held.

    Attributes:
        question: what is debated.
        protocol: the algorithm.
        settings: every setting in force.
        pack: the prompts.
        overlay: the user's file of prompts they were laid over with.
        served: what the few-shot styles show.
    """

    question: Question
    protocol: Protocol
    settings: dict[str, Any]
    pack: Pack
    overlay: Path | None
    served: FewShotExamples

    async def begin(self, lab: Lab, replicate: int | None = 0) -> tuple[RunRow, int]:
        """Open the run under which it is kept; asking the same again goes on with it.

        Args:
            lab: where its models and its store are.
            replicate: which of several debates of the same question it is; None: a new one.

        Returns:
            The run, and the replicate.

        Raises:
            InputError: there is no such model; nothing is kept then.
        """
        for name in speaking(self.settings):
            lab.model(name)
        everything = list(packs(self.protocol, self.settings, self.overlay))
        content = [self.question, everything, self.served.content, *contents(self.settings)]
        asked = msgspec.json.encode(
            [self.protocol.name, self.settings, *content], order="deterministic"
        )
        key = f"ask-{blake2b(asked, digest_size=5).hexdigest()}"
        arm = Arm(name=self.protocol.name, protocol=self.protocol.name, settings=self.settings)
        study = kept(lab, ASKED, [arm])
        return await lab.store.open_debate(key, ASKED, study, replicate)

    async def run_standalone(
        self,
        *,
        model: str | Model | None,
        store: str | Path | None,
        budget: Budget | None,
        prices: Mapping[str, Price] | None,
        listen: Listener | None,
    ) -> tuple[Transcript, str]:
        """Hold it in a laboratory of its own; the transcript, and its run's key.

        Args:
            model: who speaks, where it is an object that its owner closes.
            store: the ledger's folder.
            budget: the most it may cost.
            prices: of the models, by name, where they are unknown or others.
            listen: is told each event as it happens.
        """
        async with open_lab(store) as lab:
            if isinstance(model, Model):
                lab.bring([model])
            asked = list(speaking(self.settings))
            priced = lab.prices(prices or {}, asked, where="prices (--price)")
            row, _ = await self.begin(lab)
            lab.spend(budget or Budget(), Retry(), priced, run=row.id, models=asked)
            transcript = await self.hold(lab, row, lab.path, listen=listen)
        return transcript, row.key

    async def hold(
        self,
        lab: Lab,
        row: RunRow,
        path: CallPath,
        *,
        replicate: int = 0,
        number: int = 0,
        listen: Listener | None = None,
    ) -> Transcript:
        """Hold the debate and keep it. Its run counts as stopped where it does not come to an end.

        Args:
            lab: where its models and its store are.
            row: its run, see ``begin``.
            path: where its calls go.
            replicate: which of several debates of the same question it is.
            number: its place among all debates: calls of earlier ones go first.
            listen: is told each event as it happens.
        """
        ended: Status = "stopped"
        if row.status != "running":
            lab.store.leave_status(row.id, "running")
        try:
            transcript = await run_debate(
                self.protocol,
                self.question,
                settings=self.settings,
                path=path,
                model=lab.model,
                pack=self.pack,
                overlay=self.overlay,
                examples=self.served.before(self.question),
                replicate=replicate,
                number=number,
                listen=listen,
            )
            place = row.id, self.protocol.name, "ask", self.question.id, replicate
            await lab.store.save_debate(*place, transcript, measure(transcript))
            ended = "done"
        finally:
            lab.store.leave_status(row.id, ended)  # a commit is long where others debate, too
        return transcript


def typed(given: Mapping[str, object], types: Mapping[str, tuple[Any, str]]) -> None:
    """Whether each parameter is of its type. Raises ``InputError`` naming the one that is not.

    Args:
        given: the parameters by name.
        types: what each may be, and the same in words.
    """
    for name, value in given.items():
        kinds, words = types[name]
        if not isinstance(value, kinds):
            raise InputError(f"{name}: expected {words}, got {value!r}")


def prepare(
    question: str,
    *,
    protocol: str,
    settings: Mapping[str, Any],
    choices: Sequence[str] = (),
    kind: Kind | None = None,
    context: str | None = None,
    answer: str | None = None,
    history: Sequence[Message] = (),
    prompts: Path | None = None,
) -> Prepared:
    """Check all that was given. Raises ``InputError``.

    The parameters are those of ``ask``; ``history`` is the conversation that the question goes on
    with.
    """
    asked = _question(question, choices, kind, context, history)
    if answer is not None:
        right = openings.answer_of(answer, asked, where="answer")
        asked = msgspec.structs.replace(asked, answer=right)
    algorithm = protocols.get(protocol)
    given = dict(settings)
    if given.get("put") is not None:
        given.setdefault("opening", "put")
    checked = algorithm.check(given)
    if checked["put"] is not None and checked["opening"] != "put":
        raise InputError(
            f"put = {checked['put']!r}: opening = {checked['opening']!r} puts forward another "
            "value, or none; leave out one of the two"
        )
    ready(checked, f"protocol {algorithm.name}")
    openings.check(asked, checked["opening"], checked["put"])
    served = _served(algorithm, asked, checked)
    return Prepared(asked, algorithm, checked, algorithm.pack(prompts), prompts, served)


def _question(
    text: str,
    choices: Sequence[str],
    kind: Kind | None,
    context: str | None,
    history: Sequence[Message],
) -> Question:
    """What was asked, as a question. Raises ``InputError`` for what cannot be one."""
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
    if kind not in KINDS:
        raise UnknownName("kind", kind, KINDS, where="question")
    if kind == "choice" and not 2 <= len(choices) <= 26:
        raise InputError("choices: a multiple-choice question needs 2 to 26 of them")
    if kind != "choice" and choices:
        raise InputError(f"choices: a question of kind {kind!r} has none; leave out the kind")
    text, options = clean(text), tuple(map(clean, choices))
    context = None if context is None else clean(context)
    earlier = tuple([Message(each.role, clean(each.content)) for each in history])
    put = (text, options, context, *earlier)
    return Question(
        id=f"ask-{blake2b(repr(put).encode(), digest_size=5).hexdigest()}",
        kind=kind,
        text=text,
        context=context,
        choices=options,
        history=earlier or msgspec.UNSET,
    )


def _served(protocol: Protocol, question: Question, settings: dict[str, Any]) -> FewShotExamples:
    """What the few-shot styles show: from the user's file, else moot's own of this kind."""
    where = f"protocol {protocol.name}"
    shots = Shots(Path())
    served = shots.of([question], settings, dataset=OWN, parameters={}, label=OWN, where=where)
    shots.check()
    return served
