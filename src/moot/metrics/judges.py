"""Whether those that decide alone keep to what was answered before them."""

from moot.core.events import Transcript, Turn, Verdict
from moot.metrics.debaters import map_values, nodes, turns
from moot.metrics.metric import metric


@metric(better="lower", source="MAD-Community, section 3")
def invented_answers(transcript: Transcript) -> float | None:
    """The share of deciding judges whose answer is that of no turn they read.

    A judge is an agent that decides and does not debate: a moderator or an aggregator, too. Counted
    are those whose words made the verdict of the debate, or of a node or other sub-debate of it,
    and who gave an answer. Of a node that they read the verdict's answer counts: none where its own
    judge invented one. None without a judge, and for open questions, whose answers are whole texts.
    """
    silent = {seat.number for seat in transcript.seats if not seat.debater}
    if not silent or transcript.question.kind == "text":
        return None
    by_id = {turn.id: turn for turn in turns(transcript)}
    verdict = transcript.verdict
    ends = [node.verdict for node in nodes(transcript)] + ([verdict] if verdict else [])
    deciding = {end.turn: by_id[end.turn] for end in ends if end.turn in by_id}
    judges = [turn for turn in deciding.values() if turn.seat in silent and turn.answer is not None]
    if not judges:
        return None
    decided = {end.turn: end for end in ends}
    return sum(_is_invented(transcript, turn, by_id, decided) for turn in judges) / len(judges)


def _is_invented(
    transcript: Transcript,
    judge: Turn,
    by_id: dict[int, Turn],
    decided: dict[int | None, Verdict],
) -> bool:
    """Return whether a judge's answer is that of no turn, or node's verdict, that it read."""
    known = map_values(transcript)
    read = [by_id[each] for each in judge.reads if each in by_id]
    said = {known.get(decided.get(turn.id, turn).answer) for turn in read}
    return known[judge.answer] not in said
