"""Metrics of one argued essay: its length, its plan, its personas, its critic, its quotations.

They are None for a debate whose verdict is no essay, and for a secret question, whose texts are not
stored. How much several essays on one proposition differ, and which is preferred, no single
transcript shows: see ``moot.essays.assess``.
"""

from moot import Transcript, Turn, metric
from moot.core.passages import Quote
from moot.debate.quotation_check import drop_struck
from moot.essays import text_measures as lengths
from moot.essays.essay_turns import check_essay, passages_of
from moot.essays.persona_lists import Personas
from moot.essays.plan_outline import EssayPlan
from moot.essays.standing import SpeakerStanding
from moot.metrics.debaters import keep_last
from moot.parsing.parser import get_reading

PAPER = "Debate-to-Write"


@keep_last
def _essay(transcript: Transcript) -> str | None:
    """Return the essay; None where the verdict is none."""
    verdict, question = transcript.verdict, transcript.question
    if verdict is None or verdict.by != "essay" or question.kind != "text" or question.secret:
        return None
    return verdict.answer


def _turns(transcript: Transcript, step: str) -> list[Turn]:
    """Return the turns of an essay's debate that reply to this prompt."""
    return [turn for turn in transcript.turns if turn.step == step] if _essay(transcript) else []


@metric(unit="words", range=(0, None))
def essay_words(transcript: Transcript) -> float | None:
    """Words of the essay: runs of letters and digits, with apostrophes and hyphens within.

    In scripts without spaces between words each letter or sign is one. What is struck through does
    not count.
    """
    essay = _essay(transcript)
    if essay is None:
        return None
    return float(lengths.words(drop_struck(essay, check_essay(transcript, essay))))


@metric(unit="sentences", range=(0, None))
def essay_sentences(transcript: Transcript) -> float | None:
    """Sentences of the essay; where a paragraph ends, so does a sentence."""
    essay = _essay(transcript)
    return None if essay is None else float(lengths.sentences(essay))


@metric(
    unit="share",
    range=(0, 1),
    better="lower",
    source="Welleck et al. 2020, seq-rep-4, by words",
)
def essay_repetition(transcript: Transcript) -> float | None:
    """1 - different runs of four words / runs of four words; None for fewer than four words."""
    essay = _essay(transcript)
    return None if essay is None else lengths.repetition(essay)


@metric(unit="share", range=(0, 1), source="Li et al. 2016, distinct-2")
def essay_distinct_pairs(transcript: Transcript) -> float | None:
    """Different pairs of neighbouring words of the essay / its words."""
    essay = _essay(transcript)
    return None if essay is None else lengths.distinct(essay)


@metric(unit="share", range=(0, 1), better="lower")
def essay_cut(transcript: Transcript) -> float | None:
    """1 if the essay ended because it reached the most tokens allowed, else 0."""
    wrote = transcript.deciding if _essay(transcript) is not None else None
    return None if wrote is None else float(wrote.finish == "length")


@metric(unit="points", range=(0, None), source=f"{PAPER}, section 2.2 and figure 9")
def plan_points(transcript: Transcript) -> float | None:
    """Main points of the essay's plan; 0 if it cannot be read, None where none is made."""
    plans = _turns(transcript, "plan")
    if not plans:
        return None
    plan = get_reading(plans[-1], transcript.question, EssayPlan, "plan")
    return float(len(plan.points)) if plan else 0.0


@metric(unit="personas", range=(0, None), source=f"{PAPER}, section 2.1 and figure 8")
def personas_read(transcript: Transcript) -> float | None:
    """Personas of the pool that could be read; None where none were asked for."""
    pools = _turns(transcript, "personas")
    if not pools:
        return None
    found = get_reading(pools[-1], transcript.question, Personas, "personas")
    most = transcript.opened.settings.get("pool", 0)
    return float(min(len(found.personas), most)) if found else 0.0


@metric(unit="share", range=(0, 1), source=f"{PAPER}, section 2.2 and figure 9")
def critic_yielded(transcript: Transcript) -> float | None:
    """1 if the critic said in its last turn that it is persuaded, else 0; None without a critic."""
    said = _turns(transcript, "challenge")
    return float(_is_persuaded(said[-1], transcript)) if said else None


@metric(unit="rounds", range=(1, None), source=f"{PAPER}, section 2.2 and figure 9")
def rounds_to_yield(transcript: Transcript) -> float | None:
    """The first round in which the critic said that it is persuaded; None if it never did."""
    said = _turns(transcript, "challenge")
    return next((float(turn.round) for turn in said if _is_persuaded(turn, transcript)), None)


def _is_persuaded(turn: Turn, transcript: Transcript) -> bool:
    standing = get_reading(turn, transcript.question, SpeakerStanding, "challenge")
    return standing is not None and standing.settled


@keep_last
def _quotes(transcript: Transcript) -> tuple[Quote, ...] | None:
    """Return the quotations of the essay that are not struck; None without passages."""
    essay = _essay(transcript)
    if essay is None or not passages_of(transcript):
        return None
    return tuple(each for each in check_essay(transcript, essay) if each.state != "struck")


@metric(unit="quotations", range=(0, None), source=f"{PAPER}, appendix C, on missing evidence")
def quotes(transcript: Transcript) -> float | None:
    """Quotations, and figures with a source; None where no passage was shown."""
    found = _quotes(transcript)
    return None if found is None else float(len(found))


@metric(
    unit="share",
    range=(0, 1),
    better="higher",
    source=f"{PAPER}, appendix C, on missing evidence",
)
def quotes_found(transcript: Transcript) -> float | None:
    """Quotations and figures that stand in the passage they name, or any if none / all of them."""
    found = _quotes(transcript)
    return sum(quote.found for quote in found) / len(found) if found else None
