"""Tool debate: its rounds by the sheet, over real folders and a real MCP server."""

import json

import pytest

import moot
from moot.contrib.tools.grounding import Grounding
from moot.contrib.tools.search_query import SearchQuery
from moot.core.errors import InputError, UnknownName
from moot.core.events import Searched
from moot.debate.protocol import registry
from moot.models.scripted import Scripted
from support.tools import name_server, read_log, write_script

ASKED = "How many ships did the keeper count?"


@pytest.fixture
def sources(tmp_path):
    """Two folders that know different things."""
    for name, text in (("logs", "The log has eleven ships."), ("letters", "A letter has nine.")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(text, encoding="utf-8")
    return [str(tmp_path / "logs"), str(tmp_path / "letters")]


def figures(claims=100, supported=71, relevance=0.81):
    return json.dumps({"claims": claims, "supported": supported, "relevance": relevance})


def script(seen=None, *, scores=figures, answer=lambda _: "11", query=lambda _: "[log letter]"):
    """A reply for each step; what was asked is kept by step, round and agent."""

    def speak(call):
        scene = call.scene
        if seen is not None:
            seen[scene.step, scene.round, scene.agent] = call.messages[-1].content
        if scene.step == "query":
            return query(scene)
        return scores() if scene.step == "score" else f"So.\nFinal answer: {answer(scene)}"

    return speak


async def debate(tmp_path, sources, speak, **more):
    given = {"protocol": "tool-debate", "kind": "number", "store": tmp_path / "store"}
    return await moot.ask(ASKED, model=Scripted(speak), sources=sources, **given, **more)


def fail(call):
    raise AssertionError("no agent is asked")


async def test_agreement_with_high_scores_takes_six_calls(tmp_path, sources):
    seen = {}
    answer = await debate(tmp_path, sources, script(seen))
    assert (answer.answer, answer.by, answer.calls) == ("11", "agreement", 6)
    steps = [turn.step for turn in answer.transcript.turns]
    assert steps == ["query"] * 2 + ["answer-from"] * 2 + ["score"] * 2
    first, second = answer.transcript.searches
    assert [each.text for each in first.passages] == ["The log has eleven ships."]
    assert [each.text for each in second.passages] == ["A letter has nine."]
    assert (first.after, second.after) == (1, 2)
    prompts = [seen["answer-from", 1, f"searcher-{n}"] for n in (1, 2)]
    assert "[1] a.txt:1\n```\nThe log has eleven ships.\n```" in prompts[0]
    assert "nine" not in prompts[0]
    assert "```\nA letter has nine.\n```" in prompts[1]
    assert "not supported well enough" not in prompts[0]
    query, *_, scored = answer.transcript.turns
    assert query.reading == SearchQuery(query="log letter")
    assert (query.votes, query.answer) == (False, None)
    assert scored.reading == Grounding(claims=100, supported=71, relevance=0.81)
    [note] = answer.transcript.notes
    assert (note.what, note.ends) == ("stop", True)
    assert note.why == "both agree; all scores are high enough"


@pytest.mark.parametrize(
    "scores",
    [
        figures(supported=70),
        figures(relevance=0.8),
        figures(claims=0, supported=0),
        figures(claims=3, supported=4),
        "I would say 9 of 10.",
    ],
)
async def test_a_low_or_unreadable_score_goes_on_to_the_judge(tmp_path, sources, scores):
    seen = {}
    answer = await debate(tmp_path, sources, script(seen, scores=lambda: scores), rounds=2)
    assert (answer.by, answer.calls) == ("judge", 13)
    again = seen["answer-from", 2, "searcher-2"]
    assert "Your last answer was not supported well enough" in again
    assert "The last answer of Agent 1:\nSo.\nFinal answer: 11" in again
    assert "You searched for: log letter" in seen["query", 2, "searcher-1"]


async def test_the_judge_reads_the_passages_of_all_rounds_each_once(tmp_path, sources):
    (tmp_path / "logs" / "b.txt").write_text("A storm came at noon.", encoding="utf-8")
    seen = {}
    words = {1: "[log ships]", 2: "[storm noon]", 3: "[log storm]"}
    asks = script(seen, scores=lambda: figures(supported=0), query=lambda s: words[s.round])
    await debate(tmp_path, sources, asks, passages=1)
    assert "eleven ships" not in seen["answer-from", 2, "searcher-1"]
    judge = seen["judge", 3, "judge"]
    assert "The passages that Agent 1 has had, each between" in judge
    assert judge.count("The log has eleven ships.") == judge.count("A storm came at noon.") == 1
    assert "[1] a.txt:1\n```\nThe log" in judge
    assert "[2] b.txt:1\n```\nA storm" in judge


async def test_what_cannot_be_read_is_no_query_and_no_agreement(tmp_path, sources):
    answer = await debate(tmp_path, sources, script(query=lambda _: "Hm.\nWell."))
    assert [each.query for each in answer.transcript.searches] == [ASKED] * 2
    asks = script(answer=lambda s: "11" if s.step == "judge" else "?")
    answer = await debate(tmp_path / "other", sources, asks, rounds=1)
    assert (answer.answer, answer.by) == ("11", "judge")
    held = (await debate(tmp_path / "third", [], script())).transcript
    assert [turn.step for turn in held.turns] == ["answer-from"] * 2 + ["score"] * 2
    assert registry.get("tool-debate").count(held.opened.settings) == (4, 13)


async def test_a_source_can_be_a_tool(tmp_path, sources):
    seen = {}
    tools = [name_server(tmp_path / "log", "search")]
    asks = script(seen, query=lambda _: "[lighthouse log]")
    answer = await debate(tmp_path, [sources[0], "notes.search"], asks, tools=tools)
    assert answer.answer == "11"
    assert read_log(tmp_path / "log") == ["search lighthouse log"]
    found = [turn for turn in answer.transcript.turns if turn.role == "tool"]
    assert [(turn.agent, turn.step, turn.reads) for turn in found] == [("notes", "search", (2,))]
    prompt = seen["answer-from", 1, "searcher-2"]
    assert "[1] notes.search\n```\nThe keeper of the lighthouse counted eleven" in prompt
    assert "CALL" not in prompt
    assert len([each for each in answer.transcript.events if isinstance(each, Searched)]) == 1


async def test_an_error_is_no_passage_and_what_is_left_out_is_told(tmp_path, sources):
    seen = {}
    fault = {"result": {"content": [{"type": "text", "text": "no key"}], "isError": True}}
    query = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    listed = [{"name": name, "inputSchema": query} for name in ("bad", "long")]
    table = write_script(tmp_path, "bad", "long", tools=listed, bad=fault, long="11 " * 400)
    tools = [{**table, "characters": 30}]
    answer = await debate(tmp_path, ["notes.bad", "notes.long"], script(seen), tools=tools)
    prompts = [seen["answer-from", 1, f"searcher-{n}"] for n in (1, 2)]
    assert "no key" not in prompts[0]
    assert "You have no passages" in prompts[0]
    assert "failed: no key" in [turn.text for turn in answer.transcript.turns]
    assert "[1] notes.long, 1170 more characters were left out\n```\n11 11" in prompts[1]


@pytest.mark.parametrize(
    ("fields", "required", "why"),
    [
        ({"n": {"type": "integer"}}, [], r'takes \{"n": integer \(optional\)\}: name a tool'),
        ({"q": True}, ["q"], r'takes \{"q": value\}: name a tool'),
        ({"q": {"type": "string"}, "n": {"type": "integer"}}, ["q", "n"], "needs one text"),
        ({}, [], r"takes \{\}: name a tool"),
    ],
)
async def test_a_tool_that_takes_no_query_is_an_error(tmp_path, sources, fields, required, why):
    schema = {"type": "object", "properties": fields, "required": required}
    table = write_script(tmp_path, "a", tools=[{"name": "a", "inputSchema": schema}], a="x")
    with pytest.raises(InputError, match=rf"sources: notes\.a .*{why}"):
        await debate(tmp_path, [sources[0], "notes.a"], fail, tools=[table])


async def test_sources_that_cannot_be_are_an_error_before_any_call(tmp_path, sources, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("x", encoding="utf-8")
    tools = [name_server(tmp_path / "log", "search")]
    for source in ("notes", "notes.echo"):
        with pytest.raises(UnknownName, match=r"sources: unknown tool 'notes.*: notes\.search"):
            await debate(tmp_path, [sources[0], source], fail, tools=tools)
    with pytest.raises(InputError, match=r"sources = .*there is no such folder"):
        await debate(tmp_path, [sources[0], f"{sources[1]}-gone"], fail)
    protocol = registry.get("tool-debate")
    with pytest.raises(InputError, match="name two, one for each agent"):
        protocol.check({"sources": ["a"]})
    with pytest.raises(InputError, match="name them as sources"):
        protocol.check({"tools": tools})


@pytest.mark.parametrize("word", ["[Continue]", "Continue.", "I am\nundecided."])
async def test_who_goes_on_searches_nothing(tmp_path, sources, word):
    words = {1: "[log letter]"}
    asks = {"scores": lambda: figures(supported=0), "query": lambda s: words.get(s.round, word)}
    goes_on = script(**asks)
    answer = await debate(tmp_path, sources, goes_on, rounds=3)
    assert len(answer.transcript.searches) == 2
    assert answer.calls == 19
