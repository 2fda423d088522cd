"""Evidence: what is found, how it stands in the transcript, and what is no quotation."""

from pathlib import Path

import pytest

from moot.contrib.documents.evidence import consult, search
from moot.core.errors import InputError
from moot.core.events import Opened, Passage, Searched, Transcript
from moot.core.questions import WITHHELD, Question
from moot.core.redaction import redact
from moot.debate.debate_settings import (
    check_questions,
    list_content,
    resolve_paths,
)
from moot.debate.protocol import read_debate, registry
from moot.models.scripted import Scripted
from moot.studies.measured_record import replace_withheld
from moot.studies.question_plan import plan_question
from support.debates import hold, says, staged

MUSEUMS = Question(id="museums", kind="text", text="All museums should be free of charge.")


@pytest.fixture
def folder(tmp_path) -> str:
    (tmp_path / "fees.md").write_text("# Fees\n\nMuseums live on fees.\n\nFees pay for guards.\n")
    (tmp_path / "parks.txt").write_text("Parks are free of charge and loved.\n")
    return str(tmp_path)


def test_queries_take_turns_with_their_best_and_nothing_is_there_twice(folder):
    found = search(folder, ["museum museums fees", "parks", "fees"], 5)
    assert [each.number for each in found] == [1, 2, 3]
    assert [each.source for each in found] == ["fees.md:3", "parks.txt:1", "fees.md:5"]
    assert found[0].text == "# Fees\nMuseums live on fees."
    assert search(folder, ["museum museums fees", "parks", "fees"], 2) == found[:2]
    assert [each.source for each in search(folder, ["guards"], 5)] == ["fees.md:5"]
    for nothing in ([], [""], ["zebra"], ["the of and"], ["\x00 \ud800 ]["]):
        assert search(folder, nothing, 5) == ()
    Path(folder, "headed.md").write_text("# Zoo\n\nYes.\n\nNo.\n\n# Dogs\n\nThe zoo fell.\n")
    assert search(folder, ["zoo"], 3)[0].source == "headed.md:9", "own words before the headings'"


@pytest.mark.parametrize("by", ["embeddings", "both"])
async def test_documents_are_searched_as_the_setting_says(by, folder, store):
    Path(folder, "guards.txt").write_text("Galleries without tickets draw crowds.\n")
    given = {"question": MUSEUMS, "evidence": folder}
    words = await hold("essay-plan", says, store, **given)
    other = await hold("essay-plan", says, store, **given, search_by=by)
    assert "guards.txt:1" not in [each.source for each in words.searches[0].passages]
    assert "guards.txt:1" in [each.source for each in other.searches[0].passages]
    assert "search_by" not in words.opened.settings
    assert other.opened.settings["search_by"] == by


def test_of_a_secret_question_nothing_is_kept():
    question = Question(id="q", kind="text", text="secret", secret=True)
    opened = Opened(question=question, protocol="essay-plan", settings={}, pack="")
    event = Searched(query="secret", passages=(Passage(1, "a.md:1", "words"),), after=3)
    kept = redact(Transcript((opened, event))).events[1]
    assert kept == Searched(query=WITHHELD, passages=(), after=3)
    assert "something else" in replace_withheld(Transcript((opened, kept))).events[1].query


def test_a_folder_is_looked_at_before_anything_is_called(tmp_path):
    gone = str(tmp_path / "gone")
    protocol = registry.get("essay-plan")
    checked_settings = protocol.check({"evidence": gone})  # checking looks at no file
    with pytest.raises(InputError) as error:
        check_questions(read_debate(checked_settings), {}, "here")
    assert str(error.value).startswith(f"here: evidence = {gone!r}: there is no such folder")
    node = {"name": "a", **checked_settings}
    with pytest.raises(InputError, match="there, node 'a': evidence = "):
        check_questions(read_debate({"nodes": [node]}), {}, "there")
    with pytest.raises(InputError, match="protocol essay-plan: evidence = "):
        plan_question("Is it?", protocol="essay-plan", settings={"evidence": gone})
    check_questions(read_debate(protocol.check({})), {}, "here")
    settings = registry.get("society-of-minds").check({"agents": [{"evidence": gone}, {}, {}]})
    with pytest.raises(InputError, match=r"here: agents\[1\]: evidence = .*no such folder"):
        check_questions(read_debate(settings), {}, "here")


def test_other_documents_are_another_run(folder):
    settings = {"evidence": folder, "nodes": [{"name": "a", "evidence": folder}]}
    first = list_content(read_debate({**settings, "cast": [{"evidence": folder}]}), 1)
    assert len(first) == 3
    first = list_content(read_debate(settings), 1)
    Path(folder, "new.txt").write_text("More.")
    assert list_content(read_debate(settings), 1) != first
    assert list_content(read_debate({"evidence": ""}), 1) == []


def test_sources_of_a_protocol_are_documents_of_its_key(folder):
    sources = {"protocol": "tool-debate", "sources": [folder, folder]}
    first = list_content(read_debate(sources), 1)
    assert len(first) == 2
    Path(folder, "new.txt").write_text("More.")
    assert list_content(read_debate(sources), 1) != first


def test_what_a_file_names_is_beside_it(tmp_path):
    nodes = [{"name": "a", "evidence": "docs"}, {"name": "b"}]
    agents = [{"evidence": "docs"}, {"evidence": ""}]
    given = {"evidence": "docs", "nodes": nodes, "agents": agents, "points": 3}
    docs = str(tmp_path / "docs")
    made = resolve_paths(given, tmp_path)
    assert made["nodes"] == [{"name": "a", "evidence": docs}, {"name": "b"}]
    assert made["agents"] == [{"evidence": docs}, {"evidence": ""}]
    assert (made["evidence"], made["points"]) == (docs, 3)
    assert resolve_paths({"evidence": ""}, tmp_path) == {"evidence": ""}


async def test_a_folder_that_has_gone_meanwhile_ends_the_run(tmp_path, store):
    model = Scripted(says)
    debate = staged("essay-plan", model, store, question=MUSEUMS)
    debate.context.settings["evidence"] = str(tmp_path / "gone")
    with pytest.raises(InputError, match="there is no such folder"):
        await consult(debate, "museums")
