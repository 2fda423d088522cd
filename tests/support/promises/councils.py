"""What councils and juries promise."""

from support.promises.promise import NOBODY, Promise, every, final

JSON = '{"ranking": ["Response A", "Response B", "Response C"], "scores": {"Response A": 9}}'
HELD = every((1, 2, 3), NOBODY) | every((4, 5, 6), {1, 2, 3})
REVIEWS = (
    f"A is best.\n{JSON}",
    "I would rather not.",
    "FINAL RANKING:\n1. Response B\n2. Response A",
)


PROMISES = {
    "council": Promise(
        settings={"agents": 3},
        replies=(*final("4", "5", "4"), *REVIEWS, *final("4")),
        reads=HELD | {7: set(range(1, 7))},
        grid={"agents": (2, 6)},
        calls=lambda has, _: 2 * has["agents"] + 1,
    ),
    "council:no-chair": Promise(
        fixed={"chair": False, "shuffle": "none"},
        settings={"agents": 3},
        replies=(*final("4", "5", "4"), *REVIEWS),
        reads=HELD,
        grid={"agents": (2, 6)},
        calls=lambda has, _: 2 * has["agents"],
    ),
    "council:binary": Promise(
        fixed={"ruling": "binary", "shuffle": "once"},
        settings={"agents": 3},
        replies=(
            *final("4", "5", "4"),
            *REVIEWS,
            '{"verdict": "approved", "confidence": 0.9, "rationale": "It adds up."}',
        ),
        reads=HELD | {7: set(range(1, 7))},
        grid={"agents": (2, 6)},
        calls=lambda has, _: 2 * has["agents"] + 1,
    ),
    "council:early": Promise(
        fixed={"early": True, "shuffle": "none"},
        settings={"agents": 3},
        replies=(*final("4", "5", "4"), *REVIEWS, *final("4")),
        reads=HELD | {7: set(range(1, 7))},
        grid={"agents": (2, 3)},
        calls=lambda has, _: 2 * has["agents"] + 1,
        exact=False,
    ),
}
