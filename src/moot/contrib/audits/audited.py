"""Debates as an audit counts them: the replies of each round, agents in the order of seats."""

from collections.abc import Iterator
from typing import NamedTuple

from moot import InputError, Question, RecordedRuns, Transcript, Turn, Verdict
from moot.contrib.audits.rules import Replies
from moot.contrib.imports.arms import REPLY, VOTE
from moot.extend.protocols import protocols
from moot.extend.records import Arm, DebateRow, Kind

VERDICT = 0
"""The number of the round of a verdict that is no vote, such as a judge's."""

Key = tuple[str, int]  # id of the question after that of its dataset, replicate


class AuditedRound(NamedTuple):
    """A round of a debate.

    Attributes:
        number: from 1; ``VERDICT`` for what a judge says at the end.
        turns: the reply of each agent that answers; of a verdict the deciding turn, if there is.
        replies: what rules count.
    """

    number: int
    turns: tuple[Turn, ...]
    replies: Replies


class AuditedDebate(NamedTuple):
    """A debate.

    Attributes:
        arm: in which it stands.
        setting: the arm; with the dataset, where debates of several are looked at.
        dataset: of the question.
        question: its id.
        replicate: from 0.
        file: in which the log has it; empty for a debate of moot.
        transcript: of the debate.
        rounds: in order; the last one decides.
    """

    arm: str
    setting: str
    dataset: str
    question: str
    replicate: int
    file: str
    transcript: Transcript
    rounds: tuple[AuditedRound, ...]

    @property
    def key(self) -> Key:
        """Its difference from the others of its arm."""
        return f"{self.dataset}\0{self.question}", self.replicate


def find_debate_arms(runs: RecordedRuns) -> list[Arm]:
    """Return the arms in which agents debate; of an imported log those of its own turns.

    Raises:
        InputError: the runs have no such arm.
    """
    own = [arm for arm in runs.arms if arm.kind != "rule" and not _is_derived(arm)]
    kinds = {arm.name: arm.kind or _find_kind(arm) for arm in own}
    if any(arm.kind for arm in own):
        return own
    for wanted in (("debate", "society"), ("single", "samples")):
        if found := [arm for arm in own if kinds[arm.name] in wanted]:
            return found
    raise InputError(f"{runs.key}: it has no debates to audit, only {', '.join(kinds.values())}")


def _is_derived(arm: Arm) -> bool:
    return arm.protocol == REPLY or arm.protocol.startswith(VOTE)


def _find_kind(arm: Arm) -> str:
    found = protocols.find(arm.protocol)
    kind = found.kind if found else "debate"
    return kind if isinstance(kind, str) else kind(arm.settings)


class AuditedRuns:
    """The debates of recorded runs, which can be looked at several times.

    Attributes:
        runs: the runs.
        arms: in which agents debate.
        questions: their number, repetitions and settings counted.
        answered: those of them with a known right answer.
        kinds: of the questions.
        datasets: of the questions.

    Raises ``InputError`` where the runs have no debates.
    """

    def __init__(self, runs: RecordedRuns) -> None:
        self.runs, self.arms = runs, find_debate_arms(runs)
        self.questions = self.answered = 0
        self.kinds, self.datasets = dict[Kind, None](), dict[str, None]()
        for debate in self:
            question = debate.transcript.question
            self.questions += 1
            self.answered += bool(question.answers)
            self.kinds[question.kind] = None
            self.datasets[debate.dataset] = None

    def __iter__(self) -> Iterator[AuditedDebate]:
        several = len(self.datasets) > 1
        for arm in self.arms:
            for row in self.runs.debates(arm.name):
                yield audit_debate(row, f"{arm.name} on {row.dataset}" if several else arm.name)


def audit_debate(row: DebateRow, setting: str) -> AuditedDebate:
    """Return a debate with its rounds; a failed one has those that it came to."""
    transcript = row.transcript
    source = transcript.opened.source
    right = source.answer if source else None
    question = transcript.question
    if right is None:
        right = question.answer
    words = right if isinstance(right, str) else (right or ("",))[0]
    return AuditedDebate(
        row.arm,
        setting,
        row.dataset,
        row.question,
        row.replicate,
        source.place.partition(", ")[0] if source else "",
        transcript,
        tuple(_list_rounds(transcript, question, words)),
    )


def _list_rounds(transcript: Transcript, question: Question, right: str) -> Iterator[AuditedRound]:
    """Yield the rounds in which agents answered, and the verdict where it is no vote of theirs."""
    debaters = {seat.number for seat in transcript.seats if seat.debater}
    rounds: dict[int, dict[int, Turn]] = {}
    for turn in transcript.turns:
        if turn.votes and turn.seat in debaters and not turn.node:
            rounds.setdefault(turn.round, {})[turn.seat] = turn
    for number, seats in sorted(rounds.items()):
        turns = tuple(seats[seat] for seat in sorted(seats))
        texts, answers = zip(*((turn.text, turn.answer) for turn in turns), strict=True)
        yield AuditedRound(number, turns, Replies(question, right, texts, answers))
    verdict, deciding = transcript.verdict, transcript.deciding
    if verdict and (not rounds or (deciding is not None and deciding.seat not in debaters)):
        yield _make_verdict(verdict, deciding, question, right)


def _make_verdict(
    verdict: Verdict, deciding: Turn | None, question: Question, right: str
) -> AuditedRound:
    text = verdict.text or (deciding.text if deciding else "")
    turns = (deciding,) if deciding else ()
    return AuditedRound(VERDICT, turns, Replies(question, right, (text,), (verdict.answer,)))
