"""What could not be read, recounted from transcripts by code of its own."""

import re

import msgspec
import pytest

import moot
from moot.core.events import Verdict
from moot.core.redaction import redact
from moot.core.stored import decode_transcript
from moot.core.unread import Unread, tell_by
from moot.debate.protocol import registry
from moot.debate.unread import describe_by, describe_node_by, list_unread
from moot.reports.transcript import describe_dissents
from moot.reports.transcript_markdown import write_transcript
from support.debates import SUM, hold, says

HERE = [each.name for each in registry if each.is_installed]
UNSURE = "I am not sure about this at all."
VOTES = ("society-of-minds", "majority-lock", "chateval", "free-mad", "reconcile", "sparse-debate")
SEATS = {name: {"agents": 3} for name in (*VOTES, "self-correction", "confidence-debate")}
SEATS |= {"self-consistency": {"samples": 3}, "diverse-methods": {}}
SEATS |= {"group-debate": {"agents": 3, "groups": 1}}


def unsure(*seats, answer="4"):
    """Replies in the form that is asked for; those of these seats say nothing that can be read."""
    return lambda call: UNSURE if call.draw.seat in seats else says(call, answer)


def last_answers(transcript):
    """The last answer of each agent that votes, by its name; from the events alone."""
    roles = registry.get(transcript.opened.protocol).voters
    debaters = {seat.agent for seat in transcript.seats if seat.debater and not seat.node}
    own = [turn for turn in transcript.turns if turn.votes and not turn.node]
    voting = [turn for turn in own if (turn.role in roles if roles else turn.agent in debaters)]
    return {turn.agent: turn.answer for turn in voting}


@pytest.mark.parametrize("protocol", HERE)
@pytest.mark.parametrize("silent", [(), (1,), (1, 2), (0, 1, 2, 3, 4, 5)])
async def test_every_protocol_says_what_could_not_be_read(store, protocol, silent):
    transcript = await hold(protocol, unsure(*silent), store, **SEATS.get(protocol, {}))
    told = list_unread(transcript)
    for each in told:
        assert 0 < len(each.agents) <= each.of
        assert re.match(r"(\S+|\d+ of \d+( nodes| replies)?) (gave|reached) no ", each.why)
    if not silent and protocol not in {"chateval-scored", "peer-review", "reconcile"}:
        assert told == ()
    votes = [each for each in told if each.what == "answer"]
    lacking = [who for who, answer in last_answers(transcript).items() if answer is None]
    if votes and not transcript.nodes:
        assert {*votes[0].agents} <= {*lacking}
    for turn in transcript.turns:  # whoever says it alone is named where a form was asked of it
        asked = turn.parser in {"review", "grades", "match-ruling", "approval-ruling"}
        if asked and not turn.node and turn.text == UNSURE:
            assert any(turn.agent in each.agents for each in told), (turn.agent, told)
    if protocol in SEATS:  # three vote
        count = min(len(silent), 3)
        assert (len(last_answers(transcript)), len(lacking)) == (3, count)
        assert len(votes) == bool(silent)
        alone = count == 2
        assert ("the only answer" in describe_by(transcript)) is alone
        if alone and transcript.verdict.by == "majority":
            assert describe_by(transcript) == "the only answer of 3"
        if votes and "replies" not in votes[0].why:
            assert (votes[0].of, sorted(votes[0].agents)) == (3, sorted(lacking))
            assert votes[0].why == f"{count} of 3 gave no answer that could be read"


COUNTED = [
    *(("council", {}, "review", "ranking", each) for each in ((), (1,), (1, 2), (0, 1, 2, 3))),
    *(
        ("jury", {"scale": scale}, step, "grades", each)
        for scale, step in (("grades", "grade"), ("binary", "judge"))
        for each in ((), (2,), (1, 2), (1, 2, 3))
    ),
    ("peer-review", {"agents": 3}, "score", "scores", (1,)),
]


@pytest.mark.parametrize(("name", "given", "step", "what", "silent"), COUNTED)
async def test_a_count_says_how_many_it_leaves_out(store, name, given, step, what, silent):
    transcript = await hold(name, unsure(*silent), store, **given)
    [count] = [note for note in transcript.notes if note.what == "count"]
    asked = [turn for turn in transcript.turns if turn.step == step]
    told = [each for each in list_unread(transcript) if each.what == what]
    assert asked
    assert sum(len(each.agents) for each in told) == len(asked) - count.reading.ballots
    if name == "jury":
        lacking = tuple(turn.agent for turn in asked if turn.text == UNSURE)
        assert [each.agents for each in told] == ([lacking] if lacking else [])
    if name == "council" and len(silent) == 4:
        assert told[0].why == "4 of 4 gave no ranking that could be read"
    assert told or not silent


FORMS = {"votes": ("vote", "vote"), "approval": ("approved", "approval")}
FORMS |= {"cumulative": ("points", "points"), "scores": ("scores", "scores")}
FORMS |= dict.fromkeys(("borda", "condorcet", "schulze", "instant-runoff"), ("ranking", "ranking"))


def unfit(call):
    """Ballots of which the first has points that do not add up."""
    if call.scene.reads_as != "ballot":
        return says(call, "4" if call.draw.seat else "5")
    return '{"points": {"A": 7, "B": 3}}' if call.draw.seat else '{"points": {"A": 7, "B": 7}}'


