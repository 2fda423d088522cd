"""The debates of every protocol on recorded replies: events, calls, run keys and values.

Replies are data here: they were made once, by a simulated model, and are given again by the place
of their call. So what a debate does is compared, and not what the simulation says.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path
from typing import Any

import moot
from golden import packed, surfaces, variants
from golden.variants import Settings

PEOPLE = "simulated/people?accuracy=0.6&unparseable=0.1"
OF_TIME = ("seconds", "cost", "retries", "replayed")
"""Parts of names of values that differ between two runs of the same debate."""
TIMED = ("seconds", "replayed")
WORDED = ("why", "reason")

Variant = tuple[str, str, dict[str, Any], str, int]
"""Protocol, variant, settings, what it is about, and replicates."""
REFUSED = "refused"
"""The key of a recorded refusal, in place of a reply."""


class RecordedModel:
    """A model that gives recorded replies by the place of the call, and notes every call there."""

    limits = moot.Limits()
    simulated = True
    endpoint = "golden"

    def __init__(self, name: str, replies: dict[str, Any], ask: moot.Model | None = None) -> None:
        self.name, self.replies, self.ask = name, replies, ask
        self.calls: dict[str, Any] = {}
        self.prompts: dict[str, Any] = {}
        self.unknown: list[str] = []
        self._asked: Counter[str] = Counter()

    async def reply(self, call: moot.Call) -> moot.Reply:
        place = self._note(call)
        if place in self.replies:
            return _decode(self.replies[place])
        if self.ask is None:
            self.unknown.append(place)
            return moot.Reply(text="Final answer: 0", cost=0.0)
        if self.name.endswith("one-refuses") and call.draw.seat == 1:
            self.replies[place] = {REFUSED: "I would rather not."}
        else:
            self.replies[place] = surfaces.encode(await self.ask.reply(call))
        return _decode(self.replies[place])

    def _note(self, call: moot.Call) -> str:
        scene = call.scene
        assert scene is not None
        draw = ".".join(map(str, call.draw))
        place = f"{scene.question.id} turn {scene.turn} of {scene.agent}, draw {draw}"
        self._asked[place] += 1
        if self._asked[place] > 1:
            place = f"{place}, again {self._asked[place] - 1}"
        sampling = surfaces.encode(call.sampling)
        self.calls[place] = {
            "step": scene.step,
            "role": scene.role,
            "reads as": scene.reads_as,
            "round": scene.round,
            "draw": [*call.draw],
            "seed": call.seed(),
            "sampling": sampling,
            "identity": surfaces.identify(call),
        }
        self.prompts[place] = "\n\n".join(f"{m.role}: {m.content}" for m in call.messages)
        return place

    def cost(self, _: moot.Reply) -> float:
        return 0.0

    async def close(self) -> None:
        """There is nothing to close."""


def _decode(recorded: dict[str, Any]) -> moot.Reply:
    if REFUSED in recorded:
        raise moot.RefusedError(recorded[REFUSED])
    return surfaces.decode_reply(recorded)


def name_of(protocol: str, variant: str) -> str:
    return f"{protocol}: {variant}" if variant else protocol


def chosen(names: Iterable[str] = ()) -> list[Variant]:
    """Return the variants that can be held here; these alone, if any are named."""
    can, wanted = surfaces.installed_protocols(), {*names}
    return [
        each
        for each in variants.list_variants(surfaces.decision_names())
        if can.get(each[0]) and (not wanted or name_of(*each[:2]) in wanted)
    ]


def dataset_of(about: str, folder: Path) -> dict[str, Any]:
    """Return the table of a dataset, whose file is in the folder."""
    if about == "arithmetic":
        return {"name": "arithmetic", "n": 2, "seed": 5, "difficulty": 2}
    path = f"{about}.jsonl"
    rows = {
        "questions": variants.QUESTIONS,
        "kinds": variants.KINDS,
        "secret": variants.SECRET,
        "motions": variants.MOTIONS,
    }
    lines = "".join(f"{json.dumps(row)}\n" for row in rows[about])
    (folder / path).write_text(lines, encoding="utf-8")
    return {"name": "file", "label": about, "path": path}


def study_of(name: str, model: str, variant: Variant, folder: Path) -> dict[str, Any]:
    protocol, _, settings, about, replicates = variant
    cast = settings.get("agents")
    given = dict(settings)
    if isinstance(cast, list):
        given["agents"] = [each | ({"model": model} if "model" in each else {}) for each in cast]
    return {
        "name": f"golden {name}",
        "datasets": [dataset_of(about, folder)],
        "replicates": replicates,
        "arms": [{"name": name, "protocol": protocol, "model": model, **given}],
    }


async def hold_all(
    held_variants: list[Variant], replies: packed.Values, folder: Path, *, record: bool
) -> dict[str, dict[str, Any]]:
    """Hold the debates of variants in one store; by each its run's key, or why it is refused."""
    held: dict[str, dict[str, Any]] = {}
    people = moot.model(PEOPLE) if record else None
    for variant in held_variants:
        name = name_of(variant[0], variant[1])
        known = dict(replies.get(name, {}))
        model = RecordedModel(f"golden/{name.replace(' ', '-')}", known, people)
        study = study_of(name, model.name, variant, folder)
        try:
            outcome = await moot.run(study, store=folder / "store", models=[model])
        except moot.MootError as error:
            held[name] = {"refused": str(error).replace(str(folder), "FOLDER")}
            continue
        held[name] = {"run": outcome.run, "model": model, "key": surfaces.run_key(study)}
    return held


