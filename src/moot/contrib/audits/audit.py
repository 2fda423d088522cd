"""Audits: what is claimed, the same by the authors' rule, and the same by a right one."""

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import repeat
from pathlib import PurePosixPath
from typing import get_args

import msgspec

from moot import InputError, RecordedRuns
from moot.contrib.audits.audited import AuditedDebate, AuditedRuns
from moot.contrib.audits.causes import CountedRow, Difference, count_rows
from moot.contrib.audits.cautions import Caution, Watch, warn_of_right_answers
from moot.contrib.audits.claims import Claim, Place, Stated, place_claims
from moot.contrib.audits.effects import (
    Effects,
    Ends,
    Exchange,
    add_findings,
    add_their_way,
    measure_effects,
)
from moot.contrib.audits.packed_rows import PackedRows
from moot.contrib.audits.rules import (
    FIRST,
    MOOT,
    OURS,
    Outcome,
    Replies,
    Rule,
    list_rules,
    registry,
)
from moot.contrib.imports.log_format import Unread
from moot.extend.analyses import Cluster, Key, Mean, mean_over_questions, mean_with_interval
from moot.extend.words import format_things

_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""Outcomes by their codes in a pattern."""
_NO_ROUND = 0
"""The pattern of a debate that does not come to a round."""
Slot = tuple[str, int]  # setting, round
_MOST = 1_000_000
"""The most questions of a claim that has an interval."""
Placed = Sequence[tuple[Stated, Claim] | None]


class AuditedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """The three numbers of a round of a setting.

    Attributes:
        setting: the arm; with the dataset, where debates of several are looked at.
        round: from 1; 0 for a verdict that is no vote.
        claimed: the stated share, with the interval of that share of so many questions.
        by_their_rule: None without a rule.
        by_ours: by moot's reader and a majority vote.
        differing: questions that the two rules count otherwise.
    """

    setting: str
    round: int
    claimed: Mean | None
    by_their_rule: Mean | None
    by_ours: Mean
    differing: int


class TriedRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that was tried.

    Attributes:
        name: of the rule.
        shares: one for each round and setting.
        fits: whether they are what is claimed, all together.
        about: what the rule does.
    """

    name: str
    shares: tuple[float | None, ...]
    fits: bool
    about: str


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """An audit of a log or a run.

    Attributes:
        name: of the log.
        run: the key of its run.
        labels: what people are shown of each setting.
        source: where the claim is stated; empty without a claim.
        rule: the name of the rule taken for the authors'; empty without one.
        why: why that rule was taken, in words.
        tried: every rule that was tried, in the order of their names.
        figures: one for each round and setting, in their order.
        rows: every question of every round: what the figures are computed from.
        differences: every question on which the two rules disagree, by debate and round.
        effects: of each setting, what is then so.
        warnings: what must be known before the figures are used.
        notes: what was found and not used.
    """

    name: str
    run: str
    labels: dict[str, str]
    source: str
    rule: str
    why: str
    tried: tuple[TriedRule, ...]
    figures: tuple[AuditedFigure, ...]
    rows: PackedRows[CountedRow]
    differences: PackedRows[Difference]
    effects: tuple[Effects, ...]
    warnings: tuple[Caution, ...]
    notes: tuple[str, ...] = ()

    @property
    def fitting(self) -> list[str]:
        """The names of the rules that fit the claim."""
        return [each.name for each in self.tried if each.fits]

    @property
    def causes(self) -> dict[str, int]:
        """How many differences each cause has, the most frequent first."""
        return dict(Counter(each.cause for each in self.differences).most_common())


