"""What communities, and networks of them, promise."""

from moot.core.calls import Call
from support.debates import says
from support.promises.promise import NOBODY, Promise, Settings, final

NOTHING: Settings = {}
SMALL = {"agents": 2, "rounds": 1}
COMMUNITY = {1: NOBODY, 2: {1}, 3: {1, 2}}


def communities(*given: set[int]) -> dict[int, set[int]]:
    """Who reads whom in communities of two, a judge and one round, one after the other.

    What came in from other nodes is for members; their judge reads their last replies alone.
    """
    return {
        3 * place + turn: {3 * place + one for one in reads} | (nodes if turn < 3 else set())
        for place, nodes in enumerate(given)
        for turn, reads in COMMUNITY.items()
    }


def network(
    replies: str,
    reads: dict[int, set[int]],
    *,
    fixed: Settings,
    settings: Settings = NOTHING,
    agents: int = 3,
) -> Promise:
    """Communities of two in one round, by who reads whom; the last turn is the judge of all's."""
    nodes = len(reads) // 3
    return Promise(
        fixed=fixed,
        settings=settings,
        replies=final(*replies, "4"),
        reads=reads,
        grid={"agents": (1, agents), "rounds": (1, 2)},
        calls=lambda has, _: nodes * (has["agents"] * has["rounds"] + 1) + 1,
    )


def by_sweep(call: Call, ends: int) -> str:
    """Nodes that differ until a sweep."""
    node, _, sweep = call.scene.agent.partition("/")[0].partition(".")
    return says(call, answer="4" if int(sweep or 1) >= ends else node.removeprefix("C") + "0")


PROMISES = {
    "community": Promise(
        settings={"agents": 2, "rounds": 2},
        replies=final("5", "4", "4", "4", "4"),
        reads={**{turn: set(range(1, turn)) for turn in range(1, 5)}, 5: {3, 4}},
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"] + 1,
    ),
    "network": network(
        "444555666777",
        communities(NOBODY, NOBODY, {6}, {9}) | {13: {3, 12}},
        fixed=SMALL,
    ),
    "network:feed-forward": network(
        "444555666777444444",
        communities(*[NOBODY] * 3, *[{3, 6, 9}] * 3) | {19: {12, 15, 18}},
        fixed={"graph": "feed-forward"},
        settings=SMALL,
    ),
    "network:cascade": network(
        "444" * 9,
        communities(*[NOBODY] * 4, {3, 6}, {6, 9}, {9, 12}, {15, 18}, {18, 21}) | {28: {24, 27}},
        fixed={"graph": "cascade"},
        settings=SMALL,
        agents=2,
    ),
    "hopfield": Promise(
        fixed={"agents": 2, "rounds": 1, "communities": 2},
        replies=final(*"444555", *"444444", *"999999"),
        reads=communities(set(), set(), {6}, {3}),
        grid={"agents": (1, 2), "rounds": (1, 2), "communities": (2, 3), "sweeps": (1, 3)},
        calls=lambda has, ends: (
            min(ends, has["sweeps"]) * has["communities"] * (has["agents"] * has["rounds"] + 1)
        ),
        ends="sweeps",
        speaks=by_sweep,
    ),
}
