"""What gates promise: who is asked first, and that nobody is asked twice."""

from support.promises.controls import ALL, disagree
from support.promises.promise import MINDS, NOBODY, Promise, ends_by_itself, every, final

SOCIETY = every((1, 2, 3), NOBODY) | ALL


def _needs_debate(has, ends):
    return ends > 1 and has["agents"] > 1


def critique(answer, draft="", chance=0.5, confidence=0.5):
    return (
        f'{{"reasoning": "So.", "draft": "{draft or answer}", "chance": {chance}, "objection": '
        f'"No.", "answer": "{answer}", "confidence": {confidence}}}'
    )


PROMISES = {
    "confidence-gate": Promise(  # without a threshold it always debates
        settings={"agents": 3, "rounds": 2},
        replies=MINDS[:6],
        reads=SOCIETY,
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        exact=False,
    ),
    "confidence-gate:free-mad": Promise(
        fixed={"inner": "free-mad"},
        settings={"agents": 2, "rounds": 2},
        replies=final("4", "5", "5", "5"),
        reads=every((1, 2), NOBODY) | every((3, 4), {1, 2}),
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        exact=False,
    ),
    "feature-gate": Promise(  # without a classifier it always debates
        settings={"rounds": 1},
        replies=(
            critique("4"),
            *final("5", "6"),
            '{"Whether there is a preference": "No"}',
            '{"Supported Side": "Negative", "Reason": "So.", "debate_answer": "6"}',
        ),
        reads={1: NOBODY, 2: NOBODY, 3: {2}, 4: {2, 3}, 5: {2, 3}},
        grid={"rounds": (1, 4)},
        calls=lambda has, ends: 1 + ends_by_itself(ends, has, 3, 1),
        exact=False,
    ),
    "feature-gate:society-of-minds": Promise(
        fixed={"inner": {"protocol": "society-of-minds", "agents": 2}},
        settings={"rounds": 2},
        replies=(critique("4"), *final("4", "5", "5", "5")),
        reads={1: NOBODY} | every((2, 3), NOBODY) | every((4, 5), {2, 3}),
        grid={"rounds": (1, 4)},
        calls=lambda has, _: 1 + 2 * has["rounds"],
        exact=False,
    ),
    "agreement-gate": Promise(
        settings={"agents": 3, "rounds": 2},
        replies=MINDS[:6],
        reads=SOCIETY,
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, ends: has["agents"] * (has["rounds"] if _needs_debate(has, ends) else 1),
        speaks=disagree,
        exact=False,
    ),
    "agreement-gate:voters": Promise(
        fixed={"voters": 2},
        settings={"agents": 2, "rounds": 2},
        replies=final("4", "5", "5", "4", "5", "5"),
        reads=every((1, 2, 5, 6), NOBODY) | every((3, 4), {1, 2}),
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, ends: (
            has["agents"] * has["rounds"] + 2 if _needs_debate(has, ends) else has["agents"]
        ),
        speaks=disagree,
        exact=False,
    ),
}
