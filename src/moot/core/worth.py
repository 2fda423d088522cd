"""Whether a debate is worth its tokens: the class of a method, and the figures that it rests on."""

from typing import Literal, TypeAlias

import msgspec

VerdictClass: TypeAlias = Literal["better", "worse", "equal", "open"]
"""What the comparison of a debate with a vote shows.

``better``: the debate is right more often than a vote of as many tokens. ``worse``: a vote of as
many tokens, or an opponent of fewer, is right more often. ``equal``: the difference lies within a
stated margin. ``open``: none of these is shown.
"""
OpponentTokens: TypeAlias = Literal["equal", "fewer", "more"]
"""How many tokens the opponent of a debate had: as many as fit into the debate's, or not."""


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A difference with its interval.

    Attributes:
        estimate: the debate's accuracy minus its opponent's, −1 to 1; None where nothing was
            compared.
        low: None, as ``high``, for fewer than two questions.
        level: of the interval, 0 to 1.
    """

    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """The shares of answers that could not be read; they count as wrong.

    Attributes:
        method: of the compared debates, failed ones among them; None where it is unknown.
        vote: of the votes, or of the opponent's replies.
    """

    method: float | None = None
    vote: float | None = None


class MethodVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The class of one debate on one dataset, from its paired comparison with a vote.

    Attributes:
        dataset: the questions' dataset.
        method: the name of its protocol.
        arm: its name in the study, which tells settings and models apart.
        class_: ``class`` in JSON.
        questions: those compared; the replicates of a question are one.
        won: questions that the debate has right more often than its opponent.
        lost: questions that it has right less often.
        tied: all others.
        unread: answers that could not be read.
        difference: the debate minus its opponent. At 95 %; where the class is ``equal``, at a level
            that holds for all methods of the study together.
        p: of the exact paired test, corrected by Holm for all debates and datasets of the study;
            None where nothing was compared.
        against: the arm that it was compared with, out of whose replies a vote is taken; None where
            there is none.
        opponent: the same in words, e.g. ``a vote``; empty where there is none.
        tokens: how many tokens the opponent had.
        smallest: the smallest difference that so many questions show in 80 % of studies, with p so
            corrected; None for too few questions.
        margin: the greatest difference that counts as equal; None where none is stated.
        advice: of an open class, what to type to know more; may be empty.
    """

    dataset: str
    method: str
    arm: str
    class_: VerdictClass = msgspec.field(name="class")
    questions: int
    won: int
    lost: int
    tied: int
    unread: Unread
    difference: Estimate
    p: float | None
    against: str | None = None
    opponent: str = ""
    tokens: OpponentTokens | None = None
    smallest: float | None = None
    margin: float | None = None
    advice: str = ""
