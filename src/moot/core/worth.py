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


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """The vote that a debate is compared with.

    Attributes:
        accuracy: of the votes on the compared questions, 0 to 1; None where nothing was compared.
        samples: replies of a vote, at the mean.
        tokens: of these, prompt and completion, at the mean; None where unknown.
    """

    accuracy: float | None = None
    samples: float | None = None
    tokens: float | None = None


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
            that holds for all methods of the study together. While debates are not in, and in a
            study that ends by itself, it holds at every look, too.
        p: of the exact paired test, corrected by Holm for all debates and datasets of the study;
            None where nothing was compared, while debates are not in, and in a study that ends by
            itself.
        against: the arm that it was compared with, out of whose replies a vote is taken; None where
            there is none.
        opponent: the same in words, e.g. ``a vote``; empty where there is none.
        tokens: how many tokens the opponent had.
        smallest: the smallest difference that so many questions show in 80 % of studies, with p so
            corrected; None for too few questions.
        margin: the greatest difference that counts as equal; None where none is stated.
        advice: of an open class, what to type to know more; may be empty.
        failed: debates without a verdict, among those compared; they count as wrong.
        accuracy: of the debates on the compared questions.
        vote: that they were compared with.
        tokens_per_question: of a debate, prompt and completion, at the mean; None where unknown.
        cost_per_question: of a debate in US dollars, at the mean; None where unknown.
        short: debates that could have bought more samples than their vote had.
        settled_at: questions after which the class was no longer open, where it was looked at
            after each; None where it is open, or was looked at once.
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
    failed: int = 0
    accuracy: Estimate = Estimate()
    vote: Vote = Vote()
    tokens_per_question: float | None = None
    cost_per_question: float | None = None
    short: int = 0
    settled_at: int | None = None


Stopped: TypeAlias = Literal["settled", "cap", "questions", "interrupted"]
"""Why a sequential study ended: all methods are settled, a cap is reached, no question is left, or
a person ended it."""


class AskedQuestions(msgspec.Struct, frozen=True, kw_only=True):
    """The questions of a sequential study.

    Attributes:
        file_sha256: of the file that they are from; None where they are a dataset's.
        given: rows.
        unique: questions among them that are not equal to an earlier one.
        used: of these, those that were debated by now.
    """

    file_sha256: str | None = None
    given: int = 0
    unique: int = 0
    used: int = 0


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """The further questions that would settle the open methods.

    Attributes:
        questions: further questions; None where no number of them is promised.
        cost: of these in US dollars; None where a price is unknown.
        power: the share of such studies that so many questions settle, 0 to 1.
    """

    questions: int | None = None
    cost: float | None = None
    power: float = 0.8


class Warned(msgspec.Struct, frozen=True, kw_only=True):
    """A warning: a short name for programs, and a sentence for people."""

    code: str
    text: str


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """The statement of a sequential study at one look, the last one or any before.

    Attributes:
        sentence: the answer.
        stopped: why it ended; None while it goes on.
        alpha: the share of studies in which any method may be called what it is not.
        margin: the greatest difference that counts as equal, 0 to 1.
        family: methods × datasets that ``alpha`` is shared by.
        order_seed: of the order of the questions.
        questions: that were given and used.
        methods: each debate on each dataset.
        rest: what more it takes; None where all are settled.
        warnings: on what a reader has to know.
    """

    format: str = "moot-worth/1"
    sentence: str
    stopped: Stopped | None = None
    alpha: float = 0.05
    margin: float = 0.05
    family: int = 1
    order_seed: int = 0
    questions: AskedQuestions = AskedQuestions()
    methods: tuple[MethodVerdict, ...] = ()
    rest: Rest | None = None
    warnings: tuple[Warned, ...] = ()
