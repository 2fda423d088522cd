"""Studies with documents: what they take, and an effect that is planted and recovered."""

import re

import msgspec
import pytest

import moot
from moot.core.errors import InputError
from moot.models.scripted import Scripted
from moot.parsing.same import is_correct
from moot.studies.lab import open_lab
from moot.studies.plan import Plan
from moot.studies.study_file import load


def arm(protocol, more):
    return f'[[arms]]\nprotocol = "{protocol}"\n{more}\n'


FILE = '[[datasets]]\nname = "file"\npath = "asked.jsonl"\ndocuments = 4\n'
STUDY = (
    'name = "documents"\nbaseline = "without"\n[settings]\nmodel = "MODEL"\n'
    f'{FILE}{FILE}label = "others"\nown_document = false\n'
    + arm("single", 'name = "without"')
    + arm("single", 'name = "with"\nevidence = "question"')
    + arm("document-debate", 'rounds = 2\nevidence = "question"')
    + arm("evidence-debate", 'rounds = 2\npassages = 4\nevidence = "question"')
)


@pytest.fixture
def study(tmp_path):
    rows = [
        {
            "question": f"Which letter stands on stone {n}?",
            "context": f"On stone {n} stands the letter {'xyzw'[n * 7 % 4]}.",
            "choices": ["x", "y", "z", "w"],
            "answer": "ABCD"[n * 7 % 4],
        }
        for n in range(100)
    ]
    (tmp_path / "asked.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, rows)))

    def write(model: str, text: str = STUDY):
        path = tmp_path / "study.toml"
        path.write_text(text.replace("MODEL", model))
        return path

    return write


async def shares(path, tmp_path) -> dict[tuple[str, str], float]:
    """The share of right verdicts by dataset and arm."""
    await moot.run(path, store=tmp_path / "store")
    right: dict[tuple[str, str], list[bool]] = {}
    async with open_lab(tmp_path / "store") as lab:
        [run] = lab.store.runs()
        for row in lab.store.debates(run.id):
            held = row.transcript
            found = right.setdefault((row.dataset, row.arm), [])
            found.append(is_correct(held.verdict.answer, held.question))
    assert {len(each) for each in right.values()} == {100}
    return {key: sum(each) / len(each) for key, each in right.items()}


async def test_agents_that_understand_documents_gain_by_them_and_by_none_of_others(study, tmp_path):
    people = "simulated/people?accuracy=0.3&concentration=8&comprehension=0.9&conformity=0.8"
    found = await shares(study(people), tmp_path)
    for arm in ("with", "document-debate", "evidence-debate"):
        assert found["file", arm] - found["file", "without"] > 0.3
        assert abs(found["others", arm] - found["others", "without"]) < 0.2


async def test_what_a_document_says_the_answer_is_reaches_no_prompt(study, tmp_path):
    """The same prompts, whatever is right: another key changes no message."""
    sent: list[set[str]] = []

    def reply(call):
        sent[-1].update(message.content for message in call.messages)
        return "Final answer: A"

    path = study("scripted/one")
    rows = (tmp_path / "asked.jsonl").read_text()
    flipped = re.sub(
        '"answer":"(.)"', lambda old: f'"answer":"{"BCDA"["ABCD".index(old[1])]}"', rows
    )
    for number, text in enumerate((rows, flipped)):
        sent.append(set())
        (tmp_path / "asked.jsonl").write_text(text)
        models = [Scripted(reply, name="one")]
        await moot.run(path, store=tmp_path / f"store-{number}", models=models, limit=25)
    assert flipped != rows
    assert sent[0] == sent[1]


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("documents = 4\n[", "[", "question .* has no documents; a folder"),
        ("documents = 4\n[", "documents = 7\n[", "has 7 documents; set passages = 7"),
        ("documents = 4\nlabel", "label", "own_document = False: true or false, beside documents"),
        ("documents = 4\n[", "documents = 500\n[", "100 questions have 100 passages"),
    ],
)
def test_what_cannot_be_is_an_error_before_any_call(old, new, why, study):
    path = study("simulated/people", STUDY.replace(old, new))
    with pytest.raises(InputError, match=why):
        Plan(load(path))
