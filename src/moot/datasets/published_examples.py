r"""Worked examples as DebateLLM publishes them, for "Should we be going MAD?": one file of YAML.

    few_shot:
        birds:
            input_text:
                - "\n\nQuestion: Which bird cannot fly?\n\n(A) robin\n\n(B) emu"
            output_text:
                - "\n\nExplanation: Its wings are small.\n\nAnswer: (B)"

A section for each dataset has questions and, in the same order, answers. Options begin with ``(A)``
or ``A:``. What stands between ``Context:`` and ``Question:`` is the passage to read; what stands
before it is an instruction, which is not read.
"""

import re
from pathlib import Path
from typing import Any

from moot.core.errors import InputError
from moot.core.questions import Example, Question
from moot.datasets.canonical import LETTERS

_OPTION = re.compile(r"^\s*(?:\(([A-Z])\)|([A-Z]):)\s*(.*?)\s*$", re.MULTILINE)
_ANSWER = re.compile(r"Answer:\s*\(?([A-Z])\)?\.?\s*$")


def read_published_examples(path: Path, dataset: str) -> list[Example]:
    """Return the worked examples for a dataset in a file of YAML; ids count them from 1.

    Raises:
        InputError: the file cannot be read, or is not of this form; the place is named.
    """
    sections = _find_sections(_read_yaml(path))
    if dataset not in sections:
        known = f"; it has those of {', '.join(sections)}" if sections else ""
        raise InputError(f"{path} has no examples for dataset {dataset!r}{known}")
    section = sections[dataset]
    asked, said = section.get("input_text"), section.get("output_text")
    where = f"{path}, {dataset}"
    if not isinstance(asked, list) or not isinstance(said, list) or len(asked) != len(said):
        raise InputError(f"{where}: expected the lists input_text and output_text, equally long")
    return [
        _read_pair(
            str(question), str(answer), f"{path.stem}-{dataset}-{number}", f"{where} {number}"
        )
        for number, (question, answer) in enumerate(zip(asked, said, strict=True), start=1)
    ]


def _read_yaml(path: Path) -> object:
    try:
        import yaml  # no part of moot needs it but this one
    except ImportError:
        raise InputError(f"{path}: reading YAML needs pyyaml: pip install pyyaml") from None
    try:
        return yaml.safe_load(path.read_text("utf-8"))
    except OSError as why:
        raise InputError(f"{path} cannot be read: {why.strerror or why}") from None
    except (ValueError, RecursionError, yaml.YAMLError) as why:
        raise InputError(f"{path}: not YAML: {' '.join(str(why).split())}") from None


def _find_sections(content: object) -> dict[str, dict[str, Any]]:
    """Return the sections by their datasets, at the top or below one key, such as few_shot."""
    tables = [content, *content.values()] if isinstance(content, dict) else []
    for table in tables:
        named = table.items() if isinstance(table, dict) else ()
        own = {str(name): e for name, e in named if isinstance(e, dict) and "input_text" in e}
        if own:
            return own
    return {}


def _read_pair(question: str, answer: str, name: str, where: str) -> Example:
    """Return the example of a question with its options, and of its answer."""
    options = [*_OPTION.finditer(question)]
    letters = [match[1] or match[2] for match in options]
    if len(letters) < 2 or letters != [*LETTERS[: len(letters)]]:
        raise InputError(f"{where}: expected options (A), (B) and so on, each on its line")
    right = _ANSWER.search(answer.strip())
    if right is None or right[1] not in letters:
        raise InputError(f"{where}: expected 'Answer:' and one of {', '.join(letters)} at its end")
    before, _, asked = question[: options[0].start()].rpartition("Question:")
    return Example(
        question=Question(
            id=name,
            kind="choice",
            text=" ".join(asked.split()),
            context=" ".join(before.partition("Context:")[2].split()) or None,
            choices=tuple(match[3] for match in options),
            answer=right[1],
        ),
        reason=" ".join(answer[: right.start()].partition("Explanation:")[2].split()),
    )
