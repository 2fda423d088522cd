"""The debates of the net: every protocol, in the variants whose settings change its flow."""

from collections.abc import Iterator
from typing import Any

Settings = dict[str, Any]

QUESTIONS = (
    {
        "id": "apples",
        "kind": "number",
        "question": "Ann has 17 apples and buys 3 bags of 8. How many apples has she?",
        "answer": "41",
        "tempting": ["28"],
        "documents": [
            {"text": "Three bags of 8 are 24 apples.", "source": "bags", "answer": "41"},
            {"text": "Ann has 17 apples. 17 and 11 are 28.", "source": "sums", "answer": "28"},
        ],
    },
    {
        "id": "ice",
        "kind": "choice",
        "question": "An ice cube floats in a full glass. What does the water do as it melts?",
        "context": "Ice displaces its own weight of water.",
        "choices": ["It rises.", "It falls.", "It stays.", "It boils."],
        "answer": "C",
        "tempting": ["A"],
        "documents": [
            {"text": "A floating body displaces its own weight.", "source": "law", "answer": "C"},
            {"text": "Melting ice adds water, so that it rises.", "source": "bar", "answer": "A"},
        ],
    },
)
"""A number and a choice, each with a passage or documents and a tempting answer."""
KINDS = (
    {"id": "sky", "kind": "boolean", "question": "Is the sky blue at noon?", "answer": "true"},
    {"id": "rook", "kind": "square", "question": "Where can the rook go?", "answer": "e4"},
    {"id": "third", "kind": "math", "question": "Which share of 12 is 4?", "answer": "1/3"},
    {"id": "free", "kind": "text", "question": "What is a debate for?", "answer": None},
)
SECRET = (
    {
        "id": "vault",
        "kind": "number",
        "question": "How many doors have 3 vaults of 4 doors?",
        "answer": "12",
        "secret": True,
    },
)
"""A question that is neither stored nor printed."""
MOTIONS = (
    {"id": "doors", "kind": "text", "question": "Museums should be free of charge."},
    {"id": "night", "kind": "text", "question": "Schools should begin at ten."},
)

SHARED: dict[str, Settings] = {
    "simple": {"style": "simple"},
    "concise, cold": {"style": "concise", "temperature": 0.0, "top_p": 0.9, "max_tokens": 80},
    "chat": {"style": "chat"},
    "agreement 20": {"agreement": 20},
    "agreement 90": {"agreement": 90},
    "wrong opening": {"opening": "control-wrong"},
    "right opening": {"opening": "control-right"},
    "tempting opening": {"opening": "control-tempting"},
    "far random opening": {"opening": "control-random", "distance": "far"},
    "percent": {"confidence": "percent"},
    "ten": {"confidence": "ten"},
    "unit": {"confidence": "unit"},
    "words": {"confidence": "words"},
    "consistency": {"confidence": "consistency", "more_draws": 2},
    "p-true": {"confidence": "p-true"},
    "logprobs": {"confidence": "logprobs"},
    "evidence": {"evidence": "question"},
    "evidence, ten passages": {"evidence": "question", "passages": 10},
    "seed and effort": {"seed": 7, "effort": "low"},
    "window": {"window": 700, "max_tokens": 100, "rounds": 4},
    "cast": {"agents": [{}, {"model": "golden/other", "style": "simple"}, {"temperature": 1.5}]},
}
"""Settings that every protocol shares, held on a society of minds."""
BALLOTS = {
    "approval": "approved",
    "borda": "ranking",
    "condorcet": "ranking",
    "cumulative": "points",
    "instant-runoff": "ranking",
    "schulze": "ranking",
    "scores": "scores",
    "votes": "vote",
}
RULES = {
    "fusion": {"confidence": "percent"},
    "weighted": {"confidence": "percent"},
    "seat-weights": {"decision": "seat-weights?accuracies=0.8,0.6,0.6"},
    "judge": {"judge": True},
}
"""What other decision rules need beside their name."""


