"""How well moot reads replies of published debates that it had not seen, labelled at first sight.

Fetch the repositories in ``STRATA`` into a folder, each as ``owner/name`` at its commit, and run
``python bench/unseen_replies.py FOLDER`` in the project's root; ``--errors`` shows every reply that
moot reads otherwise, ``--draw`` draws the replies again and says whether they are the labelled
ones. The logs are not part of the project; the labels are, without the words. One reader labelled
them before moot read them; ``doubt`` marks those of which another reader might say otherwise.
Replies are read as ``moot import`` reads them, question and options included. The interval of a
share is the exact one of 95 %.
"""

import random
import sys
import tempfile
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import msgspec

ROOT = Path(__file__).parent.parent
LABELS = ROOT / "tests" / "parsing" / "unseen_replies.jsonl"
SEED = 20261129
sys.path.insert(0, str(ROOT / "tests"))

from public_replies import tell  # noqa: E402

from moot import Question  # noqa: E402
from moot.contrib.imports.debate_log import LoggedDebate  # noqa: E402
from moot.contrib.imports.log_files import Log  # noqa: E402
from moot.contrib.imports.log_format import find_format  # noqa: E402
from moot.contrib.imports.log_survey import LogSurvey  # noqa: E402
from moot.contrib.imports.mapping import read_mapping  # noqa: E402
from moot.contrib.imports.transcripts import make_transcript  # noqa: E402
from moot.extend.records import Kind  # noqa: E402
from support.public_replies import hash_reply, is_answer, pair_replies  # noqa: E402

SLM = "lferreiraMD/slm_multiagent_debate@f535f16"
HPC = "experiments/linux_single/slurm/results_hpc"
COUNCIL = "andybhall/llm-council-governance@9791db8"
_SIDES = """question = "question"
rounds = "transcript"
agents = "{A: A, B: B}"
kind = "boolean"
"""
_STAGE_1 = """debates = "[?contains(['GSM8K', 'AIMO'], benchmark)]"
question = "question_id"
answer = "expected"
agents = "stage1_responses"
kind = "number"
"""


class Stratum(NamedTuple):
    """Replies that are drawn together: of one model, or of one council."""

    repository: str
    path: str
    size: int
    mapping: str = ""


STRATA = (
    *(
        Stratum(SLM, f"{HPC}/{task}/{task}_{model}_agents3_rounds3.json", 4)
        for task in ("gsm", "mmlu")
        for model in (
            "Llama-3.2-3B_persona_kantian+cosmic+renaissance",
            "Mistral-7B-Instruct-v0.3_persona_kantian+deep-sea+expert",
            "Qwen3-0.6B_persona_kantian+deep-sea+renaissance",
            "Qwen3-14B_persona_enigma+zen+deep-sea",
            "VibeThinker-1.5B_persona_stand-up+drone+hermetic",
        )
    ),
    *(
        Stratum("jinoogi/LLM-Agora@03d2a00", f"GSM8K/score_test/gsm_result_{name}.json", 4)
        for name in (
            "temp0.25_cat_adversarial__qwen_A_qwen_B_qwen_C_20250716_032808",
            "temp0.75_qwen_A_qwen_B_qwen_C_20250715_063636",
            "temp0_single_qwen_A_20250715_083351",
        )
    ),
    *(
        Stratum(COUNCIL, f"experiments/{folder}/pilot_results.json", size, _STAGE_1)
        for folder, size in (
            ("results_frontier_test", 5), ("results_hard_frontier", 5), ("results_test", 5),
        )
    ),
    Stratum("s1111e/LLM_Debate_and_Judge_Pipeline@4be0922", "logs/debate_logs.json", 12, _SIDES),
    Stratum("sorendunn/llm_multiagent_debate@82fd8ad", "mmlu_cot_baseline.json", 5),
    Stratum("sorendunn/llm_multiagent_debate@82fd8ad", "mmlu_4_fast.json", 5),
    Stratum("ianganz512/Diverse_Minds@4bb0bc4", "gsm/500_examples_1/gsm_1_2_[0.7].json", 5),
)  # fmt: skip


class Reply(NamedTuple):
    """A reply of a log, with its place and what moot reads in it; the debate by its number."""

    repository: str
    path: str
    debate: int
    turn: int
    question: Question
    reply: str
    read: str | None


class Label(msgspec.Struct, frozen=True):
    """The answer that a reader finds in a reply; None for no answer."""

    id: str
    repository: str
    path: str
    debate: int
    turn: int
    kind: Kind
    sha: str
    answer: str | None
    doubt: bool = False


def read_replies(folder: Path, stratum: Stratum) -> Iterator[Reply]:
    """Yield the replies of a log in their order."""
    log = Log(folder / stratum.repository.partition("@")[0] / stratum.path)
    if stratum.mapping:
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(stratum.mapping)
            file.flush()
            form = read_mapping(file.name)
    else:
        form = find_format(log)
    survey = LogSurvey()
    debates: list[LoggedDebate] = [*survey.keep_sound(form.read(log))]
    survey.read(debates)
    kinds = survey.find_kinds()
    for number, debate in enumerate(debates, 1):
        held = make_transcript(debate, kinds[debate.dataset], source="").transcript
        for turn in held.turns:
            if turn.votes:
                yield Reply(
                    stratum.repository, stratum.path, number, turn.id,
                    held.question, turn.text, turn.answer,
                )  # fmt: skip


def draw(folder: Path) -> list[Reply]:
    """Return the replies, in the order in which they were labelled."""
    chance = random.Random(SEED)
    drawn = [
        reply
        for stratum in STRATA
        for reply in chance.sample([*read_replies(folder, stratum)], stratum.size)
    ]
    chance.shuffle(drawn)
    return drawn


def list_labels() -> list[Label]:
    """Return all labels in the order in which they were drawn."""
    return [msgspec.json.decode(line, type=Label) for line in LABELS.read_bytes().splitlines()]


def find_labelled(folder: Path) -> list[tuple[Label, Reply]]:
    """Return every label with its reply. Raises ``ValueError`` for a log of another version."""
    replies = chain.from_iterable(read_replies(folder, stratum) for stratum in STRATA)
    return pair_replies(list_labels(), replies, "repository", "path", "debate", "turn")


def main() -> None:
    options = {each for each in sys.argv[1:] if each.startswith("--")}
    folders = [Path(each) for each in sys.argv[1:] if each not in options]
    if len(folders) != 1 or options - {"--draw", "--errors"}:
        sys.exit("python bench/unseen_replies.py FOLDER [--draw] [--errors]")
    if "--draw" in options:
        same = [hash_reply(each.reply) for each in draw(*folders)] == [
            label.sha for label in list_labels()
        ]
        print(f"{len(list_labels())} replies drawn, the labelled ones: {'yes' if same else 'no'}")
        return
    pairs = find_labelled(*folders)
    read = [(label, is_answer(reply.read, label.answer, label.kind)) for label, reply in pairs]
    for repository in dict.fromkeys(stratum.repository for stratum in STRATA):
        tell(repository, [right for label, right in read if label.repository == repository])
    for kind in ("choice", "boolean", "number"):
        tell(kind, [right for label, right in read if label.kind == kind])
    tell("without doubt", [right for label, right in read if not label.doubt])
    tell("all", [right for _, right in read])
    if "--errors" in options:
        for (label, reply), (_, right) in zip(pairs, read, strict=True):
            if not right:
                print(f"\n{label.id} {label.path}: {reply.read!r}, the reader {label.answer!r}")
                print(f"  {reply.question.text[-300:]!r}\n  {reply.reply[-1500:]!r}")


if __name__ == "__main__":
    main()
