"""Whether debates are worth their tokens, in one sentence: of a study, or of each dataset."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from moot.analyses.measured_arms import group_by
from moot.core.display_text import (
    format_count,
    format_interval,
    format_p_equals,
    format_percent,
    format_things,
    on_one_line,
)
from moot.core.results import Results
from moot.core.worth import MethodVerdict
from moot.studies.judging import OWN_VOTE

HEADS = {"better": "Yes", "worse": "No", "equal": "Equal", "open": "Open"}
"""The answers by class; of several classes the first one here stands in front."""
_NAMED = 2
"""The most debates that a sentence names; of more it says how many they are."""
_LACKING = "lacking"
UNREAD = 0.1
"""The share of debates without a readable answer from which a sentence says so."""
PAIRS = "pairs of dataset and model"
_PLACES = 4
"""The most datasets that the first sentence names."""


class _Place(NamedTuple):
    """The verdicts of one dataset, or of one dataset and models.

    Attributes:
        dataset: its name.
        model: the names of the models.
        name: what tells it from the others; empty where there is one place alone.
        verdicts: of its debates.
    """

    dataset: str
    model: str
    name: str
    verdicts: list[MethodVerdict]

    @property
    def classes(self) -> set[str]:
        """The classes of its debates."""
        return {each.class_ for each in self.verdicts}

    @property
    def head(self) -> str:
        """The answer."""
        return next(head for name, head in HEADS.items() if name in self.classes)


def describe_worth(found: Results) -> Iterator[str]:
    """Yield whether debates are worth their tokens: in one sentence, and in one for each dataset.

    The latter only where datasets differ. Where several models debate, each has its own, too.
    """
    if found.statement:
        yield found.statement.sentence
        return
    if not found.verdicts:
        yield "There is no debate here to set beside a vote."
        return
    if not found.is_complete:
        told = "not all debates"
        if found.planned is not None:
            held = format_count(sum(arm.n for arm in found.arms))
            told = f"{held} of {format_things(found.planned, 'debate')}"
        yield f"Open: {told} are in; run the study to its end."
        return
    places = list(_find_places(found))
    lacks = _find_lack(found.verdicts)
    if len(places) == 1 or len(set().union(*(place.classes for place in places))) == 1:
        verdicts = [each for place in places for each in place.verdicts]
        yield _answer(verdicts, _name_all(places), lacks or _find_size(verdicts))
        return
    yield _sum_up(places, lacks)
    for place in places:
        head, _, rest = _answer(place.verdicts, "", _find_size(place.verdicts)).partition(": ")
        yield f"{place.name}: {head[0].lower()}{head[1:]}, {rest}"


def _label_arms(found: Results, *, several_models: bool) -> dict[str, str]:
    """Return the names that people are shown, by arm.

    Where debates differ by their models, sentences name these beside them, and the names do not.
    """
    labels = {}
    for arm in found.arms:
        model = f"model={', '.join(arm.models)}"
        label = arm.label.replace(model, "").replace(",,", ",") if several_models else arm.label
        labels[arm.arm] = label.strip(" ,") or arm.label
    return labels


def _find_places(found: Results) -> Iterator[_Place]:
    models = {arm.arm: ", ".join(arm.models) for arm in found.arms}
    several_datasets = len({each.dataset for each in found.verdicts}) > 1
    several_models = len({models.get(each.arm, "") for each in found.verdicts}) > 1
    labels = _label_arms(found, several_models=several_models)
    groups = group_by(
        found.verdicts,
        lambda each: (each.dataset, models.get(each.arm, "") if several_models else ""),
    )
    for (dataset, model), own in groups.items():
        parts = [dataset] * several_datasets + [model] * several_models
        name = ", ".join(on_one_line(part, 60) for part in parts)
        named = [replace(each, arm=labels.get(each.arm, each.arm)) for each in own]
        yield _Place(dataset, model, name, named)


def _name_all(places: Sequence[_Place]) -> str:
    """Return in words that a sentence is of all places; empty for one place alone."""
    datasets, models = ({getattr(each, name) for each in places} for name in ("dataset", "model"))
    told = [f" on all {len(datasets)} datasets"] if len(datasets) > 1 else []
    told += [f" with all {len(models)} models"] if len(models) > 1 else []
    return "".join(told).replace("all 2 ", "both ")


def _sum_up(places: Sequence[_Place], lacks: str) -> str:
    """Return the answer where places differ: which they are, or how many."""
    ends = f"; {lacks}." if lacks else "."
    heads = group_by(places, lambda place: place.head)
    if len(heads) == 1:
        return f"{places[0].head}, but not for every debate{_name_all(places)}{ends}"
    datasets, models = ({getattr(each, name) for each in places} for name in ("dataset", "model"))
    kind = "datasets" if len(models) == 1 else "models" if len(datasets) == 1 else PAIRS
    few = len(places) <= _PLACES and kind != PAIRS
    told = (
        f"{head.lower()} {'with' if kind == 'models' else 'on'} "
        f"{_join([each.name for each in own]) if few else len(own)}"
        for head in HEADS.values()
        if (own := heads.get(head))
    )
    return f"It depends: {', '.join(told)}{'' if few else f' of {len(places)} {kind}'}{ends}"


def _answer(verdicts: Sequence[MethodVerdict], everywhere: str, advice: str) -> str:
    """Return one sentence on debates: the answer, its number, and what to do where it is open."""
    arms = len({each.arm for each in verdicts})
    parts = group_by(verdicts, _choose_sentence)
    names = [name for name in _SENTENCES if name in parts]
    told = []
    for name in names:
        who = _name_debates(dict.fromkeys(each.arm for each in parts[name]), arms)
        brief = name == "open" and names[0] != "open"
        say = _say_open_briefly if brief else _SENTENCES[name]
        told.append(say(parts[name], who + everywhere))
    first = parts[names[0]][0].class_
    head, own = HEADS[first], [each for each in verdicts if each.class_ == first]
    if len(own) < len(verdicts):
        head += f" for {len(own)} of {format_things(arms, 'debate')}"
    told += _say_unread(verdicts)
    return f"{head}: {'; '.join([*told, *[advice] * bool(advice)])}."


def _say_unread(verdicts: Sequence[MethodVerdict]) -> Iterator[str]:
    """Say how many debates, and votes beside them, have no readable answer: it counts as wrong."""
    compared = [each for each in verdicts if _choose_sentence(each) != _LACKING]
    for side, own in (("method", verdicts), ("vote", compared)):
        shares = {each: 100 * (getattr(each.unread, side) or 0.0) for each in verdicts}
        lost = [each for each in own if shares[each] >= 100 * UNREAD]
        if lost:
            low, high = (f"{end(shares[each] for each in lost):.0f}" for end in (min, max))
            who = _name_debates(dict.fromkeys(each.arm for each in lost), 0)
            whose = who if side == "method" else f"{_name_opponents(lost)} beside {who}"
            share = low if low == high else f"{low} to {high}"
            yield f"{whose} gave no readable answer in {share}\u00a0%"


def _choose_sentence(verdict: MethodVerdict) -> str:
    """Return the name of the sentence for a verdict: its class, or that it lacks a comparison."""
    if verdict.class_ == "open" and verdict.opponent == OWN_VOTE:
        return OWN_VOTE
    lacks = verdict.class_ == "open" and verdict.tokens != "equal"
    return _LACKING if lacks else verdict.class_


def _name_debates(names: Iterable[str], every: int) -> str:
    """Name debates: by their names, where they are few, else by their number."""
    arms = list(names)
    if len(arms) <= _NAMED:
        return _join([on_one_line(arm, 60) for arm in arms])
    return f"all {len(arms)} debates" if len(arms) == every else f"{len(arms)} debates"


def _join(names: Sequence[str]) -> str:
    return " and ".join([*([", ".join(names[:-1])] if names[1:] else []), *names[-1:]])


def _say_worse(verdicts: Sequence[MethodVerdict], who: str) -> str:
    by = _name_range(abs(each.difference.estimate or 0.0) for each in verdicts)
    voter = _name_opponents(verdicts)
    return f"{_name_tokens(verdicts)} {voter} beats {who}, by {by}"


def _say_better(verdicts: Sequence[MethodVerdict], who: str) -> str:
    by = _name_range(abs(each.difference.estimate or 0.0) for each in verdicts)
    beat = _agree(verdicts, "beat")
    return f"{_name_tokens(verdicts)} {who} {beat} {_name_opponents(verdicts)}, by {by}"


def _say_equal(verdicts: Sequence[MethodVerdict], who: str) -> str:
    margin = _name_points(verdicts[0].margin or 0.0)
    return f"at equal tokens {who} {_agree(verdicts, 'are')} within {margin} points of a vote"


def _say_open(verdicts: Sequence[MethodVerdict], who: str) -> str:
    known = [each for each in verdicts if each.smallest is not None]
    least = max(known or verdicts, key=lambda each: (each.smallest or 0.0, each.questions))
    asked = format_things(least.questions, "question")
    shows = "can show nothing"
    if least.smallest is not None:
        shows = f"can only show {_name_points(least.smallest)} points or more"
    every = who.startswith("all ")
    who = who.replace("all ", "none of ", 1) if every else who
    be = "is" if every else f"{_agree(verdicts, 'are')} not"
    return f"at equal tokens {who} {be} shown to differ from a vote, as {asked} {shows}"


def _say_open_briefly(verdicts: Sequence[MethodVerdict], who: str) -> str:
    return f"{who} {_agree(verdicts, 'are')} open"


def _say_lacking(verdicts: Sequence[MethodVerdict], who: str) -> str:
    if who.startswith("all "):
        return f"{who.replace('all ', 'none of ', 1)} is compared with a vote at equal tokens"
    return f"{who} {_agree(verdicts, 'are')} not compared with a vote at equal tokens"


def _say_own_vote(verdicts: Sequence[MethodVerdict], who: str) -> str:
    if len(verdicts) > 1:
        low, high = (
            end(each.difference.estimate or 0.0 for each in verdicts) for end in (min, max)
        )
        return f"{who} are {format_interval(low, high, sign=True)} points from {OWN_VOTE}"
    gap, p = verdicts[0].difference, verdicts[0].p
    ends = format_interval(gap.low, gap.high, sign=True)
    asked = format_things(verdicts[0].questions, "question")
    return (
        f"{who} is {format_percent(gap.estimate, sign=True)} points ({ends}; "
        f"p {format_p_equals(p)}, n = {asked}) from {OWN_VOTE}"
    )


_SENTENCES: dict[str, Callable[[Sequence[MethodVerdict], str], str]] = {
    "better": _say_better,
    "worse": _say_worse,
    "equal": _say_equal,
    "open": _say_open,
    OWN_VOTE: _say_own_vote,
    _LACKING: _say_lacking,
}


def _name_tokens(verdicts: Iterable[MethodVerdict]) -> str:
    """Return how many tokens the side took that is right more often, beside the other one."""
    tokens = {each.tokens for each in verdicts}
    if tokens == {"equal"}:
        return "at equal tokens"
    return "at equal tokens or fewer" if "equal" in tokens else "even with fewer tokens"


def _agree(verdicts: Sequence[MethodVerdict], verb: str) -> str:
    """Return a verb in the number of the debates that it is of."""
    several = len({each.arm for each in verdicts}) > 1
    return verb if several else {"are": "is", "beat": "beats"}[verb]


def _name_opponents(verdicts: Iterable[MethodVerdict]) -> str:
    """Return whose replies were beside those of debates: a vote's, or a baseline's."""
    return " or ".join(sorted({each.opponent for each in verdicts}, reverse=True))


def _find_lack(verdicts: Iterable[MethodVerdict]) -> str:
    """Return what a study lacks for a comparison at equal tokens; empty where it lacks nothing."""
    return next((each.advice for each in verdicts if each.advice and not _is_size(each)), "")


def _find_size(verdicts: Iterable[MethodVerdict]) -> str:
    """Return the most questions that an open class takes, as advice; empty where none is open."""
    sizes = [each.advice for each in verdicts if _is_size(each)]
    return max(sizes, key=lambda advice: (len(advice), advice), default="")


def _is_size(verdict: MethodVerdict) -> bool:
    return verdict.advice.startswith("n = ")


def _name_points(share: float) -> str:
    """Return a share in points, without a decimal that is 0."""
    return format_percent(share).removesuffix(".0")


def _name_range(shares: Iterable[float]) -> str:
    """Return the least and the greatest of shares, in points."""
    known = sorted(shares)
    low, high = _name_points(known[0]), _name_points(known[-1])
    if low == high:
        return f"{low} point{'s' * (low != '1')}"
    return f"{low} to {high} points"