def minds(**settings: Any) -> Settings:
    """Return settings of a society that has at least three rounds to show."""
    return {"rounds": 3, **settings}


STANCE = {"stance": "both"}
BRIEF = {"words": 300, "audience": "pupils", "tone": "dry", "language": "German"}
OUTLINE = {"outline": "1. Doors\n2. Guards"}

VARIANTS: dict[str, dict[str, Settings]] = {
    "adaptive-consistency": {"": {}, "most 9": {"most": 9, "sure": 0.9}, "batch": {"batch": 3}},
    "agenda-veto": {"": {}, "one veto": {"vetoes": 1, "agents": 4}},
    "agentverse": {"": {}, "three": {"experts": 3, "rounds": 3}},
    "agreement-gate": {
        "": {},
        "voters": {"voters": 2},
        "need two": {"need": 2, "stop": "consensus", "rounds": 3},
        "inner": {"inner": "free-mad", "agents": 2},
        "inner table": {"inner": {"protocol": "sparse-debate", "agents": 3}},
    },
    "americano": {
        "": {},
        "one round": {"feedback": 1},
        "brief": BRIEF,
        "support": {"stance": "support"},
    },
    "autogen": {"": {}},
    "ballot": {
        "": {},
        "alone": {"alone": True, "forms": "vote"},
        "blind": {"blind": True, "decision": "borda", "forms": "ranking, points"},
        "all forms": {"forms": "all", "decision": "scores", "rounds": 1},
    },
    "camel": {"": {}},
    "chateval": {
        "": {},
        "simultaneous": {"mode": "simultaneous"},
        "summary": {"mode": "simultaneous", "summary": True, "rounds": 3},
        "consensus": {"stop": "consensus", "rounds": 4},
    },
    "chateval-scored": {"": {}, "three": {"rounds": 3}},
    "community": {
        "": {},
        "system": {"placing": "system"},
        "free judge": {"free_judge": True, "rounds": 3, "stop": "consensus"},
    },
    "confidence-debate": {
        "": {},
        "shuffled": {"shuffled": True},
        "oracle": {"oracle": True, "factor": 2.0},
        "weighted": {"decision": "weighted"},
    },
    "confidence-gate": {
        "": {},
        "threshold": {"threshold": 0.7},
        "free-mad": {"inner": "free-mad", "agents": 2},
    },
    "consensus-talk": {"": {}, "four": {"agents": 4, "rounds": 3}},
    "consultancy": {"": {}, "primary": {"decides": "primary"}, "long": {"rounds": 4}},
    "council": {
        "": {},
        "no chair": {"chair": False, "shuffle": "none"},
        "binary": {"ruling": "binary", "shuffle": "once"},
        "tie-breaker": {"ruling": "tie-breaker", "rubric": True},
        "debate": {"mode": "debate", "names": True},
        "early": {"early": True, "shuffle": "none"},
    },
    "debate-match": {
        "": {},
        "short": {"phases": "opening, closing", "excludes_family": False},
        "swapped": {
            "swapped": True,
            "jurors": 1,
            "agents": [{"role": "con", "model": "golden/other"}],
        },
    },
    "debate-moderated": {
        "": {},
        "negative first": {"speaks_first": "negative", "shown_first": "negative"},
        "names": {"names_side": True, "swaps_labels": True},
        "personas": {"tells_personas": True, "rounds": 4},
    },
    "debate-to-write": {
        "": {},
        "single": {"dialogue": "single"},
        "plain": {"personas": False, "stance": "support", "strict": True},
        "both": {**BRIEF, **STANCE, "points": 3},
        "revise": {"revise": "Say it shorter.", "words": 300},
        "outline": {**OUTLINE, "team": 2, "rounds": 1, "pool": 4},
    },
    "diverse-methods": {
        "": {},
        "judge": {"judge": True, "rounds": 1},
        "two": {"cot": 2, "step_back": 0, "sub_questions": 1},
    },
    "diverse-start": {
        "": {},
        "five": {"candidates": 5},
        "one": {"candidates": 3, "agents": 2, "rounds": 3},
    },
    "document-debate": {
        "": {},
        "aggregate": {"shows": "aggregate"},
        "evidence": {"evidence": "question"},
        "shown": {"evidence": "question", "shows": "aggregate"},
    },
    "early-stopping-consistency": {"": {}, "three": {"window_size": 3, "windows": 3}},
    "ensemble-refinement": {
        "": {"reasonings": 2, "aggregations": 3},
        "summary": {"reasonings": 2, "aggregations": 2, "summarise_first": True, "style": "cot"},
    },
    "essay-direct": {"": {}, "outline": {**BRIEF, **STANCE, **OUTLINE}, "two": {"alternatives": 2}},
    "essay-plan": {
        "": {},
        "strict": {"strict": True, "stance": "support"},
        "outline": {**BRIEF, **STANCE, **OUTLINE},
        "points": {**STANCE, "points": 3},
    },
    "evidence-debate": {
        "": {},
        "evidence": {"evidence": "question"},
        "chooses": {"evidence": "question", "chooses": True, "asks_judge": True},
    },
    "exchange-of-thought": {
        "": {},
        "memory": {"topology": "memory", "stop": "consensus"},
        "report": {"topology": "report", "stop": "consensus"},
        "relay": {"topology": "relay", "stop": "similarity"},
        "review": {"topology": "memory", "stop": "similarity", "reply": "review"},
    },
    "exposure": {
        "": {},
        **{
            shows: {"shows": shows}
            for shows in (
                *("nothing", "tally", "stances", "vacuous"),
                *("foreign", "unrelated", "echo", "reasons"),
            )
        },
        "repeats": {"shows": "stances", "repeats": True},
        "one peer": {"peers": 1},
        "long": {"rounds": 3, "match_length": True},
    },
    "feature-gate": {
        "": {},
        "society": {"inner": {"protocol": "society-of-minds", "agents": 2}},
        "threshold": {"threshold": 0.5},
    },
    "free-mad": {"": {}, "long": {"rounds": 3}, "plurality": {"decision": "plurality"}},
    "group-debate": {"": {}, "one": {"groups": 1}, "stages": {"stages": 2, "stage_rounds": 2}},
    "hopfield": {
        "": {"agents": 2, "rounds": 1},
        "three": {"communities": 3, "agents": 1, "sweeps": 3},
    },
    "jury": {
        "": {},
        "binary": {"scale": "binary", "excludes_family": False},
        "text": {"text": "It is 41.", "jurors": 3},
    },
    "langgraph": {"": {}},
    "majority-lock": {"": {}, "follower": {"lock": "follower", "p": 0.5}, "long": {"rounds": 4}},
    "medprompt": {"": {"samples": 3}},
    "mixture-of-agents": {
        "": {},
        "two": {"layers": 2, "agents": 2},
        "steps": {"layers": 2, "steps": 2},
    },
    "multi-persona": {
        "": {},
        "agreement": {"replies": "agreement"},
        "shown": {"shown_first": "negative", "tells_personas": True},
        "swapped": {"swaps_labels": True, "speaks_first": "negative"},
        "percent": {"confidence": "percent"},
    },
    "multi-persona-proposals": {"": {}, "three": {"rounds": 3}},
    "network": {
        "": {"agents": 2, "rounds": 1},
        "feed-forward": {"graph": "feed-forward", "agents": 1, "rounds": 1},
        "cascade": {"graph": "cascade", "agents": 1, "rounds": 1},
        "system": {"placing": "system", "provenance": True, "agents": 1, "free_judge": True},
    },
    "oversight-consultancy": {
        "": {},
        "open": {"assigned": False, "best_of": 2, "rated_by": "draws", "draws": 2},
        "swapped": {"swapped": True, "asks": False},
    },
    "oversight-debate": {
        "": {},
        "questions": {"questions": True, "turns": "sequential"},
        "drafts": {"best_of": 2, "critiques": 1, "rounds": 1},
        "open": {"assigned": False, "letter": True},
    },
    "panel-review": {"": {}, "three": {"agents": 3, "most": 2}},
    "peer-review": {
        "": {"agents": 3, "top": 5},
        "single": {"agents": 3, "triples": False, "self_scores": False},
    },
    "planted-peers": {
        "": {},
        **{f"level {level}": {"level": level} for level in (0, 1, 2, 3)},
        "dissent": {"peers": 4, "dissenters": 1, "draws": True},
    },
    "reconcile": {
        "": {},
        "four": {"agents": 4, "rounds": 3},
        "plurality": {"decision": "plurality"},
    },
    "selective-debate": {"": {}, "two": {"groups": 2, "agents": 4}, "two words": {"similar": 0.5}},
    "self-consistency": {"": {}, "aggregate": {"aggregate": True, "samples": 3}},
    "self-correction": {"": {}, "critique": {"critique": True}, "two": {"agents": 2, "rounds": 3}},
    "single": {"": {}, "tries": {"tries": 3}, "spp": {"style": "spp"}},
    "society-of-minds": {
        "": {},
        "sequential": {"exchange": "sequential"},
        "last": {"memory": "last", "rounds": 3},
        "last, sequential": {"memory": "last", "exchange": "sequential", "rounds": 3},
        "summary": {"summary": True, "rounds": 3},
        "alone": {"agents": 1},
        "consensus": minds(stop="consensus"),
        "deadlock": minds(stop="deadlock", rounds=4),
        "exchange": minds(stop="exchange", rounds=4),
        "stability": minds(stop="stability", still=0.4, twice=2, rounds=5),
        "two stops": minds(stop="consensus, stability", twice=1, rounds=4),
        "one refuses": {},
        **SHARED,
    },
    "solo-performance": {"": {}, "expert": {"variant": "expert"}},
    "sparse-debate": {"": {}, "hub": {"hub": 1}, "degree": {"degree": 2, "agents": 5}},
    "tool-debate": {"": {}},
}
"""By protocol and variant; the first has no name and is the protocol with its defaults."""