class _Count:
    """The outcomes of every rule for each round of each setting, debate by debate.

    The outcomes of all rules for one round are one of a few patterns, kept by their numbers.
    """

    def __init__(self, debates: Iterable[AuditedDebate], rules: Iterable[Rule]) -> None:
        self._rules = list(dict.fromkeys([*rules, OURS, FIRST]))
        self._patterns: dict[bytes, int] = {b"": _NO_ROUND}
        self._marks: dict[Slot, array[int]] = {}
        self._keys: dict[str, list[Key]] = {}
        self.files: dict[Slot, dict[str, None]] = {}
        self.ends: dict[str, Ends] = {}
        self.watch, self.exchange = Watch(), Exchange()
        for debate in debates:
            self.watch.look(debate)
            self.exchange.look(debate)
            keys = self._keys.setdefault(debate.setting, [])
            for each in debate.rounds:
                slot = debate.setting, each.number
                self.files.setdefault(slot, {})[debate.file] = None
                marks = self._marks.setdefault(slot, array("L"))
                marks.extend(repeat(_NO_ROUND, len(keys) - len(marks)))
                marks.append(self._find_pattern(each.replies))
            keys.append(debate.key)
            self.ends.setdefault(debate.setting, Ends()).add(debate, keys[-1])

    def _find_pattern(self, replies: Replies) -> int:
        outcomes = bytes(_OUTCOMES.index(rule.apply(replies)) for rule in self._rules)
        return self._patterns.setdefault(outcomes, len(self._patterns))

    def _read_patterns(self, rule: Rule) -> list[Outcome | None]:
        """Return the outcome of a rule in each pattern; None without a round."""
        place = self._rules.index(rule)
        return [_OUTCOMES[each[place]] if each else None for each in self._patterns]

    @property
    def slots(self) -> list[Slot]:
        """The rounds of all settings: settings as they came, a verdict after the rounds."""
        arms = list(dict.fromkeys(arm for arm, _ in self.files))
        return sorted(self.files, key=lambda slot: (arms.index(slot[0]), slot[1] or 1 << 30))

    @property
    def places(self) -> list[Place]:
        """The same, as claims find them."""
        last = dict(self.slots)
        return [
            Place(tuple(self.files[slot]), *slot, last[slot[0]] == slot[1]) for slot in self.slots
        ]

    def count_right(self, rule: Rule, slot: Slot) -> tuple[int, int]:
        """Count the debates that are right by a rule, and those that count."""
        read, counts = self._read_patterns(rule), Counter[Outcome | None]()
        for mark, times in Counter(self._marks[slot]).items():
            counts[read[mark]] += times
        return counts["right"], counts.total() - counts[None] - counts["left out"]

    def measure(self, rule: Rule, slot: Slot) -> Mean:
        """Return the share of right debates by a rule, over questions."""
        read = self._read_patterns(rule)
        pairs = zip(self._keys[slot[0]], self._marks[slot], strict=False)
        outcomes = ((key, read[mark]) for key, mark in pairs)
        return mean_over_questions(
            {key: float(it == "right") for key, it in outcomes if it not in {None, "left out"}}
        )

    def count_differing(self, one: Rule, other: Rule, slot: Slot) -> int:
        """Return how many questions count as right by one of two rules alone."""
        pairs = list(zip(self._read_patterns(one), self._read_patterns(other), strict=True))
        return sum(
            times
            for mark, times in Counter(self._marks[slot]).items()
            if (pairs[mark][0] == "right") != (pairs[mark][1] == "right")
        )


def audit_runs(
    runs: RecordedRuns,
    *,
    claims: Sequence[Claim] = (),
    rules: Sequence[str] = (),
    find: Callable[[Sequence[str]], Iterable[Claim | Unread]] | None = None,
) -> Audit:
    """Audit the debates of runs.

    Args:
        runs: recorded here or elsewhere.
        claims: what their authors state, as the user says.
        rules: the names of the rules to try; all that are made for these questions, if none.
        find: finds from the names of a log's files what its result files state; claims that do
            not belong to the debates are noted. None to look for none.

    Raises:
        InputError: there is nothing to count, or a claim does not belong to the debates.
        UnknownName: there is no such rule.
    """
    named = [registry.get(each, where="--rule") for each in dict.fromkeys(rules)]
    debates = AuditedRuns(runs)
    if not debates.answered:
        raise InputError(f"{runs.key}: no right answer is known; there is nothing to count")
    tried = named or list_rules(debates.kinds)
    count = _Count(debates, tried)
    files = dict.fromkeys(file for each in count.places for file in each.files if file)
    found = find(list(files)) if find else ()
    placed, notes = _place_all(claims, found, count.places)
    listed = tuple(_try(rule, count, placed) for rule in tried)
    methods = {arm.protocol for arm in debates.arms} if files else set()
    theirs, why = _choose(listed, placed, methods, asked=bool(named))
    counted = count_rows(debates, theirs, OURS)
    effects = _measure(runs, count, theirs, counted.rows)
    return Audit(
        name=runs.name,
        run=runs.key,
        labels=_label(count.places),
        source="; ".join(dict.fromkeys(each[1].source for each in placed if each)),
        rule=theirs.name if theirs else "",
        why=why,
        tried=listed,
        figures=tuple(
            _make_figure(count, slot, stated, theirs)
            for slot, stated in zip(count.slots, placed, strict=True)
        ),
        rows=counted.rows,
        differences=counted.differences,
        effects=effects,
        warnings=(
            *count.watch.warn(_by_setting(count.slots, placed), effects),
            *warn_of_right_answers(theirs.name if theirs else "", counted.odd, debates.questions),
        ),
        notes=(*_note_parts(runs), *notes),
    )


