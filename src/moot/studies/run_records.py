"""What a store keeps of a run: its study, and a debate that is run by itself."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from moot.core.events import Transcript
from moot.core.stored import Arm, RunRow, Status, StudyRow
from moot.debate.agent_config import models_in
from moot.debate.context import Listener
from moot.debate.steering import Steering
from moot.runtime.path import CallPath
from moot.studies.batch_writer import save_debate
from moot.studies.lab import Lab
from moot.studies.task import Task


def encode_study(
    lab: Lab,
    name: str,
    arms: Iterable[Arm],
    baseline: str | None = None,
    debates: int | None = None,
    analyses: tuple[str, ...] = (),
    asked: Mapping[str, Any] | None = None,
) -> bytes:
    """Encode a study for the store; an arm is simulated when any model that speaks in it is.

    ``asked`` has the question and the prompts of a debate that was asked for by itself.
    """
    arms = tuple(arms)
    simulated = tuple(
        arm.name
        for arm in arms
        if any(lab.model(name).simulated for name in models_in(arm.settings))
    )
    return msgspec.json.encode(
        StudyRow(
            name=name,
            arms=arms,
            baseline=baseline,
            simulated=simulated,
            debates=debates,
            analyses=analyses,
            **(asked or {}),
        )
    )


async def run_and_save(
    lab: Lab,
    row: RunRow,
    task: Task,
    path: CallPath,
    *,
    listen: Listener | None = None,
    steering: Steering | None = None,
) -> Transcript:
    """Run one debate and store it; its run counts as stopped where the debate does not end.

    Args:
        lab: where its models and its store are.
        row: its run.
        task: the debate.
        path: where its calls go.
        listen: is called with each event as it happens.
        steering: what a person asks of the debate while it runs.
    """
    ended: Status = "stopped"
    if row.status != "running":
        lab.store.queue_status(row.id, "running")
    try:
        transcript = await task.run(path, lab.model, listen=listen, steering=steering)
        await save_debate(lab.store, row.id, task.key, transcript)
        ended = "done"
    finally:
        lab.store.queue_status(row.id, ended)  # a commit is long where others debate, too
    return transcript