def unstated(call):
    return "Final answer: 4" if call.draw.seat else "Final answer: 4\nConfidence: 90 %"


def unranked(call):
    return UNSURE if call.scene.reads_as == "review" else says(call)


def first_alone(call):
    return "Final answer: 4" if (call.draw.seat, call.scene.round) == (0, 1) else UNSURE


WEIGHTED = {"decision": "weighted?unstated=0.5", "confidence": "percent"}


@pytest.mark.parametrize(
    ("name", "say", "given", "what", "count", "by"),
    [
        ("ballot", unfit, {"decision": "cumulative"}, "points", (1, 3), "cumulative"),
        ("society-of-minds", unstated, WEIGHTED, "confidence", (2, 3), "weighted"),
        ("society-of-minds", first_alone, {"decision": "any-round", "agents": 3}, "answer",
         (5, 6), "any round, the only answer"),
        ("council", unranked, {"agents": 3}, "ranking", (3, 3),
         "chair, without any ranking that could be read"),
    ],
)  # fmt: skip
async def test_what_a_rule_does_not_count_is_said(store, name, say, given, what, count, by):
    transcript = await hold(name, say, store, **given)
    [one] = list_unread(transcript)
    assert (one.what, (len(one.agents), one.of)) == (what, count)
    assert describe_by(transcript) == by
    if by.startswith("any round"):
        assert one.why == "5 of 6 replies gave no answer that could be read"
    if name == "council":
        who = "member-1, member-2, member-3"
        told = f"unread: 3 of 3 gave no ranking that could be read: {who}"
        assert describe_dissents(transcript) == [told]


BALLOT = (
    '{"vote": "A", "ranking": ["A", "B"], "approved": ["A"], "points": {"A": 7, "B": 3}, '
    '"scores": {"A": 8, "B": 2}}'
)


@pytest.mark.parametrize("rule", FORMS)
@pytest.mark.parametrize("silent", [(), (0,), (1, 2), (0, 1, 2)])
async def test_a_rule_counts_the_ballots_it_leaves_out(store, rule, silent):
    form, what = FORMS[rule]

    def say(call):
        if call.scene.reads_as == "ballot":
            return UNSURE if call.draw.seat in silent else BALLOT
        return says(call, "4" if call.draw.seat else "5")

    transcript = await hold("ballot", say, store, decision=rule)
    lacking = [
        turn.agent
        for turn in transcript.turns
        if turn.parser == "ballot" and not (turn.reading and getattr(turn.reading, form))
    ]
    assert len(lacking) == len(silent)
    told = [each for each in list_unread(transcript) if each.what == what]
    assert [each.agents for each in told] == ([tuple(lacking)] if lacking else [])


async def test_the_node_of_a_network_says_so_too(store):
    nodes = [{"name": "one", "protocol": "society-of-minds"}]

    def say(call):
        return UNSURE if call.scene.step != "choose" and call.draw.seat % 1000 else says(call)

    transcript = await hold("network", say, store, nodes=nodes, edges=[["one", "judge"]])
    text = "\n".join(write_transcript(transcript))
    assert "society-of-minds" in text
    [node] = transcript.nodes
    assert node.verdict.by == "majority"
    assert describe_node_by(node, transcript) == "the only answer of 2"


async def test_secret_debates_tell_the_same_and_a_plan_without_answers_lacks_none(store):
    secret = msgspec.structs.replace(SUM, secret=True)
    for protocol in ("society-of-minds", "council", "jury"):
        transcript = await hold(protocol, unsure(1, 2), store, question=secret)
        assert list_unread(redact(transcript)) == list_unread(transcript)
        assert describe_by(redact(transcript)) == describe_by(transcript)
    assert list_unread(await hold("debate-to-write", unsure(), store)) == ()
    again = decode_transcript(msgspec.json.encode(transcript), "of an earlier moot")
    assert (again.verdict.by, describe_by(again)) == (
        transcript.verdict.by,
        describe_by(transcript),
    )


def test_a_verdict_without_an_answer_and_a_real_majority_keep_their_words():
    unread = [Unread(what="answer", agents=("a",), of=3, why="")]
    two = Verdict(answer="4", by="majority", votes={"4": 2})
    assert tell_by(two, unread) == "majority"
    assert tell_by(msgspec.structs.replace(two, votes={"4": 1, "5": 1}), unread) == "majority"
    assert tell_by(Verdict(answer=None, by="jury: no grades"), unread) == "jury: no grades"


async def test_python_says_it_in_repr_field_and_json(tmp_path):
    model = moot.Scripted(["Final answer: 391", UNSURE, UNSURE])
    given = {"kind": "number", "protocol": "self-consistency", "samples": 3, "model": model}
    answer = await moot.ask("What is 17*23?", store=tmp_path, **given)
    told = "2 of 3 gave no answer that could be read"
    assert answer.by == "the only answer of 3"
    assert [each.why for each in answer.unread] == [told]
    shown = f"Answer('391' by the only answer of 3, {told}, self-consistency"
    assert repr(answer).startswith(shown)
    made = answer.to_dict()
    assert made["by"] == "the only answer of 3"
    assert msgspec.json.decode(msgspec.json.encode(made["unread"])) == [
        {"what": "answer", "agents": ["sampler-2", "sampler-3"], "of": 3, "why": told}
    ]
    assert told in answer._repr_html_()
    lines = "\n".join(write_transcript(answer.transcript))
    assert "by the only answer of 3" in lines
    assert told in lines
