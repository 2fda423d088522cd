"""How often an exchange of thought ends early between leaves that differ.

    python bench/stops.py                      200 questions of MedQA, debate and memory
    python bench/stops.py --questions 20 --stop similarity

Simulated agents (accuracy 0.5) hold debates by exchange-of-thought on the first questions of MedQA,
one arm in each topology that is named, ended by `similarity`, and otherwise at default settings. A
debate is *early* when it has fewer rounds than it may have. The exit code is 1 when Kitty's and
Peter's answers differ at the end of an early debate.
"""

import argparse
import asyncio
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from moot.core.events import Transcript
from moot.core.questions import Question
from moot.datasets import library
from moot.debate.protocol import registry
from moot.debate.run_debate import run_debate
from moot.ledger.store import Store
from moot.models.simulated import Simulated
from moot.parsing.same import is_same
from moot.runtime.path import CallPath

MEDQA = Path(__file__).resolve().parents[2] / "shared" / "data" / "medqa"
MODEL = "simulated/people?accuracy=0.5"


async def debates(
    questions: list[Question], given: dict[str, str], store: Store
) -> list[Transcript]:
    """A debate on every question."""
    protocol, path = registry.get("exchange-of-thought"), CallPath(store)
    model = Simulated(accuracy=0.5)
    settings = protocol.read(protocol.check({"model": MODEL, **given}))
    return await asyncio.gather(
        *(
            run_debate(
                settings,
                question,
                path=path,
                model=lambda _: model,
                pack=protocol.pack(),
                number=number,
            )
            for number, question in enumerate(questions)
        )
    )


def early(transcript: Transcript) -> bool:
    """Whether a debate has fewer rounds than it may have."""
    return max(turn.round for turn in transcript.turns) < transcript.opened.settings["rounds"]


def differ(transcript: Transcript) -> bool:
    """Whether the leaves' newest answers are not the same."""
    newest = {turn.agent: turn.answer for turn in transcript.turns}
    return not is_same(newest["kitty"], newest["peter"], transcript.opened.question.kind)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--arms", nargs="+", default=["debate", "memory"], help="topologies")
    parser.add_argument("--stop", default="similarity", choices=["similarity", "consensus"])
    parser.add_argument("--medqa", type=Path, default=MEDQA, help="the published files")
    options = parser.parse_args()
    wrong = 0
    with TemporaryDirectory() as folder:
        os.environ["MOOT_DATA"] = folder
        async with Store.open(Path(folder) / "store") as store:
            library.add("medqa", options.medqa)
            questions = list(library.questions("medqa"))[: options.questions]
            for topology in options.arms:
                held = await debates(questions, {"topology": topology, "stop": options.stop}, store)
                ended = [transcript for transcript in held if early(transcript)]
                between = sum(map(differ, ended))
                wrong += between
                print(
                    f"{topology}: {len(held)} debates, {len(ended)} ended early, "
                    f"{between} of them between leaves that differ"
                )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    asyncio.run(main())
