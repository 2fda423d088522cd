"""What one question that is asked will take, told before anything is paid."""

from collections.abc import Mapping
from pathlib import Path

from moot.core.ports import Model
from moot.core.stored import Arm
from moot.debate.cast import speaking
from moot.models.prices import Price
from moot.studies.estimate import Estimate
from moot.studies.expected import estimate
from moot.studies.lab import open_lab
from moot.studies.listed import Listed
from moot.studies.plan import Task
from moot.studies.prepared import Prepared
from moot.studies.readiness import problems
from moot.studies.study import ASKED, Study

DATASET = "ask"
"""Under which questions that are asked stand in the store."""


class Alone(Listed):
    """The plan of one question that is asked.

    Args:
        prepared: the question, and how it is debated.
    """

    def __init__(self, prepared: Prepared) -> None:
        name = prepared.protocol.name
        arm = Arm(name=name, protocol=name, settings=prepared.settings)
        super().__init__(
            Study(name=ASKED, datasets=(), arms=(arm,), baseline=None, file=f"protocol {name}")
        )
        task = Task(
            number=0,
            dataset=DATASET,
            question=prepared.question,
            arm=arm,
            protocol=prepared.protocol,
            pack=prepared.pack,
            overlay=prepared.overlay,
            examples=prepared.served.before(prepared.question),
            replicate=0,
        )
        self.own, self.size = [task], 1


async def foresee(
    prepared: Prepared,
    *,
    model: Model | None = None,
    store: str | Path | None = None,
    prices: Mapping[str, Price] | None = None,
) -> tuple[Estimate, list[str]]:
    """What a question will take, and what keeps its models from answering; none is asked.

    Args:
        prepared: the question, and how it is debated.
        model: a model object to use for its name.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        prices: of the models, by name, where they are unknown or others.

    Raises:
        InputError: there is no such model, or a price is of none that speaks.
        StoreError: the store cannot be read.
    """
    async with open_lab(store) as lab:
        if model is not None:
            lab.bring([model])
        asked = list(speaking(prepared.settings))
        stated = lab.prices(prices or {}, asked, where="prices (--price)")
        missing = await problems(map(lab.model, asked))
        return await estimate(Alone(prepared), lab, stated), missing
