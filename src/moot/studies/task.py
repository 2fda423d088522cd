"""One debate of a plan, ready to be run."""

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from moot.core.events import Transcript
from moot.core.ports import Model
from moot.core.questions import Question
from moot.core.stored import Arm
from moot.debate.context import Listener, Neighbour, no_neighbour
from moot.debate.debate_settings import DebateSettings, hash_packs, list_content
from moot.debate.feature import Feature, Supplies
from moot.debate.protocol import registry as protocols
from moot.debate.run_debate import run_debate
from moot.prompts.packs import Pack
from moot.runtime.path import CallPath

if TYPE_CHECKING:
    from moot.debate.steering import Steering


class Runnable(Protocol):
    """Work that runs beside others: a debate, or the samples of a vote."""

    @property
    def key(self) -> tuple[str, str, str, int]:
        """As of ``Task``."""

    def run(self, path: CallPath, model: Callable[[str], Model]) -> Coroutine[Any, Any, Transcript]:
        """As of ``Task``."""


R = TypeVar("R", bound=Runnable)


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
        supplies: what is loaded for its features.
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
    supplies: Supplies
    replicate: int
    neighbour: Neighbour = no_neighbour

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Arm, dataset, question and replicate: by these a run has its record."""
        return self.arm.name, self.dataset, self.question.id, self.replicate

    def run(
        self,
        path: CallPath,
        model: Callable[[str], Model],
        listen: Listener | None = None,
        steering: "Steering | None" = None,
    ) -> Coroutine[Any, Any, Transcript]:
        """Run the debate and return its transcript, as ``run_debate`` does.

        Args:
            path: where its calls go.
            model: returns the model of a name.
            listen: is called with each event as it happens.
            steering: what a person asks of the debate while it runs.
        """
        return run_debate(
            self.settings,
            self.question,
            path=path,
            model=model,
            pack=self.pack,
            overlay=self.overlay,
            supplies=self.supplies,
            replicate=self.replicate,
            number=self.number,
            neighbour=self.neighbour,
            listen=listen,
            steering=steering,
        )

    def choose(self) -> Supplies:
        """Return its supplies with what is chosen before its question, for another process."""
        return {name: Chosen(each.choose(self.question)) for name, each in self.supplies.items()}


class Chosen(NamedTuple):
    """Data chosen before a question, in place of the data it was chosen from."""

    chosen: Any

    def choose(self, question: Question) -> Any:  # noqa: ANN401, ARG002 -- as what is loaded
        """Return the chosen data."""
        return self.chosen


class ReadyArm(NamedTuple):
    """An arm with its settings and its prompts; the fields are those of ``Task``."""

    arm: Arm
    settings: DebateSettings
    pack: Pack
    overlay: Path | None

    @classmethod
    def prepare(cls, arm: Arm, overlay: Path | None) -> "ReadyArm":
        """Return an arm with settings and prompts. Raises ``InputError`` for damaged prompts."""
        protocol = protocols.get(arm.protocol)
        settings = protocol.read(arm.settings)
        return cls(arm, settings, settings.pack(overlay), overlay)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The hashes of the prompts that its debates may show."""
        return tuple(hash_packs(self.settings, self.overlay))

    @property
    def content(self) -> tuple[Any, ...]:
        """The content of its features, such as hashes of folders. Raises ``InputError``."""
        return tuple(list_content(self.settings))

    @property
    def calls(self) -> tuple[int, int]:
        """The fewest and the most calls of one debate."""
        return self.settings.protocol.count_all(self.settings)[:2]  # type: ignore[no-any-return]  # a protocol


class Loaders:
    """The loaders of features, for all arms of a plan.

    Args:
        folder: what paths in settings are relative to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._found = folder, dict[Feature, Any]()

    def load(self, ready: ReadyArm, questions: Sequence[Question], **of: Any) -> dict[str, Any]:  # noqa: ANN401 -- as loaders take it
        """Return the data of the debates of an arm on a dataset, by a setting of each feature."""
        made: dict[str, Any] = {}
        for feature in ready.settings.list_loaders():
            if feature not in self._found:
                self._found[feature] = feature.loader(self._folder)
            made[feature.names[0]] = self._found[feature].load(questions, ready.settings, **of)
        return made

    def check(self) -> None:
        """Check what only all that is loaded together shows. Raise ``InputError``."""
        for loader in self._found.values():
            loader.check()
