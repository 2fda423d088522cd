"""What a decision rule is: a function from final views to a verdict, registered by name."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec

from moot.core.errors import InputError, UnknownName
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.core.registry import Registry
from moot.debate.views import Views
from moot.parsing.ballot import Ballot

Rule = Callable[..., Verdict]
DEFAULT = "plurality"
"""The rule of every protocol that votes, unless the setting ``decision`` names another."""
HISTORY = "history"
"""The parameter of rules that look at more than final views."""
BALLOTS = "ballots"
"""The parameter of rules that count ballots."""
GIVEN = frozenset({HISTORY, BALLOTS})
"""The parameters that are no options of a rule."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A registered decision rule.

    Attributes:
        name: its name in the setting ``decision``, e.g. ``"unanimity"``.
        rule: the function.
        source: where the rule comes from.
        options: the names of its keyword parameters.
    """

    name: str
    rule: Rule
    source: str
    options: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """What it does, in one line."""
        return (inspect.getdoc(self.rule) or "").partition("\n")[0]

    def apply(
        self, views: Views, question: Question, said: Views, given: Mapping[str, Any]
    ) -> Verdict:
        """Return the verdict over these views.

        Args:
            views: the final view of each seat that votes, by seat.
            question: the question.
            said: all views of these seats, oldest first, with those that are no votes.
            given: values of the rule's keyword parameters.

        Raises:
            UnknownName: the rule has no such parameter.
            InputError: a value is of another type than its parameter, or out of its range.
        """
        for name in given:
            if name not in self.options or name in GIVEN:
                known = [each for each in self.options if each not in GIVEN]
                raise UnknownName("option", name, known, where=f"decision {self.name}")
        options: dict[str, Any] = {}
        if HISTORY in self.options:
            options[HISTORY] = Views(view for view in said if view.turn.votes)
        if BALLOTS in self.options:
            cast = Views(view for view in said if view.get(Ballot)).last
            options[BALLOTS] = {view.agent.seat.number: view.get(Ballot) for view in cast}
        types = get_type_hints(self.rule, include_extras=True) if given else {}
        for name, value in given.items():
            try:
                options[name] = msgspec.convert(value, types.get(name, Any))
            except msgspec.ValidationError as error:
                raise InputError(f"decision {self.name}: {name} = {value!r}: {error}") from None
        verdict = self.rule(views, question, **options)
        if not isinstance(verdict, Verdict):
            raise TypeError(f"decision {self.name}: it returned {verdict!r} and no Verdict")
        return verdict


registry: Registry[Decision] = Registry("decision rule", "moot.decisions")


def decision(*, source: str, name: str = "") -> Callable[[Rule], Rule]:
    """Register a function ``(views, question) -> Verdict`` as a decision rule.

    ``views`` are the final views of those who vote, by seat. A keyword parameter ``history`` is
    given all their views, oldest first, and one named ``ballots`` the newest ballot of each by
    its seat's number (see ``moot.Ballot``); others are options of the rule and need a default. A
    rule makes no call, changes nothing, and decides the same way each time: it can be applied to a
    recorded debate. Where a view lacks what the rule needs, the verdict has no answer and says so
    in ``by``; a rule guesses nothing.

    Args:
        source: where the rule comes from.
        name: another name than the function's, whose underscores become hyphens.
    """

    def register(rule: Rule) -> Rule:
        own = name or rule.__name__.replace("_", "-")
        parameters = inspect.signature(rule).parameters.values()
        options = tuple(each.name for each in parameters if each.kind is each.KEYWORD_ONLY)
        registry.add(own, Decision(own, rule, source, options))
        return rule

    return register
