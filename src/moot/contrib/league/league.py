"""League: which model argues better, by matches of two debates with the sides swapped."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from moot import (
    Axis,
    Cell,
    Chart,
    Column,
    Plot,
    RecordedRuns,
    Report,
    ResultTable,
    TableRow,
    analysis,
)
from moot.contrib.league.league_matches import PROTOCOL, LeagueMatch, SidedDebate, read_debates
from moot.contrib.league.league_scores import (
    EVEN_RATING,
    League,
    MarginEffect,
    SideShare,
    measure_league,
)
from moot.extend.analyses import Mean, TableField, check_found, list_tests, make_columns, tabulate
from moot.extend.words import format_interval, format_percent, format_things, on_one_line

SURE = 0.05
"""The greatest p of an effect that is called one."""
RATINGS = (
    "Rating: of Bradley and Terry over matches won, drawn and lost, 1500 for an even model; who is "
    "400 above another wins ten matches for each that it loses. Margin: mean over both debates of "
    "a match and all jurors, from −5 to 5."
)
JURORS = (
    "Margin: the mean size, from 0 to 5; in match scores each juror's margins are multiplied by "
    "its factor, so that all have one mean size. Towards: the mean margin, 0 where nothing is "
    "favoured. p: of changes of sign, motion by motion; Holm: over the jurors."
)
GROUPS = (
    "The 95 % interval of the difference from the first of the group holds 0 for all others in it; "
    "not corrected for the number of models."
)
AGREEMENT = (
    "Matches that both jurors have judged, in both debates, and of which both find the same: who "
    "has won, or that neither has."
)


@analysis(
    source="lechmazur/debate (its readme and reports)",
    group="trust",
    place=17,
    draws=True,
    protocols=(PROTOCOL,),
)
def league(
    runs: RecordedRuns,
    *,
    rescaled: Annotated[
        bool, Meta(description="whether margins are brought to one mean size for all jurors")
    ] = True,
) -> Report:
    """Tell which model argues better, from debates on motions with the sides swapped.

    Two debates of ``debate-match`` on one motion, alike in all but who argues for it, are a match.
    Its score is the mean margin over both debates and all jurors. Ratings are those of Bradley and
    Terry.
    """
    debates = read_debates(
        runs.debates(protocols={PROTOCOL}), {row.id: row.key for row in runs.rows}
    )
    check_found(debates, runs, f"it has no debate of {PROTOCOL}")
    found = measure_league(debates, rescaled=rescaled)
    tables = [_tabulate_ratings(found)] if found.ratings else []
    tables += [_tabulate_groups(found.groups)] if found.groups else []
    tables += [_tabulate_matches(found)] if found.matches else []
    tables += [_tabulate_jurors(found)]
    tables += [_tabulate_sides(found.sides)] if found.sides else []
    tables += [_tabulate_agreement(found)] if found.pairs else []
    motions = {each.motion for each in debates}
    about = f"{format_things(len(debates), 'debate')} on {format_things(len(motions), 'motion')}"
    return Report(
        title=f"League: {runs.name}",
        about=f"{runs.key}: {about}",
        tables=tables,
        charts=(_draw_ratings(found),) if len(found.ratings) > 1 and not found.apart else (),
        notes=tuple(_describe_losses(found)),
        findings=tuple(_describe_findings(found)),
        data=found,
    )


def _show(mean: Mean, digits: int = 2, *, sign: bool = True) -> str:
    """Return a margin or a rating with its interval, for sentences."""
    column = Column("", "signed" if sign else "number", digits)
    if mean.low is None or mean.high is None:
        return f"{column.show(mean.mean)} (no interval)"
    return f"{column.show(mean.mean)} ({column.show(mean.low)} … {column.show(mean.high)})"


def _describe_findings(found: League) -> Iterator[str]:
    """Yield what the league shows, ratings first."""
    rated = sum(score is not None for _, score in found.matches)
    if not found.ratings:
        yield _explain_unrated(found)
    elif found.apart:
        groups = "; ".join(", ".join(each) for each in found.apart)
        yield (
            f"No ratings: these groups of models never met, not even by way of a third: {groups}. "
            "Let one of each meet one of another."
        )
    else:
        best = found.ratings[0]
        many = format_things(len(found.ratings), "model")
        yield (
            f"{best.player} leads {many} with a rating of {_show(best.rating, 0, sign=False)} "
            f"after {format_things(rated, 'match')} on "
            f"{format_things(best.rating.questions, 'motion')}."
        )
        yield _name_apart(found)
    every = found.jurors[0]
    if every.first.margin.n or not every.read:
        yield _describe_effect("the side that is shown first", every.first)
    yield _describe_effect("the side for the motion", every.pro)
    if found.pairs:
        agree = found.pairs[0].agree
        ends = format_interval(agree.low, agree.high)
        yield (
            f"Two jurors find the same of {format_percent(agree.mean)} % ({ends}) of "
            f"{format_things(agree.n, 'match')} that both judged."
        )


def _explain_unrated(found: League) -> str:
    """Say why no match is rated."""
    players = {each for debate in found.debates for each in (debate.pro, debate.con)}
    if len(players) == 1:
        return (
            f"No ratings: {players.pop()} debates against itself. A league needs two models at "
            "least: moot run league --models a,b,c"
        )
    return "No ratings: no match is complete yet."


def _name_apart(found: League) -> str:
    """Name the players whose interval does not hold 1500."""
    above = [p.player for p in found.ratings if (p.rating.low or 0) > EVEN_RATING]
    below = [p.player for p in found.ratings if (p.rating.high or EVEN_RATING) < EVEN_RATING]
    said = [
        f"{word}: {', '.join(who)}" for word, who in (("above", above), ("below", below)) if who
    ]
    if not said:
        return f"Every interval holds {EVEN_RATING}: no model is shown to argue better or worse."
    return f"Intervals that lie wholly on one side of {EVEN_RATING}: {'; '.join(said)}."


def _describe_effect(what: str, effect: MarginEffect) -> str:
    margin = effect.margin
    if margin.mean is None or effect.p is None:
        return f"Whether jurors favour {what} is not known: there is no ruling."
    told = f"{_show(margin)} of a point over {format_things(margin.n, 'ruling')}"
    if effect.p > SURE:
        return f"Jurors are not shown to favour {what} or the other: {told}."
    return f"Jurors favour {what if margin.mean > 0 else f'the other than {what}'}: {told}."


def _describe_losses(found: League) -> Iterator[str]:
    """Yield what is in no figure, and what the jurors are."""
    rated = sum(score is not None for _, score in found.matches)
    if lost := len(found.matches) - rated:
        why = "; ".join(f"{reason}: {times:,}" for reason, times in found.lacking.items())
        many = format_things(len(found.matches), "match")
        yield f"Not complete, and not rated: {lost:,} of {many} ({why})."
    elif found.matches:
        yield f"All {format_things(rated, 'match')} are complete."
    failed = sum(each.failed for each in found.debates)
    if failed:
        yield f"{format_things(failed, 'debate')} failed."
    if found.jurors[0].unread:
        many = format_things(found.jurors[0].unread, "ruling")
        yield f"{many} cannot be read, and count nowhere."
    if left := sum(each.left_out for each in found.debates):
        yield (
            f"{format_things(left, 'juror')} did not judge, since of a debater's model family. A "
            "family is read from the model's name."
        )
    if kin := sum(each.kin for each in found.debates):
        many = format_things(kin, "debate")
        yield f"In {many} every juror is of a debater's model family, and all judged."
    if len(found.jurors) == 1:
        yield "All rulings are of one model: agreement of its draws is no agreement of jurors."


def _tabulate_ratings(found: League) -> ResultTable:
    return tabulate(
        "ratings",
        found.ratings,
        TableField("model", value="player"),
        TableField("rating", "number", digits=0),
        *(TableField(name, "count") for name in ("won", "drawn", "lost")),
        TableField("margin", "signed", digits=2),
        note=RATINGS,
        leads=True,
    )


def _tabulate_groups(groups: Iterable[Sequence[str]]) -> ResultTable:
    return tabulate(
        "who cannot be told apart",
        [*enumerate(groups, 1)],
        TableField("group", "count", lambda row: row[0]),
        TableField("models, the best first", value=lambda row: ", ".join(row[1])),
        note=GROUPS,
    )


def _tabulate_sides(sides: Iterable[SideShare]) -> ResultTable:
    return tabulate(
        "sides for which rulings find",
        sides,
        TableField("juror"),
        TableField("for the motion %", "percent", "pro"),
        TableField("rulings", "count"),
        note="Of rulings that are no ties. 50 % if jurors favoured no side and motions were even.",
    )


def _tabulate_matches(found: League) -> ResultTable:
    motions = {each.motion: each.text for each in found.debates}
    rows = []
    for match, score in sorted(found.matches, key=lambda each: (each[0].motion, each[0][:2])):
        cells = [on_one_line(motions[match.motion], 60), match.one, match.other]
        links = [_link(match, place) for place in range(len(match.debates))]
        rows.append(TableRow([*cells, match.lacking if score is None else score, *links]))
    columns = (
        *make_columns("text", "motion", "model", "against"),
        Column("margin", "signed", 2),
        *make_columns("text", "for the motion", "against the motion"),
    )
    note = (
        "Margin: of the model named first; below 0 the other won. The last columns are the debates "
        "in which it argues for the motion and against it, with what their jurors decided."
    )
    return ResultTable("matches", columns, rows, note, wide=True, leads=True)


def _link(match: LeagueMatch, place: int) -> Cell:
    """Return the verdict of one of a match's debates, which leads to its page."""
    held = match.debates[place]
    if held is None:
        return Cell("–")
    return Cell(_name_winner(held), debate=held.address)


