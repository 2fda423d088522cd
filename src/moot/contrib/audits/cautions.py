"""Cautions: what must be known before figures are used, each with a rule and a number."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from moot import Question, Turn
from moot.contrib.audits.audited import VERDICT, AuditedDebate
from moot.contrib.audits.causes import ODD
from moot.contrib.audits.effects import Effects
from moot.extend.protocols import answer_value, is_correct
from moot.extend.words import format_percent, format_things, on_one_line

REPEATED = 0.1
"""The share of replies from which their repeating is a caution."""
_PROMPT = 60
"""The signs of a question in a row that make a reply repeat the prompt."""
_BEHIND = 24
"""The most signs behind the end of a question in a text that is a prompt."""


class Caution(msgspec.Struct, frozen=True, kw_only=True):
    """A warning to read before figures are used.

    Attributes:
        name: in a few words.
        rule: when it is a caution.
        number: how many there are.
        of: among how many.
        words: the caution in a sentence.
        examples: ids of the first questions that are concerned.
    """

    name: str
    rule: str
    number: float
    of: int
    words: str
    examples: tuple[str, ...] = ()


class Watch:
    """Looks at debates one after the other for what must be known."""

    def __init__(self) -> None:
        self._against: list[str] = []
        self._open = self._known = self._later = self._same = self._replies = 0
        self._echoed = self._echoed_read = self._judged = 0
        self._prompts: dict[int, int] = {}
        self._said: dict[int, int] = {}
        self._named: list[str] = []
        self._asked = set[int]()
        self._again: dict[int, str | None] = {}

    def look(self, debate: AuditedDebate) -> None:
        """Look at a debate."""
        question = debate.transcript.question
        self._look_at_question(debate.dataset, question)
        self._look_at_right(debate)
        self._look_at_judges(debate)
        earlier: dict[str, Turn] = {}
        asked = " ".join(question.text.split())
        for each in debate.rounds:
            if each.number == VERDICT:
                continue
            for turn in each.turns:
                self._look_at_prompt(asked, each.number, turn)
                if old := earlier.get(turn.agent):
                    self._later += 1
                    self._same += bool(turn.text.strip()) and old.text == turn.text
                earlier[turn.agent] = turn

    def _look_at_question(self, dataset: str, question: Question) -> None:
        """Note a question by hashes, and the name of the second one with the same words."""
        words = hash("\n".join([question.flat_words, *question.choices]))
        named = hash((words, dataset, question.id))
        if named not in self._asked:
            self._asked.add(named)
            if words not in self._again:
                self._again[words] = None
            elif self._again[words] is None:
                self._again[words] = question.id

    def _look_at_prompt(self, asked: str, number: int, turn: Turn) -> None:
        """Count a reply that repeats its question, or is its prompt."""
        self._replies += 1
        self._said[number] = self._said.get(number, 0) + 1
        text = " ".join(turn.text.split())
        if len(asked) < _PROMPT or asked[:_PROMPT] not in text:
            return
        self._echoed += 1
        self._echoed_read += turn.answer is not None
        if asked[-_PROMPT:] in text[-_PROMPT - _BEHIND :]:
            self._prompts[number] = self._prompts.get(number, 0) + 1

    def _look_at_right(self, debate: AuditedDebate) -> None:
        question = debate.transcript.question
        answers = [answer for each in debate.rounds for answer in each.replies.answers]
        if not question.answers or len(answers) < 2:
            return
        self._known += 1
        self._open += question.kind == "text"
        values = {None if each is None else answer_value(each, question.kind) for each in answers}
        if len(values) == 1 and None not in values and not is_correct(answers[0], question):
            self._against.append(debate.question)

    def _look_at_judges(self, debate: AuditedDebate) -> None:
        """Count the judges' replies that name the model of a debater."""
        seats = list(debate.transcript.seats)
        models = {seat.model.casefold() for seat in seats if seat.debater and seat.model}
        judges = {seat.number for seat in seats if not seat.debater}
        for turn in debate.transcript.turns:
            if turn.seat in judges:
                self._judged += 1
                text = turn.text.casefold()
                if any(model in text for model in models):
                    self._named.append(debate.question)

    def warn(
        self, claimed: Mapping[str, Sequence[float]], effects: Sequence[Effects]
    ) -> Iterator[Caution]:
        """Yield the cautions.

        Args:
            claimed: of each setting the shares that are stated of its rounds.
            effects: of the settings.
        """
        yield from self._warn_of_questions()
        yield from self._warn_of_judges()
        yield from self._warn_of_replies()
        for each in effects:
            yield from _warn_of_size(each, claimed.get(each.setting, ()))

    def _warn_of_questions(self) -> Iterator[Caution]:
        if self._open:
            yield Caution(
                name="open answers",
                rule="a question asks for a text, and its right answer is one",
                number=self._open,
                of=self._known,
                words=f"{self._open} of {self._known} right answers are texts, which are compared "
                "word by word: that few are equal says nothing.",
            )
        if self._against:
            number = len(dict.fromkeys(self._against))
            yield Caution(
                name="all agree against the right answer",
                rule="every reply of every round commits to one answer, which is not the right one",
                number=number,
                of=self._known,
                words=f"In {format_things(number, 'question')} of {self._known} all replies give "
                "one answer, which the log calls wrong: look at the right answers of these.",
                examples=tuple(dict.fromkeys(self._against))[:5],
            )
        if number := len(self._asked) - len(self._again):
            total = len(self._asked)
            again = (name for name in self._again.values() if name is not None)
            yield Caution(
                name="duplicate questions",
                rule="two questions have the same text, passage and options",
                number=number,
                of=total,
                words=f"{format_things(number, 'question')} of {total} repeat another one: "
                "intervals take them for independent and are too narrow.",
                examples=tuple(islice(again, 5)),
            )

    def _warn_of_judges(self) -> Iterator[Caution]:
        if self._named:
            number = len(self._named)
            yield Caution(
                name="judge not blind",
                rule="a judge's reply names the model of a debater",
                number=number,
                of=self._judged,
                words=f"{format_things(number, 'reply')} of judges of {self._judged} name a "
                "debater's model: the judge knew who spoke.",
                examples=tuple(dict.fromkeys(self._named))[:5],
            )

    def _warn_of_replies(self) -> Iterator[Caution]:
        if self._later and self._same / self._later >= REPEATED:
            share = format_percent(self._same / self._later)
            yield Caution(
                name="rounds repeat word for word",
                rule=f"at least {REPEATED:.0%} of later replies are the agent's last one again",
                number=self._same,
                of=self._later,
                words=f"{self._same} of {self._later} later replies ({share} %) repeat the agent's "
                "own last one word for word: these rounds add nothing.",
            )
        if self._replies and self._echoed / self._replies >= REPEATED:
            share = format_percent(self._echoed / self._replies)
            yield Caution(
                name="prompts read as replies",
                rule=f"at least {REPEATED:.0%} of replies have the first {_PROMPT} signs of the "
                "question in them",
                number=self._echoed,
                of=self._replies,
                words=f"{self._echoed} of {self._replies} replies ({share} %) repeat the question; "
                f"in {self._echoed_read} of them moot reads an answer. A rule that takes the last "
                "letter or number may read the prompt.",
            )
        if self._prompts:
            number = sum(self._prompts.values())
            rounds = ", ".join(
                f"{'all ' * (count == self._said[at])}{count} of round {at}"
                for at, count in sorted(self._prompts.items())
            )
            yield Caution(
                name="prompts saved as replies",
                rule=f"a reply has the start of the question and ends in its last {_PROMPT} signs, "
                f"with at most {_BEHIND} behind",
                number=number,
                of=self._replies,
                words=f"{number} of {self._replies} replies are prompts, with nothing said behind "
                f"the question: {rounds}. Figures that count them are of no reply.",
            )