WORKED = {
    "few-shot": ("society-of-minds", {"style": "few-shot", "shots": 2}),
    "few-shot, nearest": ("single", {"style": "few-shot-cot", "shots": 2, "choose": "nearest"}),
    "few-shot, message": ("single", {"style": "few-shot", "shots": 2, "shots_as": "message"}),
    "medprompt": ("medprompt", {"samples": 2}),
}
"""Variants that need a dataset with worked examples."""
BY_KIND = ("society-of-minds", "multi-persona", "council", "exposure", "ballot")
HIDDEN = ("society-of-minds", "exchange-of-thought")
TWICE = ("society-of-minds", "exposure", "council", "adaptive-consistency")
"""Protocols whose defaults are held twice, as replicates with other draws."""


def list_variants(rules: list[str]) -> Iterator[tuple[str, str, Settings, str, int]]:
    """Yield protocol, variant, settings, the questions it is held on, and the replicates."""
    for protocol, variants in VARIANTS.items():
        about = "motions" if protocol in ESSAYS else "questions"
        for variant, settings in variants.items():
            yield protocol, variant, settings, about, 1
    for rule in rules:
        settings = {"decision": rule, **RULES.get(rule, {})}
        if rule in BALLOTS:
            settings["forms"] = BALLOTS[rule]
        others = "diverse-methods" if rule == "judge" else "society-of-minds"
        protocol = "ballot" if rule in BALLOTS else others
        yield protocol, f"decision {rule}", settings, "questions", 1
    for protocol in BY_KIND:
        yield protocol, "every kind", {}, "kinds", 1
    for protocol in HIDDEN:
        yield protocol, "secret", {}, "secret", 1
    for protocol in TWICE:
        yield protocol, "twice", {}, "questions", 2
    for variant, (protocol, settings) in WORKED.items():
        yield protocol, f"worked: {variant}", settings, "arithmetic", 1


ESSAYS = {"americano", "debate-to-write", "essay-direct", "essay-plan", "debate-match"}