def _name_winner(held: SidedDebate) -> str:
    margins = [each.margin_of("PRO") for each in held.read.values()]
    if held.failed or not margins:
        return "failed" if held.failed else "not read"
    total = sum(margins)
    return (
        "tie"
        if not total
        else f"{'PRO' if total > 0 else 'CON'} by {abs(total) / len(margins):.1f}"
    )


def _tabulate_jurors(found: League) -> ResultTable:
    return tabulate(
        "jurors",
        found.jurors,
        TableField("juror"),
        TableField("rulings", "count", "read"),
        TableField("unread", "count"),
        TableField("margin", "number", "size", 2),
        TableField("factor", "number", digits=2),
        *_list_effect("first", "towards the side shown first"),
        *_list_effect("pro", "towards the side for the motion"),
        note=JURORS,
    )


def _list_effect(value: str, group: str) -> Iterator[TableField]:
    yield TableField("margin", "signed", f"{value}.margin", 2, group)
    yield from list_tests(value, group=group)


def _tabulate_agreement(found: League) -> ResultTable:
    return tabulate(
        "agreement of jurors",
        found.pairs,
        TableField("juror", value="one"),
        TableField("and", value="other"),
        TableField("agree %", "percent", "agree"),
        TableField("matches", "count", "agree.n"),
        note=AGREEMENT,
        leads=True,
    )


def _draw_ratings(found: League) -> Chart:
    rows = [
        {
            "model": each.player,
            "rating": each.rating.mean,
            "low": each.rating.low,
            "high": each.rating.high,
            "n": each.rating.n,
            "questions": each.rating.questions,
            "matches": each.rating.n,
        }
        for each in found.ratings
    ]
    motions = format_things(found.ratings[0].rating.questions, "motion")
    return Chart(
        "ratings",
        "Ratings of the league",
        f"Dots are ratings of Bradley and Terry, whiskers 95 % intervals over {motions}; the line "
        "is an even model.",
        rows,
        Plot(
            "dots",
            Axis("rating", "rating"),
            Axis("model", "", "text"),
            reference=EVEN_RATING,
            tooltip=(Axis("matches"),),
        ),
    )
