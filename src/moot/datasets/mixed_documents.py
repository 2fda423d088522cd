"""Mixed documents: the passage of a question among passages of other questions."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import chain, islice

import msgspec

from moot.core.errors import InputError
from moot.core.questions import Question, QuestionDocument


def mix_documents(questions: Sequence[Question], many: int, *, own: bool) -> Iterator[Question]:
    """Yield the questions with so many documents each, and without a passage before them.

    The documents are the question's own passage and those of the questions that follow, cyclic, in
    an order drawn by hash. Agents read them where their setting ``evidence`` is ``"question"``.

    Args:
        questions: each with a passage.
        many: the documents of each question.
        own: False for documents of other questions alone: none helps, which is the control.

    Raises:
        InputError: a question has no passage, or too few others have another one.
    """
    passages = [each.context for each in questions]
    for place, question in enumerate(questions):
        if (passage := passages[place]) is None:
            raise InputError(f"documents = {many}: question {question.id!r} has no passage")
        after = chain(islice(passages, place + 1, None), islice(passages, place))
        others: dict[str, None] = {}
        for each in after:
            if len(others) == many - own:
                break
            others |= {each: None} if each and each != passage else {}
        if len(others) < many - own:
            raise InputError(
                f"documents = {many}: {len(questions)} questions have {len(others) + 1} passages; "
                f"take n = {many + 1} questions or more"
            )
        right = question.answers[0] if question.answers else None
        order = {_draw(question.id, text): text for text in ([passage] * own + [*others])}
        documents = (
            QuestionDocument(
                text=order[key],
                source=f"document {number}",
                answer=right if order[key] == passage else None,
            )
            for number, key in enumerate(sorted(order), 1)
        )
        yield msgspec.structs.replace(question, context=None, documents=tuple(documents))


def _draw(key: str, text: str) -> bytes:
    return blake2b(repr((key, text)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
