"""Unshown passages: what an essay quotes truly, and was not in front of its writer."""

from asyncio import to_thread
from collections.abc import Iterable, Sequence

from moot import Debate, InputError, Question
from moot.contrib.documents.documents import read_documents
from moot.contrib.documents.evidence import describe_passages
from moot.contrib.essays.essay_brief import own_points
from moot.contrib.essays.essay_settings import EssaySettings
from moot.contrib.essays.quoting.document_check import find_unshown
from moot.contrib.essays.quoting.quotation_check import check_quotations
from moot.contrib.essays.quoting.quotes import FALSE
from moot.extend.records import Passage, Searched

OWN = "question"
"""In place of a folder: the documents of the question itself, all of which are shown."""
QUERY = "what the essay quotes and was not shown to its writer"


async def look_up_quotations(
    debate: Debate, essays: Iterable[str | None], passages: Sequence[Passage], question: Question
) -> tuple[Passage, ...]:
    """Look in all documents for what essays quote and what is in none of the passages shown.

    What is found goes into the transcript, and nobody is shown it.

    Args:
        debate: its setting ``evidence`` is the folder.
        essays: their texts.
        passages: those that the writer was shown.
        question: the proposition, which needs no source.
    """
    folder = EssaySettings.read(debate.context.settings).evidence
    texts = [each for each in essays if each]
    if not folder or folder == OWN or not texts:
        return ()
    try:
        found = await to_thread(find_unshown, folder, texts, passages, [question.text])
        about = await to_thread(lambda: describe_passages(read_documents(folder), found))
    except InputError:  # the documents are gone since they were searched
        return ()
    if found:
        after, node = debate.newest_turn, debate.context.node
        debate.record(Searched(query=QUERY, after=after, node=node, unshown=True, **about))
    return found


def list_unfound(plan: str, passages: Sequence[Passage]) -> list[str]:
    """Return the lines of a plan that quote what does not stand in passages.

    Args:
        plan: of a draft, in which its user may have quoted something.
        passages: that are shown in any case.
    """
    lines = ((line, check_quotations(line, passages)) for line in own_points(plan))
    return [line for line, quotes in lines if any(each.state in FALSE for each in quotes)]
