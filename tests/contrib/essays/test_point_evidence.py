"""Each point of a plan searches the documents by its own words, and by the critic's answer."""

import re

import msgspec
import pytest

import moot
from moot.contrib.essays.essay_forms import essay_markdown, essay_page
from moot.contrib.essays.plan_outline import read_plan
from moot.contrib.essays.point_evidence import list_queries
from moot.models.scripted import Scripted
from support.essays import speaking

PLAN = "1. Guards need wages.\n   - Watchmen at night. [1]\n2. Crowds harm paintings.\n3. Zzyzx."
CRITIC = "Nobody cares for that. Your guards steal from the vaults.\nPersuaded: yes"
NOTES = {
    "law.md": "Museums should be free of charge, the law says.",
    "guards.md": "Wages of guards rose in May.",
    "theft.md": "Thieves steal from vaults.",
    "crowds.md": "Crowds came, and paintings faded.",
    "far.md": "Trains run on rails.",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "notes").mkdir()
    for name, words in NOTES.items():
        (tmp_path / "notes" / name).write_text(words)
    return tmp_path / "notes"


async def write(folder, sent, **settings):
    def essay(call):
        sent.append(call.messages[-1].content)
        return "So says the law: “Crowds came” [3]."

    script = speaking(challenge=CRITIC, plan=PLAN, essay=essay)
    return await moot.write(
        "Museums should be free of charge.",
        model=Scripted(script, name="points"),
        store=folder.parent / "store",
        evidence=folder,
        rounds=1,
        passages=1,
        **settings,
    )


async def test_points_find_passages_for_the_writer_with_numbers_that_go_on(folder):
    sent = []
    made = await write(folder, sent, point_passages=1)
    assert [each.source for each in made.passages] == [
        "law.md:1", "guards.md:1", "theft.md:1", "crowds.md:1"
    ]  # fmt: skip
    assert list(msgspec.to_builtins(made.point_evidence)) == [
        {"point": 1, "quoted": (1,), "found": (2,), "against": (3,)},
        {"point": 2, "quoted": (), "found": (4,), "against": ()},
        {"point": 3, "quoted": (), "found": (), "against": ()},
    ]
    assert all(words in sent[0] for name, words in NOTES.items() if name != "far.md")
    assert NOTES["far.md"] not in sent[0]
    assert [quote.state for quote in made.quotes] == ["altered"]  # [3] is another passage
    assert "No passage was found in, so that nobody read: far.md." in made.outcomes
    page = essay_page(made)
    assert 'quotes <a href="#passage-2">[2]</a>' in page  # the essay names theft.md alone
    assert 'found by its words <a href="#passage-3">[3]</a>' in page
    assert 'found by the critic&#39;s answer <a href="#passage-1">[1]</a>' in page
    shown = essay_markdown(made)
    [told] = [line for line in shown.split("\n") if line.startswith("Shown and quoted by nobody")]
    assert re.findall(r"\w+(?=\.)", told) == ["guards", "crowds"]


async def test_without_it_the_run_is_as_before(folder):
    sent = []
    made = await write(folder, sent)
    assert [each.source for each in made.passages] == ["law.md:1"]
    assert "point_passages" not in str(made.draft().settings)
    assert [each.found for each in made.point_evidence] == [(), (), ()]
    again = await write(folder, [], point_passages=0)
    assert again.run == made.run
    assert (await write(folder, [], point_passages=1)).run != made.run


def test_the_critics_answer_is_the_sentence_that_shares_most_words():
    plan = read_plan(PLAN)
    queries = list(list_queries(plan, [CRITIC]))
    assert [each.own for each in queries] == [
        "Guards need wages. Watchmen at night. [1]", "Crowds harm paintings.", "Zzyzx."
    ]  # fmt: skip
    assert [each.against for each in queries] == ["Your guards steal from the vaults.", "", ""]
    [first, *_] = list_queries(plan, ["Who pays? Guards cost 5 Mio. Euro a year."])
    assert first.against == "Guards cost 5 Mio. Euro a year."