def warn_of_right_answers(rule: str, odd: Mapping[str, str], questions: int) -> Iterator[Caution]:
    """Warn where the rule taken for the authors' reads right answers as other values.

    Args:
        rule: its name.
        odd: the ends of these right answers, by the question.
        questions: how many there are.
    """
    if odd:
        first = on_one_line(next(iter(odd.values())), ODD)
        yield Caution(
            name="right answers odd",
            rule="the rule reads another right answer than moot",
            number=len(odd),
            of=questions,
            words=f"The rule {rule} reads the right answer of {format_things(len(odd), 'question')}"
            f" as another value or none, such as the one that ends in {first!r}.",
            examples=tuple(odd)[:5],
        )


def _warn_of_size(effects: Effects, claimed: Sequence[float]) -> Iterator[Caution]:
    """Warn where a claimed change is smaller than what so many questions can show."""
    smallest = effects.against_vote.smallest
    if len(claimed) < 2 or smallest is None:
        return
    change = claimed[-1] - claimed[0]
    if change and abs(change) < smallest:
        n = effects.against_vote.questions
        yield Caution(
            name="too few questions for the claim",
            rule="the claimed change from the first round to the last is smaller than the smallest "
            "difference that would show in 80 % of studies",
            number=abs(change),
            of=n,
            words=f"{format_things(n, 'question')} show a change of {format_percent(smallest)} "
            f"points or more; claimed is one of {format_percent(abs(change))} ({effects.setting}).",
        )
