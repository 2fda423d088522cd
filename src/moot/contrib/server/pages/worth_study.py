"""Studies of whether debates are worth their tokens, that people start on a page."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from threading import Thread
from typing import Any, NamedTuple

from moot import Budget, InputError, MootError, OwnQuestions, Price, read_own_questions, worth
from moot.contrib.server.multipart import PostedFile
from moot.contrib.server.uploads import format_size
from moot.extend.stores import StorePlace, files_folder
from moot.extend.studies import Estimate

FOLDER = "questions"
"""The folder beside the store with the files that were uploaded."""
ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")
MOST = 10_000
"""The most questions of a file."""
KEPT = 32
"""Studies that a server remembers."""
_TOKEN = re.compile(r"[0-9a-f]{24}/[\w-]{1,60}\.[a-z]+")


class WorthAsked(NamedTuple):
    """The methods and caps of a study to start.

    Attributes:
        path: the file of questions.
        columns: the columns that a person has named, by their roles.
        model: who debates.
        protocols: the methods; those of ``moot worth`` where there are none.
        budget: the most it may spend.
        prices: of the model, where the server's owner states one.
    """

    path: Path
    columns: Mapping[str, str]
    model: str
    protocols: tuple[str, ...]
    budget: Budget
    prices: Mapping[str, Price]

    def arguments(self, store: StorePlace) -> dict[str, Any]:
        """Return the arguments of ``moot.worth``."""
        return {
            "model": self.model,
            "protocols": self.protocols,
            "columns": self.columns or None,
            "budget": self.budget,
            "prices": self.prices,
            "store": store,
        }


def keep_file(place: StorePlace, posted: PostedFile, space: int) -> str:
    """Keep an uploaded file; return the name by which the form finds it again.

    Raises ``InputError`` for an ending that is no table's, and where there is no room.
    """
    last = re.split(r"[/\\]", posted.name)[-1]
    ending = Path(last).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"file: its name must end in {', '.join(ENDINGS)}, not in {ending!r}")
    root = files_folder(place) / FOLDER
    there = sum(each.stat().st_size for each in root.rglob("*") if each.is_file())
    if there + len(posted.content) > space:
        raise InputError(f"file: this server keeps {format_size(space)} of questions at most")
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(last).stem).strip("-")[:60] or "questions"
    token = f"{sha256(posted.content).hexdigest()[:24]}/{stem}{ending}"
    path = root / token
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(posted.content)
    path.chmod(0o600)
    return token


def find_file(place: StorePlace, token: str) -> Path:
    """Return the path of an uploaded file. Raises ``InputError`` where there is none."""
    path = files_folder(place) / FOLDER / token
    if not _TOKEN.fullmatch(token) or not path.is_file():
        raise InputError("file: choose a file of questions with their right answers")
    return path


def read_file(path: Path, columns: Mapping[str, str]) -> OwnQuestions:
    """Return the questions of an uploaded file. Raises ``InputError`` without the server's path."""
    try:
        found = read_own_questions(path, columns=columns or None)
    except InputError as error:
        raise InputError(f"file: {_without_folder(str(error), path)}") from None
    if found.unique > MOST:
        raise InputError(f"file: it has {found.unique:,} questions; {MOST:,} are the most here")
    return found._replace(notes=tuple(_without_folder(note, path) for note in found.notes))


def _without_folder(text: str, path: Path) -> str:
    return text.replace(str(path), path.name)


def estimate_worth(asked: WorthAsked, store: StorePlace) -> Estimate:
    """Return the estimate for all questions; no model is called. Raises ``InputError``."""
    seen: list[Estimate] = []

    def look(estimate: Estimate) -> bool:
        seen.append(estimate)
        return False

    try:
        asyncio.run(worth(asked.path, confirm=look, **asked.arguments(store)))
    except InputError as error:
        if not seen:
            raise InputError(_without_folder(str(error), asked.path)) from None
    return seen[0]


class IntervalSeen(NamedTuple):
    """The interval of a method at one look: after so many questions."""

    questions: int
    low: float
    high: float


