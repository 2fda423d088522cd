"""Pairs of answers in a store, and people who judge them."""

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from cli.conftest import moot
from contrib.essays.conftest import client
from moot.contrib.imports.import_run import import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import find_format
from moot.contrib.judging.judging_server import judging_server
from moot.contrib.judging.pairs import PairPlan
from moot.contrib.judging.session import JudgingSession
from moot.contrib.server.config import config_from
from moot.studies.lab import open_lab
from support.server import up

__all__ = ["client", "moot"]


def rows(n, *, better="gold", worse="lead"):
    """Pairs whose answers say which is better: the council's."""
    both = ((f"{worse} {k}", f"{better} {k}, at length") for k in range(n))
    return [
        {"question": f"Question {k}?", "solo": solo, "council": council}
        for k, (solo, council) in enumerate(both)
    ]


def council(n, path):
    """Write a history of llm-council with so many questions."""
    messages = []
    for k in range(n):
        said = [{"model": f"m/{name}", "response": f"{name} says {k}"} for name in ("ann", "bob")]
        messages += [
            {"role": "user", "content": f"Question {k}?"},
            {
                "role": "assistant",
                "stage1": said,
                "stage2": [{"model": "m/ann", "ranking": "1. Response B", "parsed_ranking": []}],
                "stage3": {"model": "m/chair", "response": f"All in all, {k}."},
            },
        ]
    path.write_text(json.dumps({"id": "x", "messages": messages}))
    return path


async def fill(folder, pairs):
    """Import pairs into the store of a folder; return the key of the run."""
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in pairs), encoding="utf-8")
    async with open_lab(folder / "store") as lab:
        log = Log(path)
        return (await import_log(lab, log, find_format(log))).run


@pytest.fixture
def judged(tmp_path):
    """Open a session over pairs: ``async with judged(pairs, **plan) as session``."""

    @asynccontextmanager
    async def open_session(pairs, *, margin=0.2, **plan):
        run = await fill(tmp_path, pairs)
        async with open_lab(tmp_path / "store") as lab:
            yield await JudgingSession.open(lab, PairPlan(run, **plan), margin=margin)

    return open_session


class Served:
    """A server that is up: its address, and its session."""

    def __init__(self, running) -> None:
        self.url = f"http://127.0.0.1:{running.port}"
        self.app, self.session = running.app, running.app.state.judging

    def link(self, name: str) -> str:
        rater = next(each for each in self.session.invited if each.name == name)
        return f"{self.url}/judge/{rater.key}"


@pytest.fixture
def served(tmp_path):
    """Serve pairs: ``async with served(pairs, raters=[…]) as up``."""

    @asynccontextmanager
    async def serve(pairs, *, raters=(), **plan):
        run = await fill(tmp_path, pairs)
        running = judging_server(
            config_from(), PairPlan(run, **plan), raters=raters, store=tmp_path / "store"
        )
        async with up(running):
            yield Served(running)

    return serve


async def choose(session, rater, pick):
    """Judge every pair that waits: ``pick`` gets the two texts and gives a key; None ends it."""
    while (shown := session.next(rater)) is not None:
        if (key := pick(*shown.texts)) is None:
            return
        assert await session.enter(rater, key, shown.id)
        await asyncio.sleep(0)
