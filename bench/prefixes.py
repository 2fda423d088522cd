"""How many prompt tokens of each protocol an endpoint could cache, as sent and in another order.

    python bench/prefixes.py                     # every protocol that is installed
    python bench/prefixes.py --questions 48 --at-once 1 --block 1
    python bench/prefixes.py --only 'chateval*,community' --words 300

Every protocol answers the same questions at its default settings; the writing ones argue about
topics. Agents are simulated, and their replies made as long as those of language models: `--words`
more each, unless a reply is JSON. Then every prompt is replayed, as the store has it, on a cache of
prompts by their beginnings (`moot analyse prompt-caching`, which takes any recorded run). Protocols
of which docs/shared-first.toml has prompts are run with these as well. The exit code is 1 where the
share that is worked out from characters (what the metric `cacheable` sums up) is further than 0.1
from that of tokens.
"""

import argparse
import asyncio
import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

import moot
from moot.analyses.prompt_caching import PIECES, WORDS, CacheShares, measure_shares
from moot.analyses.prompt_orders import read_prompts
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.calls import Call, Reply, identity
from moot.core.toml import parse_toml
from moot.debate.protocol import registry
from moot.models.embedding import tokenize
from moot.models.model_names import ModelName, model_registry
from moot.models.simulated import Simulated
from moot.studies.lab import open_lab

SHARED_FIRST = Path(__file__).parents[1] / "docs" / "shared-first.toml"
WRITING = {"americano", "debate-to-write", "essay-direct", "essay-plan"}
NEEDS = {"network": {"graph": "cascade"}}
"""Settings that a protocol does not run without."""
OFF = 0.1
"""How far the share by characters may be from that of tokens."""
PLAIN = ("the", "sum", "of", "these", "numbers", "follows", "when", "each", "step", "is", "checked")


class Wordy(Simulated):
    """Simulated agents whose replies begin with so many words more, drawn from the call."""

    words = 120

    def without_latency(self) -> "Wordy":
        """Return itself: it has no latency."""
        return self

    async def reply(self, call: Call) -> Reply:
        """Return the simulated reply after words of its own, unless it is JSON."""
        reply = await super().reply(call)
        if reply.text.lstrip().startswith(("{", "[")):
            return reply
        draw = Random(identity(call.request(), call.draw))
        more = " ".join(draw.choices(PLAIN, k=self.words))
        written = (reply.completion_tokens or 0) + self.words
        return msgspec.structs.replace(
            reply, text=f"{more}\n\n{reply.text}", completion_tokens=written
        )


@model_registry.decorate("wordy")
def wordy(name: ModelName) -> Wordy:
    """wordy/WORDS: the simulated agents of this bench."""
    made = Wordy("people", accuracy=0.6)
    made.words = int(name.model)
    made.name = f"wordy/{name.model}"
    return made


def list_arms(only: list[str]) -> list[dict[str, Any]]:
    """Return the arms: each protocol that is installed, and again with the prompts of the file."""
    reordered = parse_toml(SHARED_FIRST.read_bytes(), where=str(SHARED_FIRST))
    arms = []
    for protocol in registry:
        if not any(fnmatchcase(protocol.name, each) for each in only):
            continue
        if not protocol.is_installed:
            print(f"left out: {protocol.name} is not installed", file=sys.stderr)
            continue
        arm = {"protocol": protocol.name, "name": protocol.name, **NEEDS.get(protocol.name, {})}
        arms.append(arm)
        if protocol.name in reordered:
            prompts = {"name": f"{protocol.name}, shared first", "prompts": str(SHARED_FIRST)}
            arms.append(arm | prompts)
    return arms


def make_study(folder: Path, arms: list[dict[str, Any]], options: argparse.Namespace) -> dict:
    """Return the study of these arms: questions for the ones, topics for the others."""
    writes = arms[0]["protocol"] in WRITING
    rows = [
        {"id": f"q{n}", "question": f"Museums of kind {n} should be free of charge."}
        if writes
        else {
            "id": f"q{n}",
            "question": f"A museum has {n + 3} halls with {2 * n + 5} pictures each. In every hall "
            f"{n % 4 + 1} pictures are away to be restored. How many pictures can be seen?",
            "answer": (n + 3) * (2 * n + 5 - n % 4 - 1),
        }
        for n in range(options.questions)
    ]
    file = folder / ("topics.jsonl" if writes else "questions.jsonl")
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = {"name": "file", "label": "topics" if writes else "questions", "path": str(file)}
    return {
        "name": "writing" if writes else "answering",
        "settings": {"model": f"wordy/{options.words}"},
        "datasets": [source | ({"kind": "text"} if writes else {})],
        "arms": arms,
    }


async def measure(
    folder: Path, study: dict, options: argparse.Namespace
) -> dict[str, tuple[CacheShares, float]]:
    """Run a study; return the shares of each arm, and that of its turns counted in characters."""
    done = await moot.run(study, store=folder / study["name"])
    found = {}
    async with open_lab(folder / study["name"], readonly=True) as lab:
        runs = RecordedRuns(lab, [done.run])
        for arm in runs.arms:
            prompts = read_prompts(lab, list(runs.debates(arm.name)), options.at_once)
            shares = measure_shares(prompts, block=options.block, size=options.size or None)
            turns = [prompt.turn for prompt in prompts]
            known = sum(turn.prefix_share * turn.prompt_tokens for turn in turns)
            found[arm.name] = shares, known / sum(turn.prompt_tokens for turn in turns)
    return found


def print_table(found: dict[str, tuple[CacheShares, float]]) -> None:
    """Print the shares as a table in Markdown."""
    heads = ("protocol", "prompts", "tokens", "by characters", "in a debate", "best", "in the run")
    print(f"| {' | '.join((*heads, 'best', 'hosted'))} |")
    print("|---|" + "---:|" * (len(heads) + 1))
    for name, (shares, metric) in found.items():
        cells = [metric, shares.in_debate, shares.best_in_debate, shares.in_run]
        cells += [shares.best_in_run, shares.hosted]
        numbers = " | ".join(f"{100 * each:.0f}" for each in cells)
        print(f"| {name} | {shares.prompts:,} | {shares.tokens:,} | {numbers} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument("--at-once", type=int, default=4, help="debates under way together")
    parser.add_argument("--block", type=int, default=16, help="tokens of a block; 1 as in SGLang")
    parser.add_argument("--size", type=int, default=0, help="the most tokens kept; 0: all")
    parser.add_argument("--words", type=int, default=120, help="words more of each reply")
    parser.add_argument("--only", default="*", help="protocols, or patterns, with commas")
    options = parser.parse_args()
    arms = list_arms(options.only.split(","))
    found = {}
    with TemporaryDirectory() as folder:
        for writes in (False, True):
            own = [arm for arm in arms if (arm["protocol"] in WRITING) == writes]
            if own:
                study = make_study(Path(folder), own, options)
                found |= asyncio.run(measure(Path(folder), study, options))
    print_table(found)
    try:
        tokenize("")
        unit = PIECES
    except moot.InputError:
        unit = WORDS
    kept = f"{options.size:,} tokens" if options.size else "all of them"
    print(f"\nIn {unit}. Blocks of {options.block}; the cache keeps {kept}.")
    print(f"Debates: {options.questions} of each protocol, {options.at_once} at once.")
    far = [name for name, (shares, own) in found.items() if abs(shares.in_debate - own) > OFF]
    if far:
        print(f"characters further than {OFF} from tokens: {', '.join(far)}")
    sys.exit(bool(far))


if __name__ == "__main__":
    main()
