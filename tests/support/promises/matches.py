"""What debates on motions promise, before jurors that judge apart."""

from support.promises.promise import NOBODY, Promise, every

RULING = '{"decisive": "It answered.", "winner": "A", "margin": 3}'
SPOKEN = tuple(f"Speech {number}." for number in range(1, 11))


def argue(call, ends):
    """Jurors find for the side for the motion."""
    scene = call.scene
    if scene.step != "judge":
        return f"{scene.agent} in part {scene.round}."
    label = scene.labels[[*scene.others].index("PRO")]
    return f'{{"winner": "{label}", "margin": 2}}'


PROMISES = {
    "debate-match": Promise(
        settings={"jurors": 3},
        replies=(*SPOKEN, RULING, "It was close.", '{"winner": "tie"}'),
        reads={
            1: NOBODY,
            **{turn: set(range(1, turn)) for turn in range(2, 11)},
            **every((11, 12, 13), set(range(1, 11))),
        },
        grid={"jurors": (1, 4)},
        calls=lambda has, _: 10 + has["jurors"],
        speaks=argue,
        exact=False,
        decides="PRO",
    ),
    "debate-match:short": Promise(
        fixed={"phases": "opening, closing", "excludes_family": False},
        settings={"jurors": 1},
        replies=(*SPOKEN[:4], RULING),
        reads={1: NOBODY, 2: {1}, 3: {1, 2}, 4: {1, 2, 3}, 5: {1, 2, 3, 4}},
        grid={"jurors": (1, 4)},
        calls=lambda has, _: 4 + has["jurors"],
        speaks=argue,
        decides="PRO",
    ),
}
