"""Replies on the way to an essay as rehearsals word them, where nobody writes one."""

import msgspec

_PEOPLE = [
    {"agent_id": place, "description": f"{who} of the town", "claim": f"It is hard on {whom}."}
    for place, (who, whom) in enumerate(
        [
            ("A nurse", "the sick"),
            ("A teacher", "pupils"),
            ("A farmer", "the land"),
            ("A baker", "shops"),
        ],
        1,
    )
]


def word_personas(answer: str, reason: str, decides: bool) -> str:  # noqa: ARG001, FBT001 -- as every form
    """Return a pool of personas."""
    return msgspec.json.encode({"personas": _PEOPLE}).decode()


def word_selection(answer: str, reason: str, decides: bool) -> str:  # noqa: ARG001, FBT001 -- as every form
    """Return a team."""
    team = [{**each, "reason": reason} for each in _PEOPLE]
    return msgspec.json.encode({"team": team}).decode()


def word_discussion(answer: str, reason: str, decides: bool) -> str:  # noqa: ARG001, FBT001 -- as every form
    """Return a contribution of a member."""
    return f"{reason}\nSatisfied: {'yes' if decides else 'no'}"


def word_challenge(answer: str, reason: str, decides: bool) -> str:  # noqa: ARG001, FBT001 -- as every form
    """Return a contribution of the critic."""
    return f"{reason}\nPersuaded: {'yes' if decides else 'no'}"


def word_dialogue(answer: str, reason: str, decides: bool) -> str:  # noqa: ARG001, FBT001 -- as every form
    """Return a discussion that one agent plays."""
    return f"Agent A: {reason}\nCritic: I have mine."


def word_plan(answer: str, reason: str, decides: bool) -> str:  # noqa: ARG001, FBT001 -- as every form
    """Return a plan."""
    return f"1. {reason}\n- Nobody has a better one."


def word_essay(answer: str, reason: str, decides: bool) -> str:  # noqa: ARG001, FBT001 -- as every form
    """Return an essay: the answer alone."""
    return answer