def export(folder: Path, store: Path, runs: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the debates of runs as the command line exports them, by run."""
    out = folder / f"{store.name}.jsonl"
    place = ("--out", str(out), "--store", str(store))
    surfaces.run_command(folder, "export", *runs, "--format", "jsonl", *place)
    found: dict[str, list[dict[str, Any]]] = {}
    for line in out.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        found.setdefault(row["run"], []).append(row)
    out.unlink()
    return found


def split_event(event: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an event's figures and its words, without what differs from run to run."""
    figures = {key: value for key, value in event.items() if key not in (*TIMED, *WORDED)}
    return figures, {key: event[key] for key in WORDED if key in event}


def make(
    names: Iterable[str] = (), *, record: bool = False, planted: Settings | None = None
) -> dict[str, packed.Values]:
    """Hold the debates of these variants, or of all; return figures and words by variant.

    With ``record`` replies are asked for that are not recorded, and returned, too. The settings
    of ``planted`` are laid over those of the variants, to see that the net notices.
    """
    replies = packed.read("debates.replies")
    found = [(*each[:2], each[2] | (planted or {}), *each[3:]) for each in chosen(names)]
    with packed.scratch() as folder, chdir(folder):  # paths are part of run keys
        held = asyncio.run(hold_all(found, replies, folder, record=record))
        rows = export(
            folder, folder / "store", [each["run"] for each in held.values() if "run" in each]
        )
    figures, words, given = {}, {}, {}
    for name, each in held.items():
        if "refused" in each:
            figures[name], words[name] = {"refused": True}, each
            continue
        model = each["model"]
        figures[name], words[name] = _gather(each["key"], model, rows[each["run"]])
        given[name] = {
            place: model.replies[place] for place in sorted(model.calls) if place in model.replies
        }
    made = {"figures": packed.plain(figures), "words": packed.plain(words)}
    return made | ({"replies": packed.plain(given)} if record else {})


def _gather(
    key: str, model: RecordedModel, rows: list[dict[str, Any]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    debates, sentences = split_debates(rows)
    figures = {"run": key, "debates": debates, "calls": model.calls}
    if model.unknown:
        figures["calls without a recorded reply"] = sorted(model.unknown)
    return figures, {"prompts": model.prompts, "sentences": sentences}


def split_debates(rows: list[dict[str, Any]]) -> tuple[packed.Values, packed.Values]:
    """Return the figures and the words of exported debates, by question and replicate."""
    debates, sentences = {}, {}
    for row in rows:
        about = f"{row['question']}, replicate {row['replicate']}"
        parts = [split_event(event) for event in row["events"]]
        values = {
            name: value
            for name, value in row["values"].items()
            if not any(each in name for each in OF_TIME)
        }
        debates[about] = {"events": [part[0] for part in parts], "values": values}
        sentences[about] = {str(k): part[1] for k, part in enumerate(parts) if part[1]}
    return debates, sentences
