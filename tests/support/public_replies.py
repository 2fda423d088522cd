"""Real replies of published debates, and the labels that two readers gave 600 of them.

The replies themselves are not ours to store: they are read from ``../shared/data/debates``. A label
names its reply by log, question, agent and round, and by a hash of its words.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from moot.core.questions import Kind, Question
from moot.parsing.extract import extract
from moot.parsing.same import is_same

L = TypeVar("L", bound=Any)
R = TypeVar("R", bound=Any)

LABELS = Path(__file__).parents[1] / "parsing" / "public_replies.jsonl"
LATER = "society-"
"""What the names of the logs of GPT-3.5 and later models begin with."""


class Label(msgspec.Struct, frozen=True):
    """The answers that two readers find in a reply; None for no answer."""

    id: str
    log: str
    question: int
    agent: str
    round: int
    kind: Kind
    sha: str
    split: str
    first: str | None
    second: str | None
    sure: bool

    @property
    def agreed(self) -> bool:
        """Whether both readers say the same, and are sure of it."""
        return self.sure and is_answer(self.first, self.second, self.kind)


class PublicReply(msgspec.Struct, frozen=True):
    """A reply of a published debate, with the prompt that it answers."""

    log: str
    question: int
    agent: str
    round: int
    kind: Kind
    asked: str
    reply: str

    def put(self) -> Question:
        """The question, without the words that the prompt puts around it."""
        bare = _TAIL.sub("", _LEAD.sub("", self.asked)).strip()
        found = _OPTIONS.fullmatch(bare) if self.kind == "choice" else None
        choices = tuple(part.strip() for part in found.groups()[1:]) if found else ()
        text = found[1].strip() if found else bare
        return Question(id="q", kind=self.kind, text=text, choices=choices)

    def read(self) -> str | None:
        return extract(self.reply, self.put())


_LEAD = re.compile(
    r"^Can you (?:answer the following question as accurately as possible|solve the following math"
    r" problem)\? ?"
)
_TAIL = re.compile(r",?\s*Explain your (?:answer|reasoning)\b.*", re.DOTALL)
_OPTIONS = re.compile(r"(.*?):\s*A\)(.*?),\s*B\)(.*?),\s*C\)(.*?),\s*D\)(.*?)", re.DOTALL)


def is_answer(found: str | None, label: str | None, kind: Kind) -> bool:
    """Return whether what was found is what the label says, nothing included."""
    return is_same(found, label, kind) or (found is None and label is None)


def list_labels() -> list[Label]:
    """Return all labels in the order in which they were drawn."""
    return [msgspec.json.decode(line, type=Label) for line in LABELS.read_bytes().splitlines()]


def hash_reply(text: str) -> str:
    """Return the hash by which a label knows its reply."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


SOCIETIES: dict[str, Kind] = {
    "society-gsm8k-gpt35/gsm_3_2_100.json": "number",
    "society-mmlu/mmlu_3_2.json": "choice",
    "society-gsm8k-llama31/gsm_1_1_llama3.1_8b_official.json": "number",
    "society-gsm8k-llama31/gsm_3_2_llama3.1_8b_official.json": "number",
}
AGORA: dict[str, Kind] = {
    "llm-agora-mmlu/mmlu_result.json": "choice",
    "llm-agora-gsm8k/gsm_result.json": "number",
}


def read_log(debates: Path, log: str) -> Iterator[PublicReply]:
    """Yield the replies of a log in their order: question, agent, round."""
    published = json.loads((debates / log).read_bytes())
    if log in SOCIETIES:
        for number, (_, (contexts, _)) in enumerate(published.items()):
            for agent, messages in enumerate(contexts):
                said = [each for each in messages if each["role"] == "assistant"]
                for at, each in enumerate(said, 1):
                    yield PublicReply(
                        log, number, str(agent), at, SOCIETIES[log], messages[0]["content"],
                        each["content"],
                    )  # fmt: skip
        return
    for number, row in enumerate(published):
        for model, said in row["agent_response"].items():
            for at, text in enumerate(said, 1):
                yield PublicReply(log, number, model, at, AGORA[log], row["question"], text)


def find_labelled(debates: Path) -> list[tuple[Label, PublicReply]]:
    replies = chain.from_iterable(read_log(debates, log) for log in (*SOCIETIES, *AGORA))
    return pair_replies(list_labels(), replies, "log", "question", "agent", "round")


def pair_replies(labels: Iterable[L], replies: Iterable[R], *place: str) -> list[tuple[L, R]]:
    """Return every label with its reply, which has the same values in the fields of its place.

    Raises:
        ValueError: a log is not the one whose replies were labelled.
    """
    find_place = attrgetter(*place)
    found = {find_place(each): each for each in replies}
    pairs = [(label, found[find_place(label)]) for label in labels]
    for label, reply in pairs:
        if hash_reply(reply.reply) != label.sha:
            raise ValueError(
                f"{label.id}: the reply at {find_place(label)} is not the one labelled"
            )
    return pairs
