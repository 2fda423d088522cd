"""Oversight games: what came of each debate before a judge that has not read the passage."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import exp
from typing import Any, NamedTuple

import msgspec

from moot import RecordedRuns, Transcript, Turn, extract, views_of
from moot.contrib.oversight.argued_answers import (
    draw_answers,
    find_chosen,
    find_consultant_side,
    find_order,
    state_answer,
)
from moot.contrib.oversight.arguments import (
    count_words,
    is_concession,
    list_quotations,
    mark_quotes,
    measure_overlap,
)
from moot.extend.analyses import Key
from moot.extend.protocols import Standings, is_correct, opening_values
from moot.extend.records import Searched

DEBATE, CONSULTANCY, EXPERT = "oversight-debate", "oversight-consultancy", "single"
WHOLE = 100_000
"""Words to which no argument is cut: all its quotations are counted."""
UNKNOWN = "unknown"
"""The model of an advocate where a log does not say."""
LEAST = exp(-100)
"""The probability of a letter of which the judge's reply says nothing."""


class SideRecord(NamedTuple):
    """What one side said in a debate.

    Attributes:
        model: of its advocate, and how many drafts it writes; empty where nobody argued for it.
        arguments: how many that the judge read are recorded.
        words: of all of them.
        quoted: quotations in them.
        real: those that stand in the passage.
        near: the sum of the shares of their runs of three words that do.
        repeated: those that the side had quoted before.
        conceded: arguments that grant that the other side is right.
    """

    model: str = ""
    arguments: int = 0
    words: int = 0
    quoted: int = 0
    real: int = 0
    near: float = 0.0
    repeated: int = 0
    conceded: int = 0


class OversightGame(NamedTuple):
    """One debate before a judge.

    Attributes:
        right: whether the judge took the right answer; False where its vote cannot be read.
        read: whether its vote can be read.
        first: whether it took the answer that it was shown as A.
        swapped: whether the answers stood in the other order.
        sides: what was said for the right answer, and for the wrong one.
        chance: the probability that the judge gave to the right answer, where it is recorded.
        beliefs: the probabilities that it gave to the right answer, one after the other.
        secret: whether what was said is withheld.
        rated_alike: whether the judge's model also rated the drafts.
    """

    right: bool
    read: bool = True
    first: bool = False
    swapped: bool = False
    sides: tuple[SideRecord, SideRecord] = (SideRecord("x"), SideRecord("x"))
    chance: float | None = None
    beliefs: tuple[float, ...] = ()
    secret: bool = False
    rated_alike: bool = False

    @property
    def argued(self) -> tuple[bool, bool]:
        """Whether an advocate argued for the right answer, and whether for the wrong one."""
        return bool(self.sides[0].model), bool(self.sides[1].model)


Games = dict[Key, OversightGame]
"""Debates by question, and by replicate and order: twice the replicate, and 1 more if swapped."""


class GameGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The debates of arms that differ in the order of the answers alone.

    Attributes:
        dataset: that they debate.
        arm: the name of the arm, or of what the arms have in common.
        judge: the judge's model.
        protocol: by which they debate.
        settings: of the first arm.
        games: the debates.
    """

    dataset: str
    arm: str
    judge: str
    protocol: str
    settings: dict[str, Any]
    games: Games

    @property
    def is_naive(self) -> bool:
        """Whether nobody argues."""
        return all(game.argued == (False, False) for game in self.games.values())


ExpertVerdicts = dict[tuple[str, str], dict[str, dict[Key, float]]]
"""By dataset and model the arms of ``single``, with whether each debate was right."""


def read_groups(runs: RecordedRuns) -> tuple[list[GameGroup], ExpertVerdicts]:
    """Return the debates before a judge in groups, and what experts answered."""
    if {DEBATE, CONSULTANCY}.isdisjoint(arm.protocol for arm in runs.arms):
        return [], {}  # experts alone are not compared
    held: dict[tuple[str, bytes, str], dict[str, Games]] = {}
    first: dict[tuple[str, bytes, str], Transcript] = {}
    experts: ExpertVerdicts = {}
    for debate in runs.debates(protocols={DEBATE, CONSULTANCY, EXPERT}):
        transcript = debate.transcript
        opened = transcript.opened
        if opened.protocol == EXPERT:
            place = debate.dataset, next(transcript.seats).model
            key = debate.question, 2 * debate.replicate
            right = float(is_right(transcript))
            experts.setdefault(place, {}).setdefault(debate.arm, {})[key] = right
        elif game := read_game(transcript):
            judge = find_model(transcript, "judge")
            same = encode_settings(opened.protocol, opened.settings, "swapped")
            group = debate.dataset, same, judge
            first.setdefault(group, transcript)
            key = debate.question, 2 * debate.replicate + game.swapped
            held.setdefault(group, {}).setdefault(debate.arm, {})[key] = game
    groups = [
        GameGroup(
            dataset=group[0],
            arm=join_names(arms, "swapped"),
            judge=group[2],
            protocol=first[group].opened.protocol,
            settings=first[group].opened.settings,
            games={key: game for games in arms.values() for key, game in games.items()},
        )
        for group, arms in held.items()
    ]
    return groups, experts


def join_names(arms: Iterable[str], setting: str) -> str:
    """Return the name of arms: without a setting where that is all that tells them apart."""
    names = list(dict.fromkeys(arms))
    if len(names) == 1:
        return names[0]
    bare = {re.sub(rf"[ ,]*\b{setting}=\w+", "", name).strip() for name in names}
    return bare.pop() if len(bare) == 1 else " + ".join(names)


def encode_settings(protocol: str, settings: Mapping[str, Any], *ignored: str) -> bytes:
    """Return a protocol with its settings, without some of these, as bytes to compare."""
    same = {name: value for name, value in settings.items() if name not in ignored}
    return msgspec.json.encode((protocol, same), order="sorted")


def find_model(transcript: Transcript, role: str) -> str:
    """Return the model of the first seat of a role; empty without one."""
    return next((seat.model for seat in transcript.seats if seat.role == role), "")


class _GameSettings(msgspec.Struct):
    seed: int = 0
    swapped: bool = False
    side: str = "hash"
    best_of: int = 1
    critiques: int = 0


def read_game(transcript: Transcript) -> OversightGame | None:
    """Return the result of a debate before a judge; None where it failed, or nothing is right."""
    opened, question, verdict = transcript.opened, transcript.question, transcript.verdict
    if verdict is None or not question.answers:
        return None
    swapped = msgspec.convert(opened.settings, _GameSettings).swapped
    answers, order, places = _find_stated(transcript) or _find_drawn(transcript)
    right = answers.index(question.answers[0])
    shown_first = answers[order[1] if swapped else order[0]]
    judged = next((turn for turn in transcript.turns if turn.id == verdict.turn), None)
    return OversightGame(
        right=is_right(transcript),
        read=verdict.answer is not None,
        first=verdict.answer == shown_first,
        swapped=swapped,
        sides=(
            _read_side(transcript, judged, places, answers, right),
            _read_side(transcript, judged, places, answers, 1 - right),
        ),
        chance=_read_chance(transcript, judged, "AB"[(order.index(right) + swapped) % 2]),
        beliefs=tuple(_list_beliefs(transcript, judged)),
        secret=bool(question.secret),
        rated_alike=find_model(transcript, "rater") == find_model(transcript, "judge"),
    )


def is_right(transcript: Transcript) -> bool:
    """Return whether a debate's answer is right."""
    answer = transcript.verdict.answer if transcript.verdict else None
    return is_correct(answer, transcript.question)


class _Argued(NamedTuple):
    """The two answers before a judge, their places as it is usually shown them, and who argues.

    Attributes:
        answers: the right one and a wrong one.
        order: the place of the first answer shown, and of the second.
        places: the place of the answer for which each advocate argues.
    """

    answers: Sequence[str]
    order: tuple[int, int]
    places: dict[str, int]


