"""Is a debate worth its tokens on somebody's questions: a study that ends when that is settled."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from moot.core.errors import InputError
from moot.core.ports import Model
from moot.core.questions import Kind
from moot.core.without_await import make_sync
from moot.core.worth import Statement
from moot.datasets.dataset import registry as datasets
from moot.datasets.own_questions import read_own_questions
from moot.datasets.unread_rows import say_once
from moot.debate.own_method import show_name
from moot.debate.protocol import DEBATES, NO_METHODS, kind_of
from moot.debate.protocol import registry as protocol_registry
from moot.models.prices import Price
from moot.protocols import SINGLE
from moot.runtime.budget import Budget
from moot.runtime.collector import collect_seldom
from moot.studies.estimate import Estimate
from moot.studies.lab import default_model, model_name, open_lab
from moot.studies.plan import Plan
from moot.studies.rehearsal import estimate_run
from moot.studies.study import Study
from moot.studies.study_file import load
from moot.studies.study_run import Outcome, require_accepted, run_plan

METHODS: tuple[dict[str, Any], ...] = (
    {"protocol": "society-of-minds"},
    {"protocol": "council", "agents": 3},
)
"""The methods where none is named: the plain debate of three agents and two rounds, and a council
of the fewest members that can outvote one of them."""


class ComposedWorth(NamedTuple):
    """A study of the worth of debates on some questions.

    Attributes:
        study: ready to be planned.
        notes: for people, what was taken for what in a file of questions, one sentence each.
    """

    study: Study
    notes: tuple[str, ...]


class WorthOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to whether debates are worth their tokens.

    Attributes:
        statement: the answer: its sentence, each method, what it would take to know more, warnings.
        outcome: of the study behind it.
    """

    statement: Statement
    outcome: Outcome

    @property
    def run(self) -> str:
        """The id of the run, by which ``moot show`` and ``moot report`` find it."""
        return self.outcome.run

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        return self.statement.sentence

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence


def compose_worth(
    questions: str | Path,
    *,
    model: str | Sequence[str] | None = None,
    protocols: Sequence[str] = (),
    margin: float = 0.05,
    alpha: float = 0.05,
    block: int = 20,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    kind: Kind | None = None,
    skip_unreadable: bool = False,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
) -> ComposedWorth:
    """Return the study that tells whether debates are worth their tokens on some questions.

    The arguments are those of ``worth``.
    """
    source = str(questions)
    entry, notes = _find_dataset(source, columns, kind, skip_unreadable=skip_unreadable)
    stop = {"margin": margin, "alpha": alpha, "block": block, "seed": seed}
    compared = _name_methods(protocols)
    methods = [{"protocol": each} for each in protocols] or [*map(dict, METHODS)]
    single = [] if SINGLE in protocols else [{"protocol": SINGLE}]
    seats = [model or default_model()] if model is None or isinstance(model, str) else [*model]
    study = load(
        {
            "name": f"worth {Path(source).stem if 'path' in entry else source}",
            "datasets": [entry],
            "arms": [*methods, *single],
            "stop": {**stop, "methods": compared},
        },
        model=seats[0],
        models=seats if len(seats) > 1 else (),
    )
    more = {"budget": budget or Budget(), "prices": dict(prices or {}), "file": source}
    return ComposedWorth(msgspec.structs.replace(study, **more), notes)


def _name_methods(protocols: Sequence[str]) -> list[str]:
    """Return the arms of named protocols that are compared with a vote; none for the debates.

    Of a study that names none its debates are compared. Methods of a file are compared beside them,
    and without a debate all but votes and single replies.

    Raises:
        InputError: none of them is a method, or one is named twice.
    """
    found = [protocol_registry.get(name, where="--protocol") for name in protocols]
    names = [show_name(each.name) for each in found]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"protocol {twice!r} is named twice; name each method once")
    kinds = {name: kind_of(each.name) for name, each in zip(names, found, strict=True)}
    debates = {name for name, kind in kinds.items() if kind in DEBATES}
    others = [name for name, kind in kinds.items() if kind not in (*DEBATES, *NO_METHODS)]
    if debates:
        others = [name for name in others if protocol_registry.find(name) is None]
        return [name for name in names if name in {*debates, *others}] if others else []
    if protocols and not others:
        raise InputError(
            f"protocol {', '.join(names)}: there is no debate to compare with a vote; name one, "
            "such as society-of-minds"
        )
    return others


