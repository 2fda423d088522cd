"""``human/NAME``: a model whose replies a person types, in a terminal or on a page of the server.

A reply of a person is a reply as any other: it is recorded in the ledger before a protocol sees it,
and is never asked for twice. Sampling settings do not reach a person.
"""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from time import perf_counter

from moot import Call, InputError, Limits, Model, ModelName, Reply, provider
from moot.contrib.people.terminal_people import ask_in_terminal
from moot.extend.calls import FreeModel, Terminal
from moot.extend.faults import check_known

AskPerson = Callable[[str, Call], Awaitable[str]]
"""Shows a call to the person of a name, waits, and returns what the person typed."""
HUMAN = "human"
"""The provider of people."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


class Human(FreeModel):
    """A person. A reply costs nothing, and its tokens are 0: no tokens are sent anywhere.

    There is no time limit, and a person is asked several calls at once.

    Args:
        person: the name.

    Attributes:
        person: the name.
        ask_person: shows a call to the person; None for the terminal.
    """

    simulated = False

    def __init__(self, person: str) -> None:
        super().__init__(f"{HUMAN}/{person}", Limits(concurrency=1 << 20))
        self.person = person
        self.ask_person: AskPerson | None = None

    async def check(self) -> None:
        """Raise ``InputError`` where no person can be asked."""
        self._find_way()

    async def reply(self, call: Call) -> Reply:
        """Return what the person typed, as it was typed.

        Raises:
            InputError: no person can be asked.
        """
        began = perf_counter()
        text = await self._find_way()(self.person, call)
        seconds = perf_counter() - began
        return Reply(text=text, prompt_tokens=0, completion_tokens=0, seconds=seconds, cost=0.0)

    def _find_way(self) -> AskPerson:
        if self.ask_person is not None:
            return self.ask_person
        if (terminal := Terminal.find()) is None:
            raise InputError(
                f"{self.name}: a person types its replies, and here no one can type: run it in a "
                "terminal (standard input and standard error), or let `moot serve` ask on its page"
            )
        return partial(ask_in_terminal, terminal)


@provider(HUMAN, attended=True)
def make_human(name: ModelName) -> Model:
    """``human/NAME``: a person who types its replies, in the terminal or on the server's page."""
    where = f"model {name.full!r}"
    check_known("option", name.options, (), where=where)
    if not _NAME.fullmatch(name.model):
        raise InputError(
            f"{where}: a person's name has 1 to 40 letters, digits, dots, dashes and underscores, "
            "and begins with a letter or digit: human/ana"
        )
    return Human(name.model)
