"""Arms compared, for the terminal: who is better, by how much, at what price, and on what."""

from typing import TYPE_CHECKING

from moot.core.plain import count, dollars, equals, line, many, p_value, percent, plain, span
from moot.reports.asked import natural
from moot.reports.summary import kind, times

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from moot.analyses.compare import Compared, Side

VERDICTS = {
    "higher": "the second is better",
    "lower": "the first is better",
    "even": "no clear difference",
    "unknown": "too few questions to tell",
}


def comparison(found: "Sequence[Compared]", *, limit: int) -> "RenderableType":
    """For each pair of arms what each gets, how they differ and on which questions.

    Args:
        found: what was compared.
        limit: the most questions named of each kind.
    """
    from rich.console import Group
    from rich.text import Text

    shown: list[RenderableType] = []
    if any(side.simulated for each in found for side in (each.first, each.second)):
        words = "SIMULATED. Simulated arms say nothing about any language model."
        shown.append(Text(words, style="bold yellow"))
    for each in found:
        shown.append(_sides(each))
        shown.extend(Text(words) for words in _words(each, limit))
        shown.append(Text())
    shown.append(Text(_note(found), style="dim"))
    return Group(*shown)


def _sides(each: "Compared") -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(plain(each.dataset), style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    table.add_column("")
    table.add_column("arm", overflow="fold")
    for heading in ("accuracy %", "debates", "calls", "tokens", "cost"):
        table.add_column(heading, justify="right", no_wrap=True)
    for place, side in (("first", each.first), ("second", each.second)):
        got = side.accuracy
        name = f"{line(side.label, 80)}\n{line(side.run, 80)}"
        accuracy = f"{percent(got.mean)}\n{span(got.low, got.high)}"
        left = f"\n{count(side.left_out)} left out" if side.left_out else ""
        taken = (count(side.calls), count(side.tokens), dollars(side.cost))
        cells = (place, name, accuracy, f"{count(got.n)}{left}", *taken)
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _words(each: "Compared", limit: int) -> "Iterator[str]":
    gap = each.difference
    ends = span(gap.low, gap.high, sign=True)
    yield f"Second minus first: {percent(gap.mean, sign=True)} points ({ends})."
    holm = f" ({p_value(gap.p_holm)} after Holm)" if gap.p_holm != gap.p else ""
    yield f"p {equals(gap.p)}{holm}: {VERDICTS[kind(gap)]}."
    if gap.smallest is not None:
        yield f"Smallest difference so many questions show: {percent(gap.smallest)} points."
    if price := ", ".join(_ratios(each.first, each.second)):
        yield f"Second over first: {price}."
    for which, questions in (("first", each.only_first), ("second", each.only_second)):
        first_ones = sorted(questions, key=natural)[:limit]
        named = ", ".join(line(question, 40) for question in first_ones)
        rest = f" … {count(len(questions) - limit)} more" if 0 < limit < len(questions) else ""
        told = f": {named}{rest}" if named else ""
        yield f"{many(len(questions), 'question')} {_right(each)} the {which}{told}."


def _right(each: "Compared") -> str:
    replicated = each.difference.pairs > each.difference.questions
    return "more often right in" if replicated else "right only in"


def _ratios(first: "Side", second: "Side") -> "Iterator[str]":
    for name in ("calls", "tokens", "cost"):
        one, two = getattr(first, name), getattr(second, name)
        if one and two is not None:
            yield f"{name} × {times(two / one)}"


def _note(found: "Sequence[Compared]") -> str:
    pairs = {each.dataset: sum(other.dataset == each.dataset for other in found) for each in found}
    holm = f"; Holm: for {max(pairs.values())} pairs of arms" if max(pairs.values()) > 1 else ""
    return (
        "On the questions and replicates that both have. In brackets: 95 % intervals over "
        "questions. p: McNemar's exact test, of replicated questions by change of signs"
        f"{holm}. Smallest: found in 80 % of studies. Calls to cost: the mean of a debate."
    )