def _note_parts(runs: RecordedRuns) -> list[str]:
    """Return a note on each run that has not ended."""
    parts = (row for row in runs.rows if row.status != "done")
    return [f"{row.key} is {row.status}: the debates that it has are a part." for row in parts]


def _measure(
    runs: RecordedRuns, count: _Count, theirs: Rule | None, rows: Iterable[CountedRow]
) -> tuple[Effects, ...]:
    """Return the effects of each setting, with the findings of moot's analyses."""
    measured = measure_effects(count.ends, count.exchange)
    if theirs and theirs.reader not in (None, MOOT):
        measured = add_their_way(measured, rows)
    return add_findings(runs, measured)


def _place_all(
    claims: Sequence[Claim], found: Iterable[Claim | Unread], places: Sequence[Place]
) -> tuple[Placed, list[str]]:
    """Return the claims of each round, and notes on statements of result files that go unused."""
    if claims:
        return place_claims(claims, places), []
    used, notes = list[Claim](), list[str]()
    for each in found:
        if isinstance(each, Unread):
            notes.append(f"Not read: {each.why}.")
            continue
        try:
            place_claims([each], places)
        except InputError as error:
            notes.append(f"Not used: {error}.")
        else:
            used.append(each)
    return place_claims(used, places), notes


def _try(rule: Rule, count: _Count, placed: Placed) -> TriedRule:
    counted = [count.count_right(rule, slot) for slot in count.slots]
    shares = tuple(right / n if n else None for right, n in counted)
    stated = [
        each[0].fits(share, n, exact=each[1].exact)
        for share, (_, n), each in zip(shares, counted, placed, strict=True)
        if each
    ]
    return TriedRule(
        name=rule.name, shares=shares, fits=bool(stated) and all(stated), about=rule.about
    )


def _choose(
    tried: Sequence[TriedRule], placed: Placed, methods: Collection[str], *, asked: bool
) -> tuple[Rule | None, str]:
    """Return the rule taken for the authors', and why; None where none can be taken.

    Args:
        tried: the rules that were tried.
        placed: what is claimed.
        methods: of debates that were held elsewhere.
        asked: whether the user named the rules.
    """
    fitting = [each.name for each in tried if each.fits]
    number = format_things(len(tried), "rule")
    fit = f"{len(fitting) or 'none'} of {number} tried {'fits' if len(fitting) < 2 else 'fit'}"
    told = f"{fit} the claim" if any(placed) else "there is no claim that a rule could fit"
    if asked:
        return registry.get(tried[0].name), f"it was asked for; {told}"
    known = [registry.get(each.name) for each in tried]
    usual = [each.name for each in known if set(each.methods) & set(methods)]
    if fitting:
        best = min(fitting, key=lambda name: (name not in usual, ":" in name))
        return registry.get(best), f"{told}{', this one among them' * (len(fitting) > 1)}"
    if usual:
        return registry.get(usual[0]), f"{told}; it is that of the program of such debates"
    return None, told


def _label(places: Sequence[Place]) -> dict[str, str]:
    """Return the label of each setting for people: its file, where each has one of its own."""
    files = {place.setting: place.files for place in places}
    every = [file for own in files.values() for file in own if file]
    own = len(set(every)) == len(every) == len(files) > 1
    return {arm: PurePosixPath(names[0]).stem if own else arm for arm, names in files.items()}


def _make_figure(
    count: _Count, slot: Slot, stated: tuple[Stated, Claim] | None, theirs: Rule | None
) -> AuditedFigure:
    ours = count.measure(OURS, slot)
    return AuditedFigure(
        setting=slot[0],
        round=slot[1],
        claimed=_as_mean(*stated, ours.n) if stated else None,
        by_their_rule=count.measure(theirs, slot) if theirs else None,
        by_ours=ours,
        differing=count.count_differing(theirs, OURS, slot) if theirs else 0,
    )


def _as_mean(stated: Stated, claim: Claim, n: int) -> Mean:
    """Return a stated share with the interval of that share of as many questions."""
    size = claim.n or n
    if size > _MOST:
        return Mean(mean=stated.share, n=size, questions=size)
    right = round(stated.share * size)
    of_n = mean_with_interval([Cluster(1.0, 1)] * right + [Cluster(0.0, 1)] * (size - right))
    return msgspec.structs.replace(of_n, mean=stated.share)


def _by_setting(slots: Sequence[Slot], placed: Placed) -> dict[str, list[float]]:
    """Return the claims of each setting, round by round."""
    claimed: dict[str, list[float]] = {}
    for slot, each in zip(slots, placed, strict=True):
        if each:
            claimed.setdefault(slot[0], []).append(each[0].share)
    return claimed
