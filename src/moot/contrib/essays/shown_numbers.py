"""Shown numbers: passages as readers see them, in the order in which an essay first cites them.

Prompts, transcripts, drafts and JSON have the numbers by which passages were found. What is shown
has 1, 2, 3 for those that the essay cites, and then the others, everywhere alike.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from msgspec.structs import replace

from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.plan_outline import EssayPlan, PlanPoint
from moot.contrib.essays.point_evidence import PointEvidence
from moot.contrib.essays.quotation_outcomes import list_named, list_quotation_outcomes
from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.quoting.source_references import find_references, renumber_reference
from moot.contrib.essays.written import Alternative, Remark, Written
from moot.extend.records import Passage

_ORDER = "Passages are numbered as the essay first cites them"


class _Renumbered:
    """A text with other numbers in its references, and the places of the old one in it.

    Args:
        text: the old one.
        numbers: the new ones by the old ones.
        quotes: its quotations. A reference that the source itself has in their words stays.
    """

    def __init__(self, text: str, numbers: Mapping[int, int], quotes: Iterable[Quote] = ()) -> None:
        words = [each for each in quotes if each.kind == "words"]
        self._moved: list[tuple[int, int]] = []
        shown, at = list[str](), 0
        for one in find_references(text):
            said = text[one.start : one.stop]
            if any(
                each.start <= one.start < each.start + len(each.text) and said in each.nearest
                for each in words
            ):
                continue
            new = renumber_reference(said, numbers)
            shown += [text[at : one.start], new]
            at = one.stop
            self._moved.append((one.stop, len(new) - len(said)))
        self.text = "".join([*shown, text[at:]])

    def place(self, at: int) -> int:
        """Return the place in the new text of a place in the old one, outside of references."""
        return at + sum(more for stop, more in self._moved if stop <= at)


class ShownNumbers:
    """The numbers of an essay's passages as they are shown, by those in prompts and transcripts.

    An essay that cites nothing keeps its numbers, and so does a checked text: it has its own. A
    number that is cited and is of no passage stays, and is given to none.

    Args:
        written: the essay.
    """

    def __init__(self, written: Written) -> None:
        self._written = written
        known = [each.number for each in (*written.passages, *written.unshown)]
        named = [each for each in list_named(written.quoted_essays) if each in known]
        false = {each for each in _list_numbers(written) if each not in known}
        free = (number for number in count(1) if number not in false)
        ordered = dict.fromkeys([*named, *known]) if named and written.protocol else known
        numbers = free if named and written.protocol else known
        self.shown = dict(zip(ordered, numbers, strict=False))
        self._own = {number: own for own, number in self.shown.items()}

    @property
    def remark(self) -> str:
        """The numbers of transcript, draft and JSON, in a sentence; empty where they are shown."""
        moved = [(shown, own) for own, shown in self.shown.items() if shown != own]
        if not moved:
            return ""
        told = ", ".join(f"[{shown}] is [{own}]" for shown, own in sorted(moved))
        return f"{_ORDER}; in its transcript, draft and JSON {told}."

    def show(self, text: str) -> str:
        """Return a text with the numbers that are shown."""
        return _Renumbered(text, self.shown).text

    def read(self, text: str) -> str:
        """Return a text that has the numbers that are shown, with those of the transcript."""
        return _Renumbered(text, self._own).text

    def show_essay(self) -> Written:
        """Return the essay and all that is shown beside it, with the numbers that are shown."""
        written = self._written
        if not self.remark:
            return written
        essay = _Renumbered(written.essay or "", self.shown, written.quotes)
        debated = EssaySettings.read(written.settings).evidence_for == "team"
        made = replace(
            written,
            essay=written.essay and essay.text,
            quotes=self._show_quotes(written.essay or "", essay, written.quotes),
            alternatives=tuple(map(self._show_alternative, written.alternatives)),
            dialogue=tuple(map(self._show_remark, written.dialogue))
            if debated
            else written.dialogue,
            plan=self._show_plan(written.plan),
            plan_text=self.show(written.plan_text),
            passages=self._sort(written.passages),
            unshown=self._sort(written.unshown),
            point_evidence=tuple(map(self._show_point, written.point_evidence)),
        )
        told, shown = tuple(_list_outcomes(written)), tuple(_list_outcomes(made))
        rest = written.outcomes[len(told) :]
        is_told = written.outcomes[: len(told)] == told
        return replace(made, outcomes=(*shown, *rest) if is_told else written.outcomes)

    def _show_quotes(
        self, old: str, new: _Renumbered, quotes: Sequence[Quote]
    ) -> tuple[Quote, ...]:
        shown = []
        for each in quotes:
            start, end = each.start, each.start + len(each.text)
            begin, stop = new.place(start), new.place(end)
            text = new.text[begin:stop] if old[start:end] == each.text else each.text
            numbers = {
                "passage": self._show_number(each.passage),
                "stands_in": self._show_number(each.stands_in),
            }
            shown.append(replace(each, start=begin, text=text, **numbers))
        return tuple(shown)

    def _show_number(self, number: int | None) -> int | None:
        return None if number is None else self.shown.get(number, number)

    def _show_alternative(self, one: Alternative) -> Alternative:
        new = _Renumbered(one.essay or "", self.shown, one.quotes)
        quotes = self._show_quotes(one.essay or "", new, one.quotes)
        return replace(one, essay=one.essay and new.text, quotes=quotes)

    def _show_remark(self, one: Remark) -> Remark:
        new = _Renumbered(one.text, self.shown, one.quotes)
        return replace(one, text=new.text, quotes=self._show_quotes(one.text, new, one.quotes))

    def _show_plan(self, plan: EssayPlan | None) -> EssayPlan | None:
        if plan is None:
            return None
        points = (
            PlanPoint(self.show(each.text), tuple(map(self.show, each.supports)))
            for each in plan.points
        )
        granted = plan.acknowledgment and self.show(plan.acknowledgment)
        return EssayPlan(granted, tuple(points))

    def _show_point(self, one: PointEvidence) -> PointEvidence:
        numbers = {
            name: tuple(sorted(self.shown.get(n, n) for n in getattr(one, name)))
            for name in ("quoted", "found", "against")
        }
        return replace(one, **numbers)

    def _sort(self, passages: Sequence[Passage]) -> tuple[Passage, ...]:
        shown = (replace(each, number=self.shown[each.number]) for each in passages)
        return tuple(sorted(shown, key=lambda each: each.number))


def _list_numbers(written: Written) -> Iterator[int]:
    """Yield the numbers that an essay, its plan and its discussion name."""
    essays = (each.essay or "" for each in written.quoted_essays)
    for text in (*essays, written.plan_text, *(each.text for each in written.dialogue)):
        for one in find_references(text):
            yield from one.numbers


def _list_outcomes(written: Written) -> Iterator[str]:
    debated = [quote for remark in written.dialogue for quote in remark.quotes]
    return list_quotation_outcomes(written.quoted_essays, debated, written.passages)
