"""People judge pairs in the terminal: two answers one below the other, one key to choose."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast, get_args

from moot.contrib.judging.choices import PairRater
from moot.contrib.judging.preferences import JudgingResult, describe_beside, describe_effect
from moot.contrib.judging.session import JudgingSession, Key, ShownPair, find_settled
from moot.extend.terminal import console, say
from moot.extend.words import format_things, make_visible

if TYPE_CHECKING:
    from rich.console import Console

KEYS: tuple[Key, ...] = get_args(Key)
HINT = "1 first is better   2 second   0 the same   s skip   u undo   q end"
_END = {"q", "\x04", ""}
_WIDEST = 100
_DONE = {"1": "the first", "2": "the second", "0": "the same", "s": "skipped", "u": "undone"}


async def judge_in_terminal(session: JudgingSession, rater: PairRater) -> None:
    """Show one pair after another until it is settled, all are judged, or the rater ends it.

    Every choice is in the store before the next pair is shown. A signal ends it, too: what was
    chosen by then is said.
    """
    out, started = _console(), session.result()
    goes_on = find_settled(started) is not None
    if goes_on:
        say(started.sentence)
        say("It is settled; you can go on all the same.")
    try:
        with _single_keys():
            await _judge(session, rater, out, goes_on=goes_on)
    finally:
        show_result(session.result(), session, whole=session.next(rater) is None)


async def _judge(
    session: JudgingSession, rater: PairRater, out: "Console", *, goes_on: bool
) -> None:
    while (shown := session.next(rater)) is not None:
        _show_pair(out, shown, len(session.pairs.pairs))
        key = await _ask()
        if key in _END:
            return
        await session.enter(rater, cast("Key", key), shown.id)
        say(f"→ {_DONE[key]}")
        if not goes_on and find_settled(session.result()):
            return
    say("Every pair is judged.")


def _show_pair(out: "Console", shown: ShownPair, count: int) -> None:
    from rich.rule import Rule
    from rich.text import Text

    out.print()
    out.print(Rule(f"pair {shown.number} of {count}", characters="═", style="bold"))
    out.print(Text(make_visible(shown.pair.question), style="bold"))
    for number, text in enumerate(shown.texts, 1):
        out.print()
        out.print(Rule(f" {number} ", characters="─", align="left", style="dim"))
        out.print(Text(make_visible(text.strip())))
    out.print(Rule(characters="─", style="dim"))


async def _ask() -> str:
    """Return the next key that means something.

    What was typed before the pair was shown is no choice, and dropped.
    """
    if sys.platform != "win32" and sys.stdin.isatty():
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    say(HINT)
    sys.stdout.flush()
    while True:
        key = (await _read_key()).lower()
        if key in KEYS or key in _END:
            return key
        say(f"Not a key here: {HINT}")


async def _read_key() -> str:
    """Return the next key; of what is no terminal the next character; empty at its end."""
    if not sys.stdin.isatty():
        while (sign := sys.stdin.read(1)).isspace():
            pass
        return sign
    if sys.platform == "win32":  # only a thread can wait for a key there
        import click

        return await asyncio.to_thread(click.getchar)
    loop, number = asyncio.get_running_loop(), sys.stdin.fileno()
    typed = asyncio.Event()
    loop.add_reader(number, typed.set)
    try:
        await typed.wait()
    finally:
        loop.remove_reader(number)
    return os.read(number, 64).decode("utf-8", "replace")[:1] or "\x04"


@contextmanager
def _single_keys() -> Iterator[None]:
    """Have the terminal give each key as it is pressed."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield
        return
    import termios
    import tty

    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    tty.setcbreak(number)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def show_result(result: JudgingResult, session: JudgingSession, *, whole: bool) -> None:
    """Print the sentence, what goes along with it, and what the method changed and took.

    Args:
        result: what raters made of the pairs by now.
        session: the pairs.
        whole: whether to print more than the sentence where it is open. Of lengths a rater who
            goes on learns nothing: by them one could guess which answer is whose.
    """
    from rich.padding import Padding
    from rich.text import Text

    out = _console()
    said = result.together or next(iter(result.raters), None)
    out.print()
    out.print(Text(make_visible(result.sentence), style="bold"))
    if not whole and find_settled(result) is None:
        out.print(Text("Call it again to go on; --result says how lengths and prices compare."))
        return
    lines = [each.sentence for each in result.raters] if result.together else []
    lines += describe_beside(said) if said else []
    lines += _list_effect(result, session)
    for line in lines:
        out.print(Padding(Text(make_visible(line)), (0, 0, 0, 2), expand=False))


def _list_effect(result: JudgingResult, session: JudgingSession) -> Iterator[str]:
    """Yield sentences: on the method's changes and price, and on questions that are not judged."""
    council = "the council" if session.pairs.council == "council" else session.pairs.council
    yield from describe_effect(result.effect, council)
    if result.left_out:
        count = format_things(_count_all(session), "question")
        yield f"Not judged, of {count}: {result.left_out}."
    if result.simulated:
        yield "SIMULATED: no language model takes part on some side."


def _console() -> "Console":
    """Return standard output, no wider than one reads."""
    out = console()
    out.width = min(out.width, _WIDEST)
    return out


def _count_all(session: JudgingSession) -> int:
    pairs = session.pairs
    return pairs.effect.questions + pairs.repeated + pairs.lacking
