"""Every way a debate may go, with its critical path by hand; ``critical`` holds them to it."""

from typing import Any, NamedTuple


class Course(NamedTuple):
    """One way a debate may go: its settings, and by hand how long its critical path is."""

    longest: int
    settings: dict[str, Any] = {}  # noqa: RUF012 -- nobody changes it


COURSES = {
    "single": Course(1),
    "solo-performance": Course(1),
    "self-consistency": Course(1),
    "self-consistency: aggregator": Course(2, {"aggregate": True}),
    "medprompt": Course(1),
    "ensemble-refinement": Course(2),
    "society-of-minds": Course(2),
    "society-of-minds: summary": Course(3, {"summary": True}),
    "society-of-minds: sequential": Course(1 + 3, {"exchange": "sequential"}),
    # All read the summary and nobody reads another: there is nothing to wait for in turn.
    "society-of-minds: sequential, summary": Course(3, {"exchange": "sequential", "summary": True}),
    "multi-persona": Course(3 * 3 + 1),
    "multi-persona-proposals": Course(3 * 3),
    "debate-moderated": Course(3 * 5 + 2),
    "consultancy": Course(2 * 5),
    # The solver answers while experts are recruited; then critics, evaluator, improvement.
    "agentverse": Course(1 + 2 + 3 + 3),
    "chateval": Course(3 * 2),
    "chateval: summary": Course(3 + 1 + 3, {"summary": True}),
    "chateval: simultaneous": Course(2, {"mode": "simultaneous"}),
    "chateval: simultaneous, summary": Course(3, {"mode": "simultaneous", "summary": True}),
    "chateval-scored": Course(3 * 2),
    # Kitty and Peter need not wait for Ben, whom they do not read and who cannot end it.
    "exchange-of-thought": Course(3 + 1),
    "exchange-of-thought: consensus": Course(2 * 3, {"stop": "consensus"}),
    "exchange-of-thought: memory": Course(3, {"topology": "memory", "rounds": 3}),
    "exchange-of-thought: report": Course(3, {"topology": "report", "rounds": 3}),
    "exchange-of-thought: relay": Course(3, {"topology": "relay", "rounds": 3}),
    "exposure": Course(2),
    "free-mad": Course(2),
    "sparse-debate": Course(3),
    # Two rounds, a summary, two rounds.
    "group-debate": Course(2 + 1 + 2),
    "selective-debate": Course(3),
    # Readers in each round, whose answers decide about the next, and the last aggregator.
    "document-debate": Course(3 + 1),
    "document-debate: aggregate": Course(2 * 3, {"shows": "aggregate"}),
    # Answers and a judge in each round, and a summariser.
    "evidence-debate": Course((1 + 1) * 3 + 1),
    # Answers and scores in each round, and a judge.
    "tool-debate": Course((1 + 1) * 3 + 1),
    "diverse-start": Course(2, {"candidates": 4, "agents": 2, "rounds": 2}),
    # What comes before an answer, and the answer, in each round.
    "diverse-methods": Course(3 * 2),
    "confidence-debate": Course(3),
    "mixture-of-agents": Course(3),
    "agenda-veto": Course(1 + 1 + 1),
    # With flipped triples 64 debates send 2,048 calls at once: then this process takes longest.
    "peer-review": Course(1 + 1, {"agents": 3, "triples": False}),
    "self-correction": Course(2),
    # Each sample may be the last one: three are too few to be sure.
    "adaptive-consistency": Course(3, {"most": 3}),
    "early-stopping-consistency": Course(1, {"windows": 1}),
    "majority-lock": Course(2, {"agents": 3, "rounds": 2, "lock": "follower", "p": 0.0}),
    "reconcile": Course(3),
    "ballot": Course(2 + 1),
    "consensus-talk": Course(2 * 3, {"rounds": 2}),
    "jury": Course(1 + 1),
    # Ten turns, each over all before, and the jurors at the same time.
    "debate-match": Course(10 + 1),
    "panel-review": Course(1 + 1),
    "planted-peers": Course(2),
    # Both argue at once in each round; the consultant is asked between its rounds.
    "oversight-debate": Course(3 + 1),
    # A draft, its rating, a critique, the new draft, its rating; then the judge.
    "oversight-debate: drafts": Course(
        5 + 1, {"rounds": 1, "best_of": 2, "critiques": 1, "rated_by": "draws"}
    ),
    "oversight-debate: open": Course(1 + 3 + 1, {"assigned": False}),
    "oversight-consultancy": Course(3 + 2 + 1),
    "council": Course(1 + 1 + 1),
    # The gate waits for one agent, then for the others of the first round.
    "confidence-gate": Course(1 + 1 + 1),
    "agreement-gate": Course(2),
    # The gate waits for one agent; a round has two sides and a judge, who has the last word.
    "feature-gate": Course(1 + 3 * 3 + 1),
    "community": Course(3 * 2 + 1),
    "network: short-long": Course(3 * 7 + 1, {"graph": "short-long"}),
    "network: feed-forward": Course(2 * 7 + 1, {"graph": "feed-forward"}),
    "network: cascade": Course(3 * 7 + 1, {"graph": "cascade"}),
    "hopfield": Course(3 * 7),
    "essay-direct": Course(1),
    "essay-plan": Course(2),
    # Claim; reasoning beside concession; essay: each is written, criticised and refined.
    "americano": Course(3 * 3),
    "debate-to-write": Course(2 + 3 * (3 + 1) + 2),
    "debate-to-write: no personas": Course(3 * (3 + 1) + 2, {"personas": False}),
}