def _find_dataset(
    source: str, columns: Mapping[str, str] | None, kind: Kind | None, *, skip_unreadable: bool
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the dataset of a study, a file's or that of a name, and notes on it."""
    of_file = bool(columns or kind or skip_unreadable)
    if not of_file and not Path(source).exists() and datasets.find(source) is not None:
        return {"name": source}, ()
    own = read_own_questions(
        source, columns=columns, kind=kind, skip_unreadable=skip_unreadable, tell=say_once
    )
    if "answer" not in own.columns and not any(each.answers for each in own.questions):
        told = f"its other columns: {', '.join(own.others)}" if own.others else "it has no other"
        raise InputError(
            f"{source}: no column is known to be the right answer; {told}. Name it, as in "
            f"--columns answer={own.others[0] if own.others else 'COLUMN'}. Where there are no "
            "right answers, moot judge compares answers by a person's choice"
        )
    more: dict[str, Any] = {"kind": kind} if kind else {}
    more |= {"skip_unreadable": True} if skip_unreadable else {}
    return {"name": "file", "path": source, "columns": own.columns, **more}, own.notes


async def worth(
    questions: str | Path,
    *,
    model: str | Model | Sequence[str] | None = None,
    protocols: Sequence[str] = (),
    margin: float = 0.05,
    alpha: float = 0.05,
    block: int = 20,
    seed: int = 0,
    columns: Mapping[str, str] | None = None,
    kind: Kind | None = None,
    skip_unreadable: bool = False,
    budget: Budget | None = None,
    prices: Mapping[str, Price] | None = None,
    limit: int | None = None,
    store: str | Path | None = None,
    models: Sequence[Model] = (),
    confirm: Callable[[Estimate], bool] | None = None,
    watch: Callable[[Statement], None] | None = None,
) -> WorthOutcome:
    """Find out whether debates are worth their tokens on some questions.

    Each method is compared with a vote of as many tokens, question by question, until it is better
    or worse, or equal within the margin. What is said is valid whenever it is looked at.

    Args:
        questions: a file of questions and right answers, or the name of a dataset.
        model: who debates: a name, or a model object; ``MOOT_MODEL``, else the embedded one.
            Several names take the seats of each method, and the samples of its vote, in turn.
        protocols: the methods, by name or file; the plain debate and a council of three if none is
            given. A single reply is asked for beside them.
        margin: the greatest difference that counts as equal, above 0 and below 1.
        alpha: the share of studies in which any method may be called what it is not.
        block: questions between two looks.
        seed: of the order of the questions.
        columns: of a file, the column of each role: ``question``, ``answer``, and ``choices`` or
            ``A``, ``B``, …
        kind: of a file, the form of all answers; else what they can only be.
        skip_unreadable: of a file, whether rows that cannot be read are left out.
        budget: the most it may spend; that it is reached ends it as any other look does.
        prices: of models, by their names.
        limit: the most questions.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
        models: further model objects to use for their names.
        confirm: is shown the estimate before the first call; False ends it there.
        watch: is called with the statement after each block.

    Raises:
        InputError: something cannot be; nothing was called.
        RunBusy: another process runs the same.
        StoreError: the store cannot be read or written.
    """
    study = compose_worth(
        questions,
        model=model_name(model) if model is None or isinstance(model, str | Model) else model,
        protocols=protocols,
        margin=margin,
        alpha=alpha,
        block=block,
        seed=seed,
        columns=columns,
        kind=kind,
        skip_unreadable=skip_unreadable,
        budget=budget,
        prices=prices,
    ).study
    with collect_seldom():
        plan = Plan(study, limit=limit)
        async with open_lab(store, as_allowed=True) as lab:
            lab.use_models([*models, *([model] if isinstance(model, Model) else [])])
            if confirm is not None and not lab.readonly:
                require_accepted(confirm, await estimate_run(plan, lab))
            outcome = await run_plan(plan, lab, look=watch)
    assert outcome.results.statement
    return WorthOutcome(statement=outcome.results.statement, outcome=outcome)


worth_sync = make_sync(worth)
