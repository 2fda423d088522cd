"""The result of ``moot.write``: one argued essay, with how it came about and its price."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from moot import Answer, Transcript, Turn
from moot.contrib.essays.draft import Draft
from moot.contrib.essays.draft_making import make_draft
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.essay_turns import (
    NAMES,
    check_essay,
    documents_of,
    is_settled,
    last_turn,
    list_outcomes,
    passages_of,
    persona_of,
    pool_in,
    reading_of,
    team_in,
    turns_of,
    unshown_of,
)
from moot.contrib.essays.persona_lists import Persona
from moot.contrib.essays.plan_outline import EssayPlan
from moot.contrib.essays.point_evidence import PointEvidence, list_point_evidence
from moot.contrib.essays.quotation_outcomes import QuotedEssay, list_quotation_outcomes
from moot.contrib.essays.quoting.quotation_check import check_quotations, drop_struck
from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.text_measures import overlap, words
from moot.extend.records import NotebookDisplay, Passage, TokenUsage
from moot.extend.words import format_things


class Remark(Turn, frozen=True, kw_only=True, omit_defaults=False, tag=False, tag_field=None):
    """One turn on the way to an essay.

    Attributes:
        persona: the speaker's persona, in the words of the pool; empty without one.
        settled: whether a member says that it is satisfied, or the critic that it is persuaded;
            None where neither can be read, which counts as not yet, and for every other turn.
        quotes: what it quotes, and whether that stands in the passages; empty where the speaker
            was shown none. What others said before, and the proposition, needs no source.
    """

    persona: str = ""
    settled: bool | None = None
    quotes: tuple[Quote, ...] = ()


class Alternative(msgspec.Struct, frozen=True, kw_only=True):
    """One of several essays from the same plan.

    Attributes:
        essay: its text; None when the reply is empty.
        cut: whether it ended because a reply must not be longer.
        quotes: every quotation, and every figure with a source, in it.
        words: how many words it has.
        alike: the share of its runs of four words that stand in another of them; None without any.
    """

    essay: str | None
    cut: bool
    quotes: tuple[Quote, ...]
    words: int
    alike: float | None


class Written(NotebookDisplay, msgspec.Struct, frozen=True, kw_only=True):
    """An argued essay.

    Attributes:
        proposition: what is argued over.
        stance: ``"oppose"``, ``"support"`` or ``"both"``.
        essay: its text; None when none was written.
        cut: whether the essay ended because a reply must not be longer.
        pool: the personas that were found; empty where none are asked for or none can be read.
        personas: the team, each with why it was chosen; empty where members have no personas.
        dialogue: what was said on the way to the essay, plan and choice of personas apart.
        plan: what the essay was to say; None where none is made or it cannot be read.
        plan_text: the plan in the planner's words; empty where none is made.
        passages: of the user's documents, those that planner and writer had in front of them.
        quotes: every quotation, and every figure with a source, in the essay, and whether it
            stands in the passages; with what was struck through for it does not.
        outcomes: a sentence for each trouble on the way, and what was done about it: quotations
            that are altered or not found included.
        settings: every setting in force, defaults included.
        calls: replies, whether paid for or replayed.
        cost: in US dollars, as if nothing had been replayed; None when any price is unknown.
        seconds: wall time.
        failed: why there is no essay; None if the debate ended by itself.
        simulated: True when any agent is no language model.
        models: of all who spoke, each once.
        run: the id under which ``moot show`` finds the transcript.
        alternatives: all essays, where several were asked for, the first of which is ``essay``.
        unshown: passages that nobody was shown, and in which something stands that is quoted.
        documents: what the documents of the passages say of themselves: the name of each as
            ``document``, and ``title``, ``authors``, ``year``, ``address`` where it has them.
        point_evidence: of each point of the plan, the passages that it names, and those that it
            and the critic's answer to it found; empty without documents.
    """

    proposition: str
    stance: str
    protocol: str
    essay: str | None
    cut: bool
    pool: tuple[Persona, ...]
    personas: tuple[Persona, ...]
    dialogue: tuple[Remark, ...]
    plan: EssayPlan | None
    plan_text: str
    passages: tuple[Passage, ...]
    quotes: tuple[Quote, ...]
    outcomes: tuple[str, ...]
    settings: dict[str, Any]
    calls: int
    usage: TokenUsage
    cost: float | None
    seconds: float
    failed: str | None
    simulated: bool
    models: tuple[str, ...]
    run: str
    alternatives: tuple[Alternative, ...] = ()
    unshown: tuple[Passage, ...] = ()
    documents: tuple[dict[str, Any], ...] = ()
    point_evidence: tuple[PointEvidence, ...] = ()

    def __repr__(self) -> str:
        """Return the size of the essay, and how it was written, in one line."""
        essay = drop_struck(self.essay or "", self.quotes)
        size = "no essay" if self.essay is None else format_things(words(essay), "word")
        parts = f"{size}, {self.stance} {self.proposition!r}, {self.protocol}"
        calls = format_things(self.calls, "call")
        return f"Written({parts}, {calls}{', simulated' * self.simulated}, run {self.run})"

    def _repr_html_(self) -> str:
        return self.render_text(
            self.essay or "",
            title=self.proposition,
            about=[self.stance, self.protocol, *self.models],
            calls=self.calls,
            cost=self.cost,
            failed=self.failed,
            simulated=self.simulated,
            turns=self.dialogue,
        )

    @property
    def ends_at(self) -> str:
        """The stage after which it was to end, as people call it; empty for a whole essay."""
        until = EssaySettings.read(self.settings).until
        return "" if self.essay or self.failed else NAMES.get(until, until)

    def draft(self) -> Draft:
        """Return the draft, to be edited and gone on from: ``moot.write(draft=…)``."""
        return make_draft(to_builtins(self))

    @property
    def quoted_essays(self) -> list[QuotedEssay]:
        """The essay, or all alternatives, each with its quotations and figures."""
        return [QuotedEssay(each.essay, each.quotes) for each in self.alternatives] or [
            QuotedEssay(self.essay, self.quotes)
        ]

    @property
    def records(self) -> Sequence[Mapping[str, Any]]:
        """One row for each turn on the way to the essay."""
        return Transcript(self.dialogue).records


APART = ("personas", "select", "plan")
"""The prompts whose replies have a field of their own, as the essay's has."""


