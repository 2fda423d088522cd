"""What debates before a judge promise that has not read the passage."""

from moot.core.calls import Reply
from support.promises.promise import NOBODY, Promise, every

FIRST = "<thinking>Hm.</thinking><argument>It is so, <quote>for sure</quote>.</argument>"
SURE = Reply(text="A", token_probability=0.8)
ARGUED = (FIRST, "<argument>It is not.</argument>")


def decide(call, ends):
    """The judge, and an advocate that may choose, vote for the side whose answer is 4."""
    if call.scene.step not in {"judge", "choose-side", "rate"}:
        return FIRST
    label = call.scene.labels[[*call.scene.others].index("4")]
    return label if call.scene.step == "rate" else f"So it is.\nVote: {label}"


def count_turn(has):
    """The calls of one argument: drafts, critiques, and what rates either."""
    drafts = has["best_of"] * (2 if has["critiques"] else 1)
    rated = [each for each in (drafts * (has["best_of"] > 1), has["critiques"]) if each > 1]
    return drafts + has["critiques"] + sum(rated)


PROMISES = {
    "oversight-debate": Promise(
        settings={"rounds": 2},
        replies=(*ARGUED, *ARGUED, "Vote: A"),
        reads={1: NOBODY, 2: NOBODY, 3: {1, 2}, 4: {1, 2}, 5: {1, 2, 3, 4}},
        grid={"rounds": (0, 3)},
        calls=lambda has, _: 2 * has["rounds"] + 1,
        speaks=decide,
    ),
    "oversight-debate:questions": Promise(
        fixed={"questions": True, "turns": "sequential"},
        settings={"rounds": 2},
        replies=(*ARGUED, "<question>Why?</question>", *ARGUED, "I cannot tell."),
        reads={1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}, 5: {1, 2, 3, 4}, 6: {1, 2, 3, 4, 5}},
        grid={"rounds": (1, 3)},
        calls=lambda has, _: 3 * has["rounds"],
        speaks=decide,
    ),
    "oversight-consultancy": Promise(
        settings={"rounds": 2},
        replies=(FIRST, "Why is it so?", FIRST, "Vote: B"),
        reads={1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}},
        grid={"rounds": (0, 3)},
        calls=lambda has, _: max(2 * has["rounds"] - 1, 0) + 1,
        speaks=decide,
    ),
    "oversight-debate:drafts": Promise(
        fixed={"best_of": 2, "critiques": 1},
        settings={"rounds": 1},
        # Drafts and their ratings, a critique for each, drafts anew and their ratings, the judge.
        replies=(*ARGUED, *ARGUED, *4 * (SURE,), "Poor.", "Weak.", *2 * ARGUED, *4 * (SURE,), "A"),
        reads=every(range(1, 5), NOBODY)
        | {5: {1}, 6: {2}, 7: {3}, 8: {4}}
        | {9: {1}, 10: {3}, 11: {1, 9}, 12: {1, 9}, 13: {3, 10}, 14: {3, 10}}
        | {15: {11}, 16: {12}, 17: {13}, 18: {14}, 19: {11, 13}},
        grid={"rounds": (0, 2), "best_of": (1, 2), "critiques": (0, 2)},
        calls=lambda has, _: 2 * has["rounds"] * count_turn(has) + 1,
        speaks=decide,
    ),
    "oversight-debate:open, letter": Promise(
        fixed={"assigned": False, "letter": True},
        settings={"rounds": 1},
        replies=("Vote: B", *ARGUED, SURE),
        reads={1: NOBODY, 2: NOBODY, 3: NOBODY, 4: {2, 3}},
        grid={"rounds": (0, 3)},
        calls=lambda has, _: 2 * has["rounds"] + (2 if has["rounds"] else 1),
        speaks=decide,
    ),
    "oversight-consultancy:open": Promise(
        fixed={"assigned": False, "best_of": 2, "rated_by": "draws"},
        settings={"rounds": 1},
        replies=("Vote: A", *ARGUED, *8 * ("B",), "Vote: B"),
        reads={1: NOBODY, 2: NOBODY, 3: NOBODY}
        | every(range(4, 8), {2})
        | every(range(8, 12), {3})
        | {12: {2}},
        grid={"rounds": (0, 2)},
        calls=lambda has, _: (
            (2 + 8) * has["rounds"] + (has["rounds"] - 1) + 2 if has["rounds"] else 1
        ),
        speaks=decide,
    ),
}
