"""What debates before a judge promise that has not read the passage."""

from support.promises.promise import NOBODY, Promise

FIRST = "<thinking>Hm.</thinking><argument>It is so, <quote>for sure</quote>.</argument>"
ARGUED = (FIRST, "<argument>It is not.</argument>")


def decide(call, ends):
    """The judge votes for the side whose answer is 4."""
    if call.scene.step != "judge":
        return FIRST
    label = call.scene.labels[[*call.scene.others].index("4")]
    return f"So it is.\nVote: {label}"


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
        reads={1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}, 5: {1, 2, 3, 4}, 6: {1, 2, 4, 5}},
        grid={"rounds": (1, 3)},
        calls=lambda has, _: 3 * has["rounds"],
        speaks=decide,
    ),
    "oversight-consultancy": Promise(
        settings={"rounds": 2},
        replies=(FIRST, "Why is it so?", FIRST, "Vote: B"),
        reads={1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 3}},
        grid={"rounds": (0, 3)},
        calls=lambda has, _: max(2 * has["rounds"] - 1, 0) + 1,
        speaks=decide,
    ),
}
