"""What a study is: datasets, arms, and what they may cost."""

from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from moot.core.stored import Arm, StopRule
from moot.debate.agent_config import models_in
from moot.models.prices import Price
from moot.models.tables import ModelTable
from moot.runtime.budget import Budget
from moot.runtime.retry import Retry

ASKED = "ask"
"""The name under which ``moot ask`` keeps its debates."""
OURS = "ours"
"""Among the values of ``prompts``: moot's own, with no file laid over them."""


class StudyDataset(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One dataset of a study.

    Attributes:
        label: what results call it; the dataset's name unless the study says otherwise.
        n: how many questions are drawn; None takes all there are.
        seed: of the draw.
        parameters: the dataset's own.
        documents: how many documents each question has in place of its passage; 0 leaves it.
        own_document: whether its own passage is one of them.
    """

    name: str
    label: str
    n: int | None
    seed: int
    parameters: dict[str, Any]
    documents: int = 0
    own_document: bool = True


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """Datasets × arms × replicates, and what they may cost.

    Attributes:
        baseline: the arm the others are compared with; None where there is one arm alone.
        replicates: how often everything is repeated, with other draws; at least 1.
        at_once: debates under way at the same time; None leaves it to what the models can take.
        confirm_above: an estimated cost in US dollars above which the command line asks first.
        models: models that the study describes itself, by the names it gives them.
        analyses: names of the analyses that ``moot report`` writes of its runs.
        prompts: a file of prompts laid over moot's own, in all arms that have none of their own.
        folder: what the paths in it are relative to.
        file: where it was read from, for error texts.
        stop: when its methods are settled, where it looks at its questions block by block; None for
            a study of fixed size.
        pools: by the arm of each method of such a study, the arm of its vote.
        left_out: names of the arms of its file that were not chosen.
    """

    name: str
    datasets: tuple[StudyDataset, ...]
    arms: tuple[Arm, ...]
    baseline: str | None
    replicates: int = 1
    at_once: int | None = None
    confirm_above: float = 1.0
    prompts: Path | None = None
    folder: Path = Path()
    budget: Budget = Budget()
    retry: Retry = Retry()
    prices: dict[str, Price] = {}
    models: dict[str, ModelTable] = {}
    analyses: tuple[str, ...] = ()
    file: str = "study"
    stop: StopRule | None = None
    pools: dict[str, str] = {}
    left_out: tuple[str, ...] = ()

    @property
    def models_that_speak(self) -> list[str]:
        """The names of all models that speak in any arm, each once."""
        return list(dict.fromkeys(name for arm in self.arms for name in models_in(arm.settings)))

    def cap(
        self, *, cost: float | None = None, calls: int | None = None, tokens: int | None = None
    ) -> "Study":
        """Return the study with further caps; of two of one kind the lower one holds.

        Raises:
            InputError: a cap is negative.
        """
        return replace(self, budget=self.budget.lower(cost=cost, calls=calls, tokens=tokens))


def overlay_of(named: str, folder: Path, prompts: Path | None) -> Path | None:
    """Return the file of prompts that lies over moot's own in an arm; None without one.

    Args:
        named: by the arm; empty for none.
        folder: what the study's paths are relative to.
        prompts: the file of arms that name none themselves.
    """
    if not named:
        return prompts
    return None if named == OURS else folder / named
