"""What a decision rule is: a function from final views to a verdict, registered by name."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, get_type_hints
from urllib.parse import parse_qsl

import msgspec

from moot.core.errors import InputError, check_known
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.core.registry import Registry
from moot.debate.views import View, Views
from moot.parsing.ballot import Ballot, replace_agents

Rule = Callable[..., Verdict]
CheckOptions = Callable[[Mapping[str, Any], Mapping[str, Any]], None]
Need = Literal[
    "answers",
    "confidences",
    "votes",
    "rankings",
    "approvals",
    "points",
    "scores",
    "judge",
    "other",
]
"""What agents must state for a rule. ``"other"``: what moot cannot look for in a ballot."""
DEFAULT = "plurality"
"""The rule of every protocol that votes, unless the setting ``decision`` names another."""
HISTORY = "history"
"""The parameter of rules that look at more than final views."""
BALLOTS = "ballots"
"""The parameter of rules that count ballots."""
JUDGES = "judges"
"""The parameter of rules that look at agents which hold no answer of their own."""
GIVEN = frozenset({HISTORY, BALLOTS, JUDGES})
"""The parameters that are no options of a rule."""

_STATED: Mapping[str, Callable[[View, Ballot], bool]] = MappingProxyType(
    {
        "answers": lambda view, _: view.answer is not None,
        "confidences": lambda view, _: view.confidence is not None,
        "votes": lambda _, ballot: ballot.vote is not None,
        "rankings": lambda _, ballot: bool(ballot.ranking),
        "approvals": lambda _, ballot: bool(ballot.approved),
        "points": lambda _, ballot: bool(ballot.points),
        "scores": lambda _, ballot: bool(ballot.scores),
    }
)
"""Whether a voter states what a rule needs, by its final view and its ballot."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A registered decision rule.

    Attributes:
        name: its name in the setting ``decision``, e.g. ``"unanimity"``.
        rule: the function.
        source: where the rule comes from.
        options: the names of its keyword parameters.
        needs: what agents must state for it.
        verify: looks at values of its options and the settings of a protocol that is to use it,
            and raises ``InputError``; None for nothing to look at.
    """

    name: str
    rule: Rule
    source: str
    options: tuple[str, ...] = ()
    needs: Need = "answers"
    verify: CheckOptions | None = None

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return (inspect.getdoc(self.rule) or "").partition("\n")[0]

    @property
    def own_options(self) -> list[str]:
        """The names of the options that a user can set."""
        return [each for each in self.options if each not in GIVEN]

    def default_of(self, option: str) -> Any:  # noqa: ANN401 -- each option has a type of its own
        """Return the value of an option that is not given."""
        return inspect.signature(self.rule).parameters[option].default

    def convert(self, given: Mapping[str, Any], *, strict: bool = True) -> dict[str, Any]:
        """Return values of options, converted to the types of their parameters.

        Args:
            given: the values.
            strict: False where they may be texts, as of a command line.

        Raises:
            UnknownName: the rule has no such option.
            InputError: a value is of another type, or out of its range.
        """
        options: dict[str, Any] = {}
        types = get_type_hints(self.rule, include_extras=True) if given else {}
        for name, value in given.items():
            check_known("option", [name], self.own_options, where=f"decision {self.name}")
            try:
                options[name] = msgspec.convert(value, types.get(name, Any), strict=strict)
            except msgspec.ValidationError as error:
                raise InputError(f"decision {self.name}: {name} = {value!r}: {error}") from None
        return options

    def apply(
        self,
        views: Views,
        question: Question,
        said: Views,
        given: Mapping[str, Any],
        judges: Views = Views(),  # noqa: B008 -- it is empty and cannot change
    ) -> Verdict:
        """Return the verdict over these views.

        Args:
            views: the final view of each seat that votes, by seat.
            question: the question.
            said: all views of these seats, oldest first, with those that are no votes.
            given: values of the rule's options.
            judges: all views of agents that hold no answer of their own, oldest first.

        Raises:
            UnknownName: the rule has no such option.
            InputError: a value is of another type than its parameter, or out of its range.
        """
        options = self.convert(given)
        if HISTORY in self.options:
            options[HISTORY] = Views(view for view in said if view.turn.votes)
        if BALLOTS in self.options:
            options[BALLOTS] = find_ballots(said)
        if JUDGES in self.options:
            options[JUDGES] = judges
        verdict = self.rule(views, question, **options)
        if not isinstance(verdict, Verdict):
            raise TypeError(f"decision {self.name}: it returned {verdict!r} and no Verdict")
        return verdict

    def count_stated(self, views: Views, said: Views) -> int | None:
        """Return how many voters state what the rule needs; None where that is not looked for.

        Args:
            views: as for ``apply``.
            said: as for ``apply``.
        """
        stated = self.find_stated(views, said)
        return None if stated is None else sum(stated.values())

    def find_stated(self, views: Views, said: Views) -> dict[View, bool] | None:
        """Return of each voter whether it states what the rule needs; None as ``count_stated``."""
        if (stated := _STATED.get(self.needs)) is None:
            return None
        ballots, none = find_ballots(said) if BALLOTS in self.options else {}, Ballot()
        return {view: stated(view, ballots.get(view.agent.seat.number, none)) for view in views}


registry: Registry[Decision] = Registry("decision rule", "moot.decisions", table="RULES")


@lru_cache(maxsize=2)  # every rule on a debate asks for the same ones
def find_ballots(said: Views) -> Mapping[int, Ballot]:
    """Return the newest ballot of each seat, by its number; all of them are for answers."""
    held = {view.agent.seat.agent: view.answer for view in said if view.turn.votes}
    cast = ((view.agent.seat.number, view.get(Ballot)) for view in said)
    return {seat: replace_agents(ballot, held) for seat, ballot in cast if ballot}


def is_judge(view: View) -> bool:
    """Return whether a view is of an agent that holds no answer of its own, on this question."""
    return not view.agent.seat.debater and view.turn.votes and not view.turn.about


def find_rule(text: str, *, where: str = "") -> tuple[Decision, dict[str, Any]]:
    """Return the rule that a text names, and the values of its options.

    Args:
        text: a name, or a name with options: ``"supermajority?share=0.75"``.
        where: the place to name in an error.

    Raises:
        UnknownName: no rule has this name, or the rule has no such option.
        InputError: a value is of another type, or out of its range.
    """
    name, _, options = text.partition("?")
    found = registry.get(name, where=where)
    if not options:
        return found, {}
    try:
        given = dict(parse_qsl(options, strict_parsing=True, keep_blank_values=True))
    except ValueError:
        raise InputError(
            f"decision {text!r}: options are written as in supermajority?share=0.75"
        ) from None
    return found, found.convert(given, strict=False)


def check_rule(
    text: str,
    settings: Mapping[str, Any],
    place: str,
    *,
    ballots: bool,
    roles: Sequence[str],
) -> None:
    """Raise ``InputError`` for a rule that could never decide with these settings.

    Args:
        text: the rule, as ``find_rule`` takes it.
        settings: of the debate.
        place: for the error's text.
        ballots: whether the protocol's agents give ballots.
        roles: of the protocol's agents.
    """
    rule, options = find_rule(text, where=place)
    lacks = ""
    if BALLOTS in rule.options and not ballots:
        lacks = "counts ballots, for which agents of this protocol are not asked"
    elif JUDGES in rule.options and "judge" not in roles:
        lacks = "needs a judge, and this protocol seats none"
    if lacks:
        raise InputError(f"{place}: decision {rule.name} {lacks}")
    if rule.verify is not None:
        rule.verify(options, settings)


def decision(
    *,
    source: str,
    name: str = "",
    needs: Need = "answers",
    verify: CheckOptions | None = None,
) -> Callable[[Rule], Rule]:
    """Register a function ``(views, question) -> Verdict`` as a decision rule.

    ``views`` are the final views of those who vote, by seat. A keyword parameter ``history`` is
    given all their views, oldest first; one named ``ballots`` the newest ballot of each by its
    seat's number (see ``moot.Ballot``); one named ``judges`` all views of agents that hold no
    answer of their own. Others are options of the rule and need a default. A rule makes no call,
    changes nothing, and decides the same way each time: it can be applied to a recorded debate.
    Where a view lacks what the rule needs, the verdict has no answer and says so in ``by`` and
    ``missing``; a rule guesses nothing.

    Args:
        source: where the rule comes from.
        name: another name than the function's, whose underscores become hyphens.
        needs: what agents must state for it.
        verify: looks at values of its options and the settings of a protocol that is to use it,
            before any call, and raises ``InputError`` where it could never decide.
    """

    def register(rule: Rule) -> Rule:
        own = name or rule.__name__.replace("_", "-")
        parameters = inspect.signature(rule).parameters.values()
        options = tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)
        registry.add(own, Decision(own, rule, source, options, needs, verify))
        return rule

    return register
