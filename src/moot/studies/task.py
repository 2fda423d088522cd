"""One debate of a plan, ready to be run."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from moot.core.events import Transcript
from moot.core.ports import Model
from moot.core.questions import Example, Question
from moot.core.stored import Arm
from moot.debate.context import Examples, Listener, Neighbour, no_neighbour
from moot.debate.protocol import Protocol
from moot.debate.run_debate import run_debate
from moot.debate.steering import Steering
from moot.prompts.packs import Pack
from moot.runtime.path import CallPath
from moot.studies.shots import ExampleChoice, example_choice, iterate_settings, needs_examples

ChosenExamples = tuple[tuple[ExampleChoice, Sequence[Example]], ...]
"""The examples shown in a debate, by what its settings, and those of its nodes, say of examples."""


class Task(NamedTuple):
    """One debate of a plan, ready to be run.

    Attributes:
        number: its place among all debates: calls of earlier ones go first.
        dataset: the label of its dataset.
        question: what is debated.
        arm: with every setting in force.
        protocol: the algorithm of the arm.
        pack: the prompts of the arm.
        overlay: the file of prompts that lie over moot's own; None without one.
        examples: the worked examples that its few-shot styles show.
        replicate: which of several debates of the arm on the question it is, from 0.
        neighbour: returns the question that follows in the dataset; see ``DebateContext``.
    """

    number: int
    dataset: str
    question: Question
    arm: Arm
    protocol: Protocol
    pack: Pack
    overlay: Path | None
    examples: Examples
    replicate: int
    neighbour: Neighbour = no_neighbour

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Arm, dataset, question and replicate: by these a run has its record."""
        return self.arm.name, self.dataset, self.question.id, self.replicate

    async def run(
        self,
        path: CallPath,
        model: Callable[[str], Model],
        listen: Listener | None = None,
        steering: Steering | None = None,
    ) -> Transcript:
        """Run the debate and return its transcript, as ``run_debate`` does.

        Args:
            path: where its calls go.
            model: returns the model of a name.
            listen: is called with each event as it happens.
            steering: what a person asks of the debate while it runs.
        """
        return await run_debate(
            self.protocol,
            self.question,
            settings=self.arm.settings,
            path=path,
            model=model,
            pack=self.pack,
            overlay=self.overlay,
            examples=self.examples,
            replicate=self.replicate,
            number=self.number,
            neighbour=self.neighbour,
            listen=listen,
            steering=steering,
        )

    def choose_examples(self) -> ChosenExamples:
        """Return the examples of the debate and its nodes, for another process."""
        found = {
            example_choice(own): self.examples(own)
            for _, own in iterate_settings(self.arm.settings)
            if needs_examples(own)
        }
        return tuple(found.items())

    @staticmethod
    def restore_examples(chosen: ChosenExamples) -> Examples:
        """Return the function from settings to examples that ``choose_examples`` has replaced."""
        found = dict(chosen)

        def examples(settings: Mapping[str, Any]) -> Sequence[Example]:
            return found[example_choice(settings)] if needs_examples(settings) else ()

        return examples


class ReadyArm(NamedTuple):
    """An arm with its protocol and its prompts; the fields are those of ``Task``."""

    arm: Arm
    protocol: Protocol
    pack: Pack
    overlay: Path | None
