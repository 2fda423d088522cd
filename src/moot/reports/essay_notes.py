"""What a reader must know to read the figures of essays: what is missing, who judged, the price."""

from collections.abc import Iterator

from moot.reports.plain import count, dollars, line, many, plain
from moot.studies.essays.assess import Assessment, Verdicts


def notes(found: Assessment) -> list[str]:
    """What a reader must know to read the figures."""
    said = [f"S-BLEU: sacrebleu, {found.bleu}. Embeddings: {line(found.embedder)}."]
    for what, number in (
        ("failed and left no essay", sum(arm.lost.failed for arm in found.arms)),
        ("came to no words and left no essay", sum(arm.lost.empty for arm in found.arms)),
    ):
        if number:
            said.append(f"{many(number, 'debate')} {what}; they are in no figure.")
    if cut := sum(arm.cut for arm in found.arms):
        said.append(f"Cut off for their length, and counted as they stand: {many(cut, 'essay')}.")
    gaps = [each.difference for arm in found.arms for each in arm.measures.values()]
    if left := max((gap.left_out for gap in gaps if gap), default=0):
        said.append(
            f"Up to {many(left, 'proposition')} left out of a difference: the two arms have not "
            "equally many essays there."
        )
    if found.judged is None:
        said.append(
            "Pers., relevance and preference are asked of a model: "
            f"moot essays {found.run} --judge MODEL"
        )
        return said
    return [*said, *_judge(found, found.judged)]


def _judge(found: Assessment, judged: Verdicts) -> Iterator[str]:
    """Who judged, what it took, and what is missing."""
    spent = judged.spent
    cost = "cost unknown" if spent.unknown_cost_calls else dollars(spent.cost)
    who = f"{line(str(judged.settings['model']))} ({judged.protocol})"
    if judged.simulated:
        who += ", SIMULATED: no language model"
    yield (
        f"Judge: {who}. {count(judged.done)} of {many(judged.debates, 'debate')} held, "
        f"{many(spent.calls, 'call')} paid for, {cost}; see moot show {judged.run}."
    )
    if judged.comparisons:
        yield (
            f"{many(judged.comparisons, 'comparison')}: {many(judged.tied, 'tie')}, "
            f"{count(judged.unread)} without an answer that could be read; these are left out."
        )
    if pointless := sum(arm.pointless or 0 for arm in found.arms):
        yield f"{many(pointless, 'essay')} without a point that could be read: not in Pers."
    if any(not each.finite for each in judged.strengths):
        yield (
            "Some arm won, or lost, all against some others: how far their strengths lie apart is "
            "due to the tie that is added to every pair."
        )
    for reason, times in judged.failed.items():
        yield f"{times} failed: {plain(reason)}"
    if judged.stopped:
        yield f"Stopped: {plain(judged.stopped)}"
