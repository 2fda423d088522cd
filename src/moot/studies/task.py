"""One debate of a plan, ready to be run."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from moot.core.events import Transcript
from moot.core.ports import Model
from moot.core.questions import Example, Question
from moot.core.stored import Arm
from moot.debate.context import Examples, Listener, Neighbour, no_neighbour
from moot.debate.debate_settings import DebateSettings
from moot.debate.run_debate import run_debate
from moot.debate.steering import Steering
from moot.prompts.packs import Pack
from moot.runtime.path import CallPath
from moot.studies.shots import ExampleChoice, example_choice, needs_examples

ChosenExamples = tuple[tuple[ExampleChoice, Sequence[Example]], ...]
"""The examples shown in a debate, by what its settings, and those of its nodes, say of examples."""


class Task(NamedTuple):
    """One debate of a plan, ready to be run.

    Attributes:
        number: its place among all debates: calls of earlier ones go first.
        dataset: the label of its dataset.
        question: what is debated.
        arm: as it is recorded.
        settings: every setting in force, with the protocol.
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
    settings: DebateSettings
    pack: Pack
    overlay: Path | None
    examples: Examples
    replicate: int
    neighbour: Neighbour = no_neighbour

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
            self.settings,
            self.question,
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
            for _, own in self.settings.walk()
            if needs_examples(own)
        }
        return tuple(found.items())

    @staticmethod
    def restore_examples(chosen: ChosenExamples) -> Examples:
        """Return the function from settings to examples that ``choose_examples`` has replaced."""
        found = dict(chosen)

        def examples(settings: DebateSettings) -> Sequence[Example]:
            return found[example_choice(settings)] if needs_examples(settings) else ()

        return examples


class ReadyArm(NamedTuple):
    """An arm with its settings and its prompts; the fields are those of ``Task``."""

    arm: Arm
    settings: DebateSettings
    pack: Pack
    overlay: Path | None

    @property
    def calls(self) -> tuple[int, int]:
        """The fewest and the most calls of one debate."""
        return self.settings.protocol.count_all(self.settings)[:2]  # type: ignore[no-any-return]  # a protocol