@dataclass(slots=True, eq=False)
class WorthStudy:
    """One study, which runs in a thread with a loop of its own.

    Attributes:
        asked: what it compares.
        client: who has started it.
        unique: questions that there are.
        id: a random name, by which its page finds it.
        statement: the newest; None before the first look.
        seen: the intervals of each method so far, by dataset and arm.
        run: the key of its run; empty before its end.
        error: why it ended without a result, or early; may be empty.
        done: whether it has ended.
    """

    asked: WorthAsked
    client: str
    unique: int
    id: str = field(default_factory=lambda: token_urlsafe(12))
    statement: Any = None
    seen: dict[str, list[IntervalSeen]] = field(default_factory=dict)
    run: str = ""
    error: str = ""
    done: bool = False
    _task: "asyncio.Task[None] | None" = None
    _loop: asyncio.AbstractEventLoop | None = None
    _is_stopped: bool = False

    def begin(self, store: StorePlace) -> None:
        """Start it."""
        Thread(target=self._work, args=(store,), name="worth", daemon=True).start()

    def stop(self) -> None:
        """End it; what was said at the last look stays valid."""
        self._is_stopped = True
        if self._loop is not None and self._task is not None and not self.done:
            self._loop.call_soon_threadsafe(self._task.cancel)

    def _work(self, store: StorePlace) -> None:
        try:
            asyncio.run(self._hold(store))
        except asyncio.CancelledError:
            self.error = "It was stopped. What stands here is valid; starting it again goes on."
        except MootError as error:
            self.error = _without_folder(str(error), self.asked.path)
        except Exception as error:  # noqa: BLE001 -- the page says it, the server goes on
            self.error = f"moot failed ({type(error).__name__})"
        finally:
            self.done = True

    async def _hold(self, store: StorePlace) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        if self._is_stopped:
            return
        arguments = self.asked.arguments(store)
        outcome = await worth(self.asked.path, watch=self._look, **arguments)
        self._look(outcome.statement)
        self.run = outcome.run

    def _look(self, statement: Any) -> None:  # noqa: ANN401 -- a Statement of moot.worth
        self.statement = statement
        for each in statement.methods:
            own, found = self.seen.setdefault(f"{each.dataset} {each.arm}", []), each.difference
            if found.low is not None and (not own or own[-1].questions < each.questions):
                own.append(IntervalSeen(each.questions, found.low, found.high))


class WorthStudies:
    """The studies of one server: one runs at a time.

    Args:
        store: where the runs are kept.
    """

    def __init__(self, store: StorePlace) -> None:
        self._store = store
        self._every: dict[str, WorthStudy] = {}

    def get(self, name: str) -> WorthStudy | None:
        """Return the study of this ``WorthStudy.id``, or None."""
        return self._every.get(name)

    def start(self, asked: WorthAsked, client: str, unique: int) -> WorthStudy:
        """Start a study. Raises ``InputError`` while another one runs."""
        if any(not each.done for each in self._every.values()):
            raise InputError("another study is running on this server; wait for its end")
        made = WorthStudy(asked, client, unique)
        while len(self._every) >= KEPT:
            self._every.pop(next(iter(self._every)))
        self._every[made.id] = made
        made.begin(self._store)
        return made

    def end_with(self, closing: asyncio.Event) -> "asyncio.Task[None]":
        """Stop what runs when the server stops."""

        async def end() -> None:
            await closing.wait()
            for each in self._every.values():
                each.stop()

        return asyncio.create_task(end())


def draw_intervals(seen: Sequence[IntervalSeen], unique: int, margin: float) -> dict[str, Any]:
    """Return the chart of an interval that narrows: points of a polygon, 300 × 80."""
    reach = max([abs(end) for each in seen for end in (each.low, each.high)], default=1.0)
    reach = max(reach, 2 * margin)
    across, up = partial(_scale, most=unique, size=300.0), partial(_height, reach=reach)
    tops = [f"{across(each.questions):.1f},{up(each.high):.1f}" for each in seen]
    bottoms = [f"{across(each.questions):.1f},{up(each.low):.1f}" for each in reversed(seen)]
    return {"points": " ".join([*tops, *bottoms]), "above": up(margin), "below": up(-margin)}


def _scale(value: float, most: int, size: float) -> float:
    return size * value / max(most, 1)


def _height(value: float, reach: float) -> float:
    return round(40.0 - 38.0 * value / reach, 1)
