"""The questions of a study, drawn from its datasets."""

from itertools import islice

from moot.core.errors import InputError
from moot.datasets.library import stream
from moot.datasets.mixed_documents import mix_documents
from moot.studies.packed_questions import Questions
from moot.studies.study import Study, StudyDataset
from moot.studies.study_file import require_files

MOST = 2_000_000
"""Questions of a dataset that a run can have."""


def draw_questions(part: StudyDataset, study: Study, limit: int | None) -> Questions:
    """Draw the questions of a dataset of a study, at most ``limit`` of them.

    Raises:
        InputError: there are too many, or they cannot be read; the text names the dataset.
    """
    try:
        wanted = min(part.n or 0, part.n or 0 if limit is None else limit)
        if wanted > MOST:
            raise _too_many_questions(wanted)
        found = stream(part.name, n=part.n, seed=part.seed, folder=study.folder, **part.parameters)
        if part.documents:  # of all that are drawn, whatever the limit
            whole = list(islice(found, MOST + 1))
            found = mix_documents(whole, part.documents, own=part.own_document)
        questions = Questions(islice(found, MOST + 1 if limit is None else min(limit, MOST + 1)))
        if len(questions) > MOST:
            raise _too_many_questions(len(questions))
    except InputError as error:
        require_files(study)
        raise InputError(f"{study.file}: dataset {part.label!r}: {error}") from None
    return questions


def _too_many_questions(wanted: int) -> InputError:
    return InputError(
        f"n is {wanted:,}: a run holds its questions in memory, and has at most {MOST:,} of a "
        "dataset; take fewer by n or --limit, or several studies with other seeds"
    )