def _find_stated(transcript: Transcript) -> _Argued | None:
    """Return a debate's sides as its log states them; None where it states no advocate's side.

    The answers are usually shown in the order of the question's options.
    """
    question, roles = transcript.question, {"debater", "consultant"}
    stated = {turn.agent: turn.stated for turn in transcript.turns if turn.role in roles}
    argued = {
        agent: answer
        for agent, told in stated.items()
        if told is not None and (answer := extract(told, question)) is not None
    }
    if not argued:
        return None
    right = question.answers[0]
    drawn = opening_values.draw_wrong(question, 0, 0)
    wrong = [*(each for each in argued.values() if each != right), drawn]
    answers = sorted((right, wrong[0]))
    places = {agent: answers.index(each) for agent, each in argued.items() if each in answers}
    return _Argued(answers, (0, 1), places)


def _find_drawn(transcript: Transcript) -> _Argued:
    """Return the draws of a debate."""
    question, own = transcript.question, msgspec.convert(transcript.opened.settings, _GameSettings)
    key = own.seed, transcript.opened.replicate
    answers = draw_answers(question, *key)
    alone = transcript.opened.protocol == CONSULTANCY
    first = find_consultant_side(question, own.side, *key) if alone else 0
    chose = next((turn for turn in transcript.turns if turn.step == "choose-side"), None)
    if chose is not None:
        first = find_chosen(answers, chose.answer, first)
    places = {"consultant": first} if alone else {"debater-1": first, "debater-2": 1 - first}
    return _Argued(answers, find_order(question, *key), places)


def _read_side(
    transcript: Transcript,
    judged: Turn | None,
    places: Mapping[str, int],
    answers: Sequence[str],
    side: int,
) -> SideRecord:
    """Return what was said for an answer, by its place: what the judge read, and no other draft."""
    question, own = transcript.question, msgspec.convert(transcript.opened.settings, _GameSettings)
    advocate = next((agent for agent, place in places.items() if place == side), "")
    read = judged.reads if judged is not None else ()
    said = [turn for turn in transcript.turns if turn.agent == advocate and turn.id in read]
    if not said:
        return SideRecord()
    model = next(seat.model for seat in transcript.seats if seat.agent == advocate) or UNKNOWN
    best_of, critiques = own.best_of, own.critiques
    label = (
        model
        + f", best of {best_of}" * (best_of > 1)
        + f", critiques {critiques}" * bool(critiques)
    )
    if question.secret:
        return SideRecord(label)
    other = state_answer(answers[1 - side], question)
    passage = _find_passage(transcript)
    shown = [mark_quotes(turn.text, passage, WHOLE) for turn in said]
    quotations = [each for text in shown for each in list_quotations(text)]
    return SideRecord(
        model=label,
        arguments=len(shown),
        words=sum(map(count_words, shown)),
        quoted=len(quotations),
        real=sum(real for _, real in quotations),
        near=sum(measure_overlap(words, passage) for words, _ in quotations),
        repeated=len(quotations) - len({words for words, _ in quotations}),
        conceded=sum(is_concession(text, other) for text in shown),
    )


def _find_passage(transcript: Transcript) -> str:
    """Return what advocates may quote: the question's passage, and those of documents."""
    searched = (event for event in transcript.events if isinstance(event, Searched))
    found = [passage.text for event in searched for passage in event.passages]
    return "\n".join([transcript.question.context or "", *found]).strip()


def _list_beliefs(transcript: Transcript, judged: Turn | None) -> Iterator[float]:
    """Yield the probabilities of the right answer that the judge states in its turns."""
    for turn in transcript.turns:
        if judged and turn.agent == judged.agent and isinstance(turn.reading, Standings):
            chance = turn.reading.scores.get(transcript.question.answers[0])
            if chance is not None:
                yield chance


def _read_chance(transcript: Transcript, judged: Turn | None, letter: str) -> float | None:
    """Return the probability of the right answer by a judge that states one; None without it.

    Args:
        transcript: of the debate.
        judged: the judge's last turn.
        letter: of the right answer, as it was shown to a judge that answers with a letter.
    """
    if judged is not None and isinstance(judged.reading, Standings):
        return judged.reading.scores.get(transcript.question.answers[0])
    if judged is None or judged.step != "rate":
        return None
    sure = next(view.confidence for view in views_of(transcript) if view.turn is judged)
    said = next((sign.upper() for sign in judged.text if sign.isalpha()), "")
    if sure is None or said not in {"A", "B"}:
        return None
    chance = sure if said == letter else 1 - sure
    return min(max(chance, LEAST), 1.0)
