"""What the controls of debate, and the cheap baselines, promise."""

from moot.core.calls import Call
from support.promises.promise import MINDS, NOBODY, Promise, every, final


def disagree(call: Call, ends: int) -> str:
    """Answers that are never alike, unless they are from the first round on."""
    return f"Final answer: {4 if ends == 1 else 100 * call.scene.round + call.draw.seat}"


ALONE = {4: {1}, 5: {2}, 6: {3}}
SHOWN = {"nothing": ALONE, "echo": ALONE}
ALL = every((4, 5, 6), {1, 2, 3})


def _expose(shows: str) -> Promise:
    return Promise(
        fixed={"shows": shows},
        settings={"agents": 3, "rounds": 2},
        replies=MINDS[:6],
        reads=every((1, 2, 3), NOBODY) | SHOWN.get(shows, ALL),
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        order_blind="mind" if shows in {"nothing", "tally", "stances", "reasons"} else "",
        exact=shows not in {"foreign", "unrelated"},  # a debate of its own has no neighbour
    )


def _talk(has, ends: int) -> int:
    """Calls of agents that agree in the first round, with the second message of three, or never."""
    return has["agents"] // 2 + 1 if ends == 1 else has["agents"] * has["rounds"]


PROMISES = {
    "exposure": Promise(
        settings={"agents": 3, "rounds": 3},
        replies=MINDS,
        reads={
            **every((1, 2, 3), NOBODY),
            **ALL,
            **every((7, 8, 9), set(range(1, 7))),
        },
        grid={"agents": (1, 7), "rounds": (1, 5)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        order_blind="mind",
    ),
    **{
        f"exposure:{shows}": _expose(shows)
        for shows in ("nothing", "tally", "stances", "vacuous", "foreign", "unrelated", "echo")
    },
    "exposure:twice": Promise(
        fixed={"shows": "stances", "repeats": True},
        settings={"agents": 2, "rounds": 2},
        replies=final("4", "5", "5", "5", "4", "5"),
        reads=every((1, 2), NOBODY) | every((3, 4, 5, 6), {1, 2}),
        grid={"agents": (1, 4), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * (2 * has["rounds"] - 1),
    ),
    "exposure:peers": Promise(
        fixed={"peers": 1},
        settings={"agents": 3, "rounds": 2},
        replies=MINDS[:6],
        reads=every((1, 2, 3), NOBODY) | {4: {1, 2}, 5: {2, 3}, 6: {3, 1}},
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
    ),
    "self-correction": Promise(
        settings={"agents": 3, "rounds": 2},
        replies=MINDS[:6],
        reads=every((1, 2, 3), NOBODY) | ALONE,
        grid={"agents": (1, 5), "rounds": (2, 5)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        order_blind="mind",
    ),
    "self-correction:critique": Promise(
        fixed={"critique": True},
        settings={"agents": 1, "rounds": 3},
        replies=(
            "Final answer: 5",
            "The sum is wrong: Final answer: 7",
            "Final answer: 4",
            "Nothing is wrong.",
            "Final answer: 4",
        ),
        reads={1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}, 5: {1, 2, 3, 4}},
        grid={"agents": (1, 4), "rounds": (2, 4)},
        calls=lambda has, _: has["agents"] * (2 * has["rounds"] - 1),
    ),
    "planted-peers": Promise(
        settings={"peers": 3},
        replies=MINDS[:2],
        reads={1: NOBODY, 2: {1}},
        grid={"peers": (1, 5)},
        calls=lambda _has, _: 2,
    ),
    "planted-peers:argued": Promise(
        fixed={"level": 3},
        settings={"peers": 2},
        replies=("Final answer: 4", "It is so.", "It is so.", "Final answer: 5"),
        reads={1: NOBODY, 2: NOBODY, 3: NOBODY, 4: {1, 2, 3}},
        grid={"peers": (1, 5)},
        calls=lambda has, _: 2 + has["peers"],
    ),
    "majority-lock": Promise(
        settings={"agents": 3, "rounds": 3},
        replies=final("4", "4", "5", "6", "4"),
        reads={**every((1, 2, 3), NOBODY), 4: {1, 2, 3}, 5: {1, 2, 3, 4}},
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, ends: (
            has["agents"] + (ends > 1) * (has["agents"] - 1) * (has["rounds"] - 1)
        ),
        speaks=disagree,
        exact=False,
    ),
    "majority-lock:follower": Promise(
        fixed={"lock": "follower", "p": 0.0},
        settings={"agents": 2, "rounds": 2},
        replies=final("4", "5", "4", "4"),
        reads=every((1, 2), NOBODY) | every((3, 4), {1, 2}),
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        exact=False,
    ),
    "adaptive-consistency": Promise(
        settings={"most": 9},
        replies=final("4", "4", "4", "4"),
        reads=every((1, 2, 3, 4), NOBODY),
        grid={"most": (1, 12)},
        calls=lambda has, _: min(4, has["most"]),
        exact=False,
    ),
    "early-stopping-consistency": Promise(
        settings={"window_size": 3, "windows": 3},
        replies=final("4", "4", "6", "4", "4", "6", "5", "5", "5"),
        reads=every(range(1, 10), NOBODY),
        grid={"window_size": (2, 5), "windows": (1, 4)},
        calls=lambda has, ends: has["window_size"] * (has["windows"] if ends > 1 else 1),
        ends="windows",
        speaks=disagree,
    ),
    "consensus-talk": Promise(
        settings={"agents": 3, "rounds": 2},
        replies=final("4", "5", "6", "5", "6", "6"),
        reads={1: NOBODY} | {turn: set(range(1, turn)) for turn in range(2, 7)},
        grid={"agents": (2, 5), "rounds": (1, 4)},
        calls=_talk,
        speaks=disagree,
        exact=False,
    ),
    "free-mad": Promise(
        settings={"agents": 3, "rounds": 2},
        replies=final("4", "4", "5", "4", "5", "5"),
        reads=every((1, 2, 3), NOBODY) | ALL,
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
    ),
}