def describe_essay(transcript: Transcript, run: str = "") -> Written:
    """Return the essay that a debate wrote, with how it came about.

    Args:
        transcript: the debate; of one that failed or was stopped, what there is of it.
        run: under which ``moot show`` finds it.
    """
    answer = Answer(transcript=transcript, run=run)
    planned = last_turn(transcript, "plan")
    wrote = transcript.deciding
    pool, members = pool_in(transcript), team_in(transcript)
    passages = passages_of(transcript)
    plan = reading_of(planned, transcript.question, EssayPlan) if planned else None
    quotes = check_essay(transcript, answer.answer)
    written = Written(
        proposition=transcript.question.text,
        stance=EssaySettings.of(transcript).stance,
        protocol=answer.protocol,
        essay=answer.answer,
        cut=wrote is not None and wrote.finish == "length",
        pool=pool,
        personas=members,
        dialogue=_dialogue(transcript, members, passages),
        plan=plan,
        plan_text=planned.text if planned else "",
        passages=passages,
        quotes=quotes,
        outcomes=tuple(list_outcomes(transcript, quotes)),
        settings=answer.settings,
        calls=answer.calls,
        usage=answer.usage,
        cost=answer.cost,
        seconds=answer.seconds,
        failed=answer.failed,
        simulated=answer.simulated,
        models=tuple(dict.fromkeys(each.model for each in transcript.turns if not each.is_given)),
        run=run,
        alternatives=_alternatives(transcript, answer.answer),
        unshown=unshown_of(transcript),
        documents=documents_of(transcript),
        point_evidence=list_point_evidence(transcript, plan),
    )
    debated = [quote for remark in written.dialogue for quote in remark.quotes]
    quoted = list_quotation_outcomes(written.quoted_essays, debated, passages)
    return msgspec.structs.replace(written, outcomes=(*quoted, *written.outcomes))


def _alternatives(transcript: Transcript, first: str | None) -> tuple[Alternative, ...]:
    """Return all essays of a transcript that was asked for several; the verdict's stands first."""
    turns = _alternative_turns(transcript)
    essays = [turn.answer or "" for turn in turns]
    if not first or len(turns) < 2:
        return ()
    made = [
        Alternative(
            essay=essay or None,
            cut=turn.finish == "length",
            quotes=check_essay(transcript, essay),
            words=words(essay),
            alike=overlap(essay, essays[:place] + essays[place + 1 :]),
        )
        for place, (turn, essay) in enumerate(zip(turns, essays, strict=True))
    ]
    return tuple(sorted(made, key=lambda each: each.essay != first))


def _alternative_turns(transcript: Transcript) -> list[Turn]:
    """Return the turns of the essays from which one is chosen; none where only one is written."""
    asked = EssaySettings.of(transcript)
    if asked.alternatives == 1:
        return []
    return turns_of(transcript, "revise" if asked.revise else "essay")


def _dialogue(
    transcript: Transcript, team: Sequence[Persona], passages: Sequence[Passage]
) -> tuple[Remark, ...]:
    """Return the turns on the way, each with the persona of its speaker and what it quotes."""
    wrote = transcript.deciding
    shown = passages if EssaySettings.of(transcript).evidence_for == "team" else ()
    known, remarks = [transcript.question.text], []
    drawn = _alternative_turns(transcript)
    for turn in transcript.turns:
        if turn.step in APART or turn is wrote or turn in drawn:
            continue
        remarks.append(
            Remark(
                **msgspec.structs.asdict(turn),
                persona=persona_of(turn, team),
                settled=is_settled(turn, transcript.question),
                quotes=check_quotations(turn.text, shown, known) if shown else (),
            )
        )
        known.append(turn.text)
    return tuple(remarks)


def to_builtins(written: Written) -> dict[str, Any]:
    """Return an essay as JSON has it: a plan has its own fields, and not the kind of a reading."""
    found: dict[str, Any] = msgspec.to_builtins(written)
    if (plan := written.plan) is not None:
        points = msgspec.to_builtins(plan.points)
        found["plan"] = {"acknowledgment": plan.acknowledgment, "points": points}
    return found
