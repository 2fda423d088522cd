"""The rule by which a sequential study ends, its votes, and the order of its questions."""

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from moot.core.display_text import format_some, format_things
from moot.core.errors import InputError, check_known
from moot.core.questions import OPEN, Question
from moot.core.stored import Arm, SequentialTerms, StopRule
from moot.datasets.unread_rows import say_once
from moot.debate.protocol import DEBATES, NO_METHODS, kind_of_arm
from moot.studies.checks import convert_table
from moot.studies.equal_budget import add_pools, find_pools
from moot.studies.packed_questions import Questions
from moot.studies.study import Study

MOST_ALPHA = 0.5
_NAMED = 3


def read_rule(table: Mapping[str, Any], arms: Iterable[Arm], file: str) -> StopRule:
    """Return the rule of a study file, with the methods that it compares.

    Args:
        table: ``[stop]``.
        arms: of the study.
        file: for error texts.

    Raises:
        InputError: a value is out of range, or there is no method to compare.
        UnknownName: a key or an arm that does not exist.
    """
    where = f"{file}: stop"
    rule = convert_table(StopRule, table, where=where)
    check_share(rule.margin, f"{where}: margin", most=1.0)
    check_share(rule.alpha, f"{where}: alpha", most=MOST_ALPHA)
    if rule.block < 1:
        raise InputError(f"{where}: block = {rule.block}: must be at least 1")
    if rule.seed < 0:
        raise InputError(f"{where}: seed = {rule.seed}: must be 0 or more")
    kinds = {arm.name: kind_of_arm(arm) for arm in arms}
    check_known("arm", rule.methods, kinds, where=f"{where}: methods")
    for name in rule.methods:
        if kinds[name] in NO_METHODS:
            raise InputError(
                f"{where}: methods: {name!r} is a vote, or a single reply, itself; name arms that "
                "are compared with a vote"
            )
    methods = (
        rule.methods
        or tuple(name for name, kind in kinds.items() if kind in DEBATES)
        or tuple(name for name, kind in kinds.items() if kind not in NO_METHODS)
    )
    if not methods:
        raise InputError(
            f"{where}: there is no debate to compare with a vote: {', '.join(kinds)}, and all of "
            "them are votes or single replies; add a debate, such as society-of-minds"
        )
    return replace(rule, methods=methods)


def check_share(value: float, where: str, *, most: float) -> None:
    """Raise ``InputError`` where a share is not above 0 and below ``most``."""
    if not 0 < value < most:
        raise InputError(
            f"{where} = {value:g}: a share above 0 and below {most:g}, such as 0.05, which is 5 "
            "points of 100"
        )


def add_votes(
    rule: StopRule, arms: tuple[Arm, ...], file: str, overlay: Callable[[str], Path | None]
) -> tuple[tuple[Arm, ...], dict[str, str]]:
    """Return the arms of a study with those of its votes, and the vote of each method.

    Each way of speaking has one vote of its own, whose number of samples debates give. In a vote
    beside debates of several models these draw in turn.

    Raises:
        InputError: an arm has the name of a vote.
    """
    methods = [arm for arm in arms if arm.name in rule.methods]
    left = [arm for arm in arms if kind_of_arm(arm) == "samples" and arm.name not in rule.methods]
    votes = tuple(add_pools(methods, overlay, beside=left))
    taken = {arm.name for arm in arms}
    if clash := next((vote.name for vote in votes if vote.name in taken), None):
        raise InputError(f"{file}: arm {clash!r}: this is the name of the vote; give it another")
    pools = find_pools([*methods, *votes])
    pools |= find_pools([*(each for each in methods if each.name not in pools), *left])
    return (*arms, *votes), pools


def _require_answers(questions: Questions, dataset: str, *, skip: bool) -> Questions:
    """Return the questions that have a right answer.

    Args:
        questions: of a dataset.
        dataset: its name.
        skip: whether others are left out, and counted in the log.

    Raises:
        InputError: a question has none, and is not to be left out; or none has one.
    """
    without = [each.id for each in questions if not each.answers]
    if not without:
        return questions
    counted = f"{len(without):,} of {format_things(len(questions), 'question')}"
    have = "has" if len(without) == 1 else "have"
    told = f"{counted} {have} no right answer: {format_some(without, _NAMED)}"
    if skip and len(without) < len(questions):
        say_once(f"dataset {dataset!r}: {told}; left out")
        return Questions(each for each in questions if each.answers)
    raise InputError(
        f"dataset {dataset!r}: {told}. Without right answers nothing says which method is better: "
        "add them in a column 'answer', or leave such questions out with skip_unreadable = true, "
        "--skip-unreadable of moot worth. Where there are none, moot judge compares answers by a "
        "person's choice"
    )


def _draw_order(questions: Iterable[Question], dataset: str, rule: StopRule) -> Questions:
    """Return the questions of a dataset in the drawn order, equal ones once: the first of them.

    The place of a question depends on its id, the dataset and the seed alone.

    Raises:
        InputError: a question is an open one whose texts are not stored.
    """
    first: dict[bytes, Question] = {}
    for question in questions:
        if question.secret and question.kind in OPEN:
            raise InputError(
                f"dataset {dataset!r}: the replies to secret open questions are not stored, so no "
                "vote can be taken of them"
            )
        first.setdefault(_identify(question), question)

    def place(question: Question) -> bytes:
        drawn = msgspec.json.encode([rule.seed, dataset, question.id])
        return blake2b(drawn, digest_size=16).digest()

    return Questions(sorted(first.values(), key=place))


def _identify(question: Question) -> bytes:
    """Return the part of a question by which it equals others: all that agents read."""
    same = {"id": "", "answer": None, "tempting": msgspec.UNSET}
    shown = replace(question, text=" ".join(question.text.split()), **same)
    return msgspec.json.encode(shown)


def arrange_questions(
    study: Study, questions: Mapping[str, Questions]
) -> tuple[dict[str, Questions], SequentialTerms]:
    """Return the questions of a sequential study in the drawn order, and its stored terms.

    Args:
        study: has the rule.
        questions: by dataset.

    Raises:
        InputError: one has no right answer, or none of its texts would be stored.
    """
    assert study.stop is not None
    skipped = {part.label for part in study.datasets if part.parameters.get("skip_unreadable")}
    known = {
        label: _require_answers(own, label, skip=label in skipped)
        for label, own in questions.items()
    }
    drawn = {label: _draw_order(own, label, study.stop) for label, own in known.items()}
    return drawn, SequentialTerms(
        rule=study.stop,
        order={label: tuple(each.id for each in own) for label, own in drawn.items()},
        pools=study.pools,
        replicates=study.replicates,
        given=sum(map(len, known.values())),
        file_sha256=_digest_file(study),
    )


def _digest_file(study: Study) -> str | None:
    """Return the SHA-256 of the file that all questions are from; None where there is none."""
    from hashlib import sha256

    [*parts] = study.datasets
    path = parts[0].parameters.get("path") if len(parts) == 1 else None
    if not path:
        return None
    with (study.folder / Path(path).expanduser()).open("rb") as file:
        digest = sha256()
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
