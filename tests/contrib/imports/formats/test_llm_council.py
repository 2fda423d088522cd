FORM = "llm-council"
STAGES = {
    "role": "assistant",
    "stage1": [
        {"model": "openai/gpt-5.1", "response": "Paris."},
        {"model": "x-ai/grok-4", "response": "Lyon."},
    ],
    "stage2": [
        {
            "model": "openai/gpt-5.1",
            "ranking": "A is right.\nFINAL RANKING:\n1. Response B\n2. Response A",
            "parsed_ranking": ["Response B", "Response A"],
        },
        {"model": "x-ai/grok-4", "ranking": "I cannot rank.", "parsed_ranking": []},
    ],
    "stage3": {"model": "google/gemini-3-pro-preview", "response": "The capital is Paris."},
    "metadata": {"aggregate_rankings": [{"model": "x-ai/grok-4", "average_rank": 1.0}]},
}
ASK = {"role": "user", "content": "What is the capital of France?"}
TALK = {"id": "abc", "created_at": "2026", "title": "Capitals", "messages": [ASK, STAGES]}


def test_three_stages_are_a_debate(write, read):
    [debate], unread, _ = read(write(TALK, "abc.json"), form=FORM)
    assert not unread
    assert (debate.id, debate.method) == ("abc-1", "council")
    assert debate.question.text == ASK["content"]
    assert [(turn.agent, turn.round, turn.step, turn.votes) for turn in debate.turns] == [
        ("openai/gpt-5.1", 1, "answer", True),
        ("x-ai/grok-4", 1, "answer", True),
        ("openai/gpt-5.1", 2, "review", False),
        ("x-ai/grok-4", 2, "review", False),
        ("chairman", 3, "synthesise", False),
    ]
    assert [turn.reads for turn in debate.turns] == [(), (), (1, 2), (1, 2), (1, 2, 3, 4)]
    assert debate.turns[2].reading == {
        "kind": "ballot",
        "ranking": ["x-ai/grok-4", "openai/gpt-5.1"],
    }
    assert debate.turns[3].reading == {}
    assert debate.agents[-1].model == "google/gemini-3-pro-preview"
    assert debate.agents[-1].answers is False
    verdict = debate.verdict
    assert (verdict.text, verdict.by, verdict.turn) == ("The capital is Paris.", "chairman", 5)
    assert debate.labels == {"aggregate_rankings": STAGES["metadata"]["aggregate_rankings"]}


def test_each_question_of_a_conversation_is_a_debate(write, read):
    again = {"role": "assistant", "content": {**STAGES, "stage3": "Paris, again."}}
    talk = {**TALK, "messages": [ASK, STAGES, ASK, ASK, again, ASK]}
    debates, unread, _ = read(write(talk, "abc.json"))
    assert [debate.id for debate in debates] == ["abc-1", "abc-3"]
    assert debates[1].verdict.text == "Paris, again."
    assert [each.place for each in unread] == ["abc.json, question 2", "abc.json, question 4"]


def test_the_answer_of_the_service_alone(write, read):
    stages = {key: value for key, value in STAGES.items() if key != "role"}
    [debate], _, _ = read(write({"question": "Where?", **stages}, "one.json"), form=FORM)
    assert (debate.question.text, len(debate.turns)) == ("Where?", 5)


def test_a_council_within_a_larger_object(write, read):
    value = {
        "id": "x",
        "messages": [],
        "draft": {"messages": [ASK]},
        "council": {"messages": [ASK, STAGES]},
    }
    [debate], _, _ = read(write(value, "x.json"), form=FORM)
    assert (debate.id, debate.question.text) == ("x-1", ASK["content"])


def test_a_list_of_conversations(write, read):
    debates, _, _ = read(write([TALK, TALK], "all.jsonl"), form=FORM)
    assert [debate.id for debate in debates] == ["all-1-1", "all-2-1"]


def test_members_of_one_model_are_told_apart(write, read):
    one = {"model": "m", "response": "x"}
    stages = {**STAGES, "stage1": [one, one], "stage2": [{"model": "other", "ranking": "r"}]}
    [debate], _, _ = read(write({"messages": [ASK, stages]}))
    assert [agent.name for agent in debate.agents] == ["m 1", "m 2", "other", "chairman"]
    assert [agent.answers for agent in debate.agents] == [True, True, False, False]


def test_a_council_without_an_end(write, read):
    [debate], _, _ = read(write({"messages": [ASK, {**STAGES, "stage3": None}]}))
    assert (debate.verdict, debate.error) == (None, "no synthesis of a chairman")


def test_names_that_are_taken_and_reviews_without_a_model(write, read):
    stages = {
        **STAGES,
        "stage1": [{"model": "chairman", "response": "x"}],
        "stage2": ["good", "bad"],
    }
    [debate], _, _ = read(write({"messages": [ASK, stages]}))
    assert [agent.name for agent in debate.agents] == ["chairman", "reviewer", "chairman'"]
    assert [turn.agent for turn in debate.turns] == [
        "chairman",
        "reviewer",
        "reviewer",
        "chairman'",
    ]
