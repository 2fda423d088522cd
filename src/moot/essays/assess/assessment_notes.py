"""What a reader must know to read the figures of essays: what is missing, who judged, the price."""

from collections.abc import Iterator

from moot.core.display_text import (
    format_count,
    format_dollars,
    format_things,
    make_visible,
    on_one_line,
)
from moot.core.stored import Spent
from moot.essays.assess.assessment import Assessment, Verdicts


def notes(found: Assessment) -> list[str]:
    """Return the notes below the tables, a text each."""
    said = list(_single(found))
    embedder = on_one_line(found.embedder) + _describe_payment(found)
    said += [f"S-BLEU: sacrebleu, {found.bleu}. Embeddings: {embedder}."]
    for what, number in (
        ("failed and left no essay", sum(arm.lost.failed for arm in found.arms)),
        ("came to no words and left no essay", sum(arm.lost.empty for arm in found.arms)),
    ):
        if number:
            said.append(f"{format_things(number, 'debate')} {what}; they are in no figure.")
    if cut := sum(arm.cut for arm in found.arms):
        said.append(
            f"Cut off for their length, and counted as they stand: {format_things(cut, 'essay')}."
        )
    gaps = [each.difference for arm in found.arms for each in arm.measures.values()]
    if left := max((gap.left_out for gap in gaps if gap), default=0):
        said.append(
            f"Up to {format_things(left, 'proposition')} left out of a difference: the two arms "
            "have not "
            "equally many essays there."
        )
    if found.judged is None:
        said.append(
            "Pers., relevance and preference are asked of a model: "
            f"moot essays {found.run} --judge MODEL"
        )
        return said
    return [*said, *_judge(found, found.judged)]


def _single(found: Assessment) -> Iterator[str]:
    """Yield a sentence for each dataset whose figures have no interval, with the reason."""
    for dataset in dict.fromkeys(arm.dataset for arm in found.arms):
        own = [arm for arm in found.arms if arm.dataset == dataset]
        if max(arm.propositions for arm in own) == 1:
            yield f"{on_one_line(dataset)} has a single proposition: there are no intervals."


def _describe_payment(found: Assessment) -> str:
    """Say what the embeddings took, if they are paid for, and why not all were made."""
    used = found.embedding
    if used.run is None:
        return ""
    said = f", {format_things(used.spent.calls, 'call')} paid for, {_cost(used.spent)}"
    return (
        said if used.stopped is None else f"{said}; not all were made: {make_visible(used.stopped)}"
    )


def _cost(spent: Spent) -> str:
    return "cost unknown" if spent.unknown_cost_calls else format_dollars(spent.cost)


def _judge(found: Assessment, judged: Verdicts) -> Iterator[str]:
    """Yield sentences: who judged, at which cost, and which verdicts are missing."""
    spent = judged.spent
    who = f"{on_one_line(str(judged.settings['model']))} ({judged.protocol})"
    if judged.simulated:
        who += ", SIMULATED: no language model"
    yield (
        f"Judge: {who}. {format_count(judged.done)} of {format_things(judged.debates, 'debate')} "
        "held, "
        f"{format_things(spent.calls, 'call')} paid for, {_cost(spent)}; see moot show "
        f"{judged.run}."
    )
    if judged.comparisons:
        yield (
            "Preference: the better response, by how helpful, relevant, accurate, deep, creative "
            "and detailed it is. For both aspects the judge is told to give nothing for length or "
            "place."
        )
        yield (
            f"{format_things(judged.comparisons, 'comparison')}, of them "
            f"{format_things(judged.tied, 'tie')}."
        )
    if judged.unread:
        yield (
            f"Left out: {format_things(judged.unread, 'comparison')} without an answer that "
            "could be read, "
            f"and {format_count(judged.single)} of the same essays in the other order."
        )
    if pointless := sum(arm.pointless or 0 for arm in found.arms):
        yield (
            f"{format_things(pointless, 'essay')} without a point that could be read: not in Pers."
        )
    if any(not each.finite for each in judged.strengths):
        yield (
            "Some arm won, or lost, all against some others: how far their strengths lie apart is "
            "due to the tie that is added to every pair."
        )
    for reason, times in judged.failed.items():
        yield f"{times} failed: {make_visible(reason)}"
    if judged.stopped:
        yield f"Stopped: {make_visible(judged.stopped)}"
