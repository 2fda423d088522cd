"""Checked texts: any text, with all that it quotes checked against a folder of documents."""

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from moot import InputError
from moot.contrib.documents.document_readers import find_ending, read_document
from moot.contrib.documents.documents import read_with_unread
from moot.contrib.essays.quotation_outcomes import count_quotes, describe_codings
from moot.contrib.essays.quoting.document_check import check_text
from moot.contrib.essays.quoting.quotes import FALSE, Quote
from moot.contrib.essays.sentence_states import Sentence, list_sentences
from moot.contrib.essays.written import Written
from moot.extend.faults import place_errors
from moot.extend.records import Passage, TokenUsage
from moot.extend.words import on_one_line

_ESCAPED = re.compile(r"\\([\[\]()])")
"""Brackets as Markdown escapes them."""
STANDARD_INPUT = "-"
"""In place of a file's name."""
_REFERENCES = re.compile(
    r"^[#*_ \t]{0,8}(?:references|bibliography|works cited|sources|literatur(?:verzeichnis)?"
    r"|quellen|références|bibliographie|bibliografía)[*_: \t]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
"""The heading of a list of references."""


class CheckedText(msgspec.Struct, frozen=True, kw_only=True):
    """A text, with every quotation and figure that it has and what came of each.

    Attributes:
        file: its name; ``-`` for standard input.
        evidence: the folder of documents.
        text: the words, as they were read from the file.
        quotes: every quotation and figure; ``passage`` is the number of the passage that has it.
        passages: of the documents, those that have what is quoted, or nearly have it.
        notes: a sentence for each thing that was not searched or not checked.
        checked: how many characters of the text were looked at: a list of references is not.
    """

    file: str
    evidence: str
    text: str
    quotes: tuple[Quote, ...]
    passages: tuple[Passage, ...]
    notes: tuple[str, ...]
    checked: int

    @property
    def sentences(self) -> list[Sentence]:
        """Every sentence that was looked at, with what it rests on."""
        return list_sentences(self.text[: self.checked], self.quotes)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """A sentence for each trouble."""
        return (*count_quotes(self.quotes), *self.notes)

    @property
    def counts(self) -> dict[str, int]:
        """How many quotations, figures and statements there are in each state."""
        return dict(Counter(quote.state for quote in self.quotes))

    @property
    def is_false(self) -> bool:
        """Whether something is altered, or stands nowhere in the documents."""
        return any(quote.state in FALSE for quote in self.quotes)

    def to_builtins(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        sentences = [each._asdict() for each in self.sentences]
        told = {"counts": self.counts, "outcomes": list(self.outcomes)}
        return {**told, **found, "sentences": sentences}

    def to_written(self) -> Written:
        """Return it in the form that files of essays show, as one for which nobody was asked."""
        return Written(
            proposition=self.file,
            stance="",
            protocol="",
            essay=self.text,
            cut=False,
            pool=(),
            personas=(),
            dialogue=(),
            plan=None,
            plan_text="",
            passages=self.passages,
            quotes=self.quotes,
            outcomes=self.outcomes,
            settings={"evidence": self.evidence},
            calls=0,
            usage=TokenUsage(),
            cost=0.0,
            seconds=0.0,
            failed=None,
            simulated=False,
            models=(),
            run="",
        )


def check_file(file: str, evidence: str) -> CheckedText:
    """Check a text against the documents of a folder. No model is asked.

    Args:
        file: its path, by whose ending it is read; ``-`` for a text from standard input.
        evidence: the folder.

    Raises:
        InputError: the file or the folder cannot be read, or the file has no words.
    """
    text = read_text(file)
    ends = [each.start() for each in _REFERENCES.finditer(text)]
    with place_errors("--evidence " + ", ".join(evidence.split("\n"))):
        quotes, passages = check_text(evidence, text[: ends[-1]] if ends else text)
        read, unread = read_with_unread(evidence)
    notes = ["Its list of references was not checked."] if ends else []
    if unread:
        names = ", ".join(map(on_one_line, unread))
        notes.append(f"Not searched, for no reader knows the ending of their names: {names}.")
    if read.left_out:
        notes.append(f"Left out of the documents: {'; '.join(map(on_one_line, read.gaps))}.")
    rows = ({"document": name, "coding": each.coding} for name, each in read.details.items())
    notes += describe_codings(rows)
    return CheckedText(
        file=Path(file).name,
        evidence=evidence,
        text=text,
        quotes=quotes,
        passages=passages,
        notes=tuple(notes),
        checked=ends[-1] if ends else len(text),
    )


def read_text(file: str) -> str:
    """Return the words of a file, a text of any ending included. Raises ``InputError``."""
    if file == STANDARD_INPUT:
        text = sys.stdin.read()
    else:
        try:
            content = Path(file).read_bytes()
        except OSError as error:
            raise InputError(f"{file}: {error.strerror or error}") from None
        ending = find_ending(file)
        shown = []
        heads: tuple[str, ...] = ()
        for part in read_document(file if ending else f"{file}.txt", content).parts:
            shown += [head for head in part.heads if head not in heads]
            heads = part.heads
            shown.append(part.text)
        text = "\n\n".join(shown)
    text = text.replace("\r\n", "\n").strip()
    text = _ESCAPED.sub(r"\1", text) if file.casefold().endswith(".md") else text
    if not text:
        raise InputError(f"{file}: it has no words to check")
    return text
