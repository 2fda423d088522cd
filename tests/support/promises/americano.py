"""What AMERICANO promises."""

from support.promises.promise import NOBODY, Promise, final

PROMISES = {
    "americano": Promise(
        replies=(
            *("A claim.", "Too broad.", "A narrower claim."),
            *("Two reasons.", "They say: but.", "One is weak.", "Fair."),
            *("Two better reasons.", "They say: but still."),
            *final("5"),
            "It ends too soon.",
            *final("4"),
        ),
        reads={
            1: NOBODY,
            2: {1},
            3: {1, 2},
            4: {3},
            5: {3},
            6: {3, 4},
            7: {3, 5},
            8: {3, 4, 6},
            9: {3, 5, 7},
            10: {3, 8, 9},
            11: {10},
            12: {3, 8, 9, 10, 11},
        },
        grid={"feedback": (0, 3)},
        calls=lambda has, _: 4 + 8 * has["feedback"],
    ),
    "americano:support": Promise(
        fixed={"stance": "support", "feedback": 0},
        replies=("A claim.", "Two reasons.", "They say: but.", *final("4")),
        reads={1: NOBODY, 2: {1}, 3: {1}, 4: {1, 2, 3}},
        calls=lambda _, __: 4,
    ),
}
