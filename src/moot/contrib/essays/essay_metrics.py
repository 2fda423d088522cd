"""Metrics of one argued essay: its length, its plan, its personas, its critic, its quotations.

They are None for a debate whose verdict is no essay, and for a secret question, whose texts are not
stored. How much several essays on one proposition differ, and which is preferred, no single
transcript shows: see ``moot.contrib.essays.assess``.
"""

from typing import NamedTuple

from moot import Transcript, Turn, metric
from moot.contrib.essays import text_measures as lengths
from moot.contrib.essays.essay_turns import check_essay, passages_of
from moot.contrib.essays.persona_lists import Personas
from moot.contrib.essays.plan_outline import EssayPlan
from moot.contrib.essays.quoting.quotation_check import drop_struck
from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.standing import SpeakerStanding
from moot.extend.protocols import get_reading
from moot.extend.records import measure_from

PAPER = "Debate-to-Write"


class DebatedEssay(NamedTuple):
    """An essay, and the debate that wrote it."""

    text: str
    transcript: Transcript

    def turns(self, step: str) -> list[Turn]:
        """Return the turns that reply to this prompt."""
        return [turn for turn in self.transcript.turns if turn.step == step]


def find_essay(transcript: Transcript) -> DebatedEssay | None:
    """Return the essay; None where the verdict is none."""
    verdict, question = transcript.verdict, transcript.question
    if verdict is None or verdict.by != "essay" or question.kind != "text" or question.secret:
        return None
    return None if verdict.answer is None else DebatedEssay(verdict.answer, transcript)


@metric(unit="words", range=(0, None))
@measure_from(find_essay)
def essay_words(essay: DebatedEssay) -> float | None:
    """Words of the essay: runs of letters and digits, with apostrophes and hyphens within.

    In scripts without spaces between words each letter or sign is one. What is struck through does
    not count.
    """
    quoted = check_essay(essay.transcript, essay.text)
    return float(lengths.words(drop_struck(essay.text, quoted)))


@metric(unit="sentences", range=(0, None))
@measure_from(find_essay)
def essay_sentences(essay: DebatedEssay) -> float | None:
    """Sentences of the essay; where a paragraph ends, so does a sentence."""
    return float(lengths.sentences(essay.text))


@metric(
    unit="share",
    range=(0, 1),
    better="lower",
    source="Welleck et al. 2020, seq-rep-4, by words",
)
@measure_from(find_essay)
def essay_repetition(essay: DebatedEssay) -> float | None:
    """1 - different runs of four words / runs of four words; None for fewer than four words."""
    return lengths.repetition(essay.text)


@metric(unit="share", range=(0, 1), source="Li et al. 2016, distinct-2")
@measure_from(find_essay)
def essay_distinct_pairs(essay: DebatedEssay) -> float | None:
    """Different pairs of neighbouring words of the essay / its words."""
    return lengths.distinct(essay.text)


@metric(unit="share", range=(0, 1), better="lower")
@measure_from(find_essay)
def essay_cut(essay: DebatedEssay) -> float | None:
    """1 if the essay ended because it reached the most tokens allowed, else 0."""
    wrote = essay.transcript.deciding
    return None if wrote is None else float(wrote.finish == "length")


@metric(unit="points", range=(0, None), source=f"{PAPER}, section 2.2 and figure 9")
@measure_from(find_essay)
def plan_points(essay: DebatedEssay) -> float | None:
    """Main points of the essay's plan; 0 if it cannot be read, None where none is made."""
    plans = essay.turns("plan")
    if not plans:
        return None
    plan = get_reading(plans[-1], essay.transcript.question, EssayPlan, "plan")
    return float(len(plan.points)) if plan else 0.0


@metric(unit="personas", range=(0, None), source=f"{PAPER}, section 2.1 and figure 8")
@measure_from(find_essay)
def personas_read(essay: DebatedEssay) -> float | None:
    """Personas of the pool that could be read; None where none were asked for."""
    pools = essay.turns("personas")
    if not pools:
        return None
    found = get_reading(pools[-1], essay.transcript.question, Personas, "personas")
    most = essay.transcript.opened.settings.get("pool", 0)
    return float(min(len(found.personas), most)) if found else 0.0


@metric(unit="share", range=(0, 1), source=f"{PAPER}, section 2.2 and figure 9")
@measure_from(find_essay)
def critic_yielded(essay: DebatedEssay) -> float | None:
    """1 if the critic said in its last turn that it is persuaded, else 0; None without a critic."""
    said = essay.turns("challenge")
    return float(_is_persuaded(said[-1], essay.transcript)) if said else None


@metric(unit="rounds", range=(1, None), source=f"{PAPER}, section 2.2 and figure 9")
@measure_from(find_essay)
def rounds_to_yield(essay: DebatedEssay) -> float | None:
    """The first round in which the critic said that it is persuaded; None if it never did."""
    said = essay.turns("challenge")
    return next((float(turn.round) for turn in said if _is_persuaded(turn, essay.transcript)), None)


def _is_persuaded(turn: Turn, transcript: Transcript) -> bool:
    standing = get_reading(turn, transcript.question, SpeakerStanding, "challenge")
    return standing is not None and standing.settled


def _quotes(transcript: Transcript) -> tuple[Quote, ...] | None:
    """Return the quotations of the essay that are checked, not struck; None without passages."""
    essay = find_essay(transcript)
    if essay is None or not passages_of(transcript):
        return None
    left = {"struck", "unchecked"}
    return tuple(each for each in check_essay(transcript, essay.text) if each.state not in left)


@metric(unit="quotations", range=(0, None), source=f"{PAPER}, appendix C, on missing evidence")
@measure_from(_quotes)
def quotes(found: tuple[Quote, ...]) -> float | None:
    """Quotations, and figures with a source; None where no passage was shown."""
    return float(len(found))


@metric(
    unit="share",
    range=(0, 1),
    better="higher",
    source=f"{PAPER}, appendix C, on missing evidence",
)
@measure_from(_quotes)
def quotes_found(found: tuple[Quote, ...]) -> float | None:
    """Quotations and figures that stand in the passage they name, or any if none / all of them."""
    return sum(quote.found for quote in found) / len(found) if found else None
