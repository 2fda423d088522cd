"""What a server says that answers in the form a prompt asks for, and never ends a debate early.

Each reply is made from the request alone. Its words and its answer are of its own, so that no two
agents agree and none repeats itself; judges and their like leave the debate open wherever they may.
"""

import json
from hashlib import blake2b
from typing import Any

OPEN: dict[str, Any] = {
    "Whether there is a preference": "No",
    "Supported Side": "",
    "Do you find the final answer provided by the assistant accurate and satisfactory?": "No",
    "Correctness": 0,
    "experts": [f"A {what} of the subject" for what in ("teacher", "critic", "student", "writer")],
    "personas": [
        {
            "agent_id": number,
            "description": f"Somebody from place {number}",
            "claim": f"It is {number}.",
        }
        for number in range(1, 9)
    ],
    "findings": [{"severity": "low", "where": "", "what": "It is too short."}],
    "team": [{"agent_id": number, "reason": "A view of its own."} for number in (1, 3, 5)],
}
"""What stands under a key of JSON that leaves the debate open; under any other, the answer does."""

CONTINUE = "Decision: Continue debate."


def in_form(body: bytes) -> str:
    """The reply to a request: the JSON of its schema, a judge's decision to go on, or an answer."""
    asked = json.loads(body)
    words = blake2b(body, digest_size=12).hexdigest()
    answer = str(int(words[:8], 16))
    if form := asked.get("response_format"):
        keys = form["json_schema"]["schema"]["properties"]
        reply = {key: OPEN.get(key, answer) for key in keys}
        if "Whether there is a preference" in keys:
            reply["debate_answer"] = ""
        return json.dumps(reply)
    prompt = asked["messages"][-1]["content"]
    if CONTINUE in prompt:
        return f"{words}\n{CONTINUE}"
    scores = "\nScores: Agent Critic: 5" if "Scores: Round" in prompt else ""
    return f"{words}\nFinal answer: {answer}{scores}"
