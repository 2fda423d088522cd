"""What councils and juries promise."""

from moot.core.calls import Call
from support.promises.promise import MINDS, NOBODY, Promise, every, final, up_to

JSON = '{"ranking": ["Response A", "Response B", "Response C"], "scores": {"Response A": 9}}'
HELD = every((1, 2, 3), NOBODY) | every((4, 5, 6), {1, 2, 3})
REVIEWS = (
    f"A is best.\n{JSON}",
    "I would rather not.",
    "FINAL RANKING:\n1. Response B\n2. Response A",
)


BALLOT = '{"vote": "B", "ranking": ["B", "A"], "points": {"A": 3, "B": 7}, "scores": {"A": 6}}'
BALLOTS = (BALLOT, "I would rather not.", "I weighed both.\nVote: A")
GRADE = '{"grades": {"correctness": 4, "completeness": 3, "clarity": 5}}'
APPROVES = '{"verdict": "approved", "confidence": 0.9, "rationale": "So it is."}'
VETOES = '{"verdict": "rejected", "confidence": 0.6, "rationale": "It is not so."}'
SCORES = '{"scores": {"Response 1": 4, "Response 2": 3, "Response 3": 1}}'


def state(answer: str, confidence: float) -> str:
    return f'{{"reasoning": "So.", "answer": "{answer}", "confidence_level": {confidence}}}'


def confer(call: Call, ends: int) -> str:
    """Answers that are never alike until a round."""
    scene = call.scene
    return state("4" if scene.round >= ends else f"{100 * scene.round + call.draw.seat}", 0.5)


def find(answer: str, *found: str) -> str:
    listed = ", ".join(f'{{"severity": "low", "where": "", "what": "{what}"}}' for what in found)
    return f'{{"findings": [{listed}], "answer": "{answer}"}}'


def vote(answer: str) -> str:
    return f'{{"votes": [{{"finding": "F1", "vote": "agree"}}], "answer": "{answer}"}}'


def review_text(call: Call, ends: int) -> str:
    """Findings, then votes on them."""
    return find("4", "It is too short.") if call.scene.step == "read" else vote("4")


PROMISES = {
    "ballot": Promise(
        settings={"agents": 3, "rounds": 2},
        replies=(*final("4", "4", "5", "4", "5", "5"), *BALLOTS),
        reads={
            **HELD,
            7: {1, 2, 3, 4, 5},
            8: {1, 2, 3, 4, 5},
            9: {1, 2, 3, 4, 5, 6},
        },
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"] + has["agents"],
        exact=False,
    ),
    "ballot:alone": Promise(
        fixed={"alone": True, "forms": "vote"},
        settings={"agents": 3},
        replies=(*final("4", "4", "5"), *BALLOTS),
        reads=every((1, 2, 3), NOBODY) | {4: {1, 3}, 5: {1, 2, 3}, 6: {1, 3}},
        grid={"agents": (1, 5)},
        calls=lambda has, _: 2 * has["agents"],
        exact=False,
    ),
    "ballot:blind": Promise(
        fixed={"blind": True, "decision": "borda", "forms": "ranking, points"},
        settings={"agents": 3, "rounds": 2},
        replies=(*final("4", "4", "5", "4", "5", "5"), *BALLOTS),
        reads={
            **HELD,
            7: {1, 2, 3, 4, 5},
            8: {1, 2, 3, 4, 5},
            9: {1, 2, 3, 4, 5, 6},
        },
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"] + has["agents"],
        exact=False,
    ),
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
    "jury": Promise(
        settings={"agents": 2, "jurors": 2},
        replies=(*final("4", "5"), *[GRADE] * 3, "It is fine."),
        reads={**every((1, 2), NOBODY), **every((3, 4), {1}), **every((5, 6), {2})},
        grid={"agents": (1, 4), "jurors": (1, 4)},
        calls=lambda has, _: has["agents"] * (1 + has["jurors"]),
        exact=False,
    ),
    "jury:binary": Promise(
        fixed={"scale": "binary", "excludes_family": False},
        settings={"agents": 1, "jurors": 3},
        replies=(
            *final("4"),
            '{"verdict": "right"}',
            'No.\n{"verdict": "wrong"}',
            '{"verdict": "right"}',
        ),
        reads={1: NOBODY, **every((2, 3, 4), {1})},
        grid={"agents": (1, 4), "jurors": (1, 4)},
        calls=lambda has, _: has["agents"] * (1 + has["jurors"]),
    ),
    "panel-review": Promise(
        settings={"agents": 2},
        replies=(find("4", "It is too short."), "I see nothing.", vote("4"), vote("5")),
        reads={1: NOBODY, 2: NOBODY, **every((3, 4), {1})},
        grid={"agents": (1, 5)},
        calls=lambda has, _: 2 * has["agents"],
        speaks=review_text,
        exact=False,
    ),
    "jury:text": Promise(
        fixed={"text": "Final answer: 4"},
        settings={"jurors": 3},
        replies=(*[GRADE] * 2, "It is fine."),
        reads=every((1, 2, 3), NOBODY),
        grid={"jurors": (1, 4)},
        calls=lambda has, _: has["jurors"],
    ),
    "reconcile": Promise(
        settings={"agents": 3, "rounds": 2},
        replies=(state("4", 0.9), state("5", 0.7), "I am lost.", *[state("4", 0.8)] * 3),
        reads=every((1, 2, 3), NOBODY) | every((4, 5, 6), {1, 2, 3}),
        grid={"agents": (2, 5), "rounds": (1, 4)},
        calls=lambda has, ends: has["agents"] * up_to(ends, has),
        speaks=confer,
    ),
    "mixture-of-agents": Promise(
        settings={"agents": 3, "layers": 3},
        replies=(*MINDS[:6], *final("4")),
        reads=every((1, 2, 3), NOBODY) | every((4, 5, 6), {1, 2, 3}) | {7: {4, 5, 6}},
        grid={"agents": (1, 5), "layers": (2, 4)},
        calls=lambda has, _: has["agents"] * (has["layers"] - 1) + 1,
    ),
    "mixture-of-agents:steps": Promise(
        fixed={"layers": 2, "steps": 2},
        settings={"agents": 5},
        replies=final("4", "5", "4", "6", "4", "5", "4"),
        reads=every((1, 2, 3, 4, 5), NOBODY) | {6: {1, 2, 3}, 7: {4, 5, 6}},
        grid={"agents": (3, 6)},
        calls=lambda has, _: has["agents"] + 2,
    ),
    "agenda-veto": Promise(
        settings={"agents": 3},
        replies=(*final("4", "5", "4", "5"), APPROVES, VETOES, "I would rather not."),
        reads=every((1, 2, 3), NOBODY) | every((4,), {1, 2, 3}) | every((5, 6, 7), {1, 2, 3, 4}),
        grid={"agents": (1, 6)},
        calls=lambda has, _: 2 * has["agents"] + 1,
    ),
    "agenda-veto:one": Promise(
        fixed={"vetoes": 1},
        settings={"agents": 2},
        replies=(*final("4", "5", "5"), APPROVES, VETOES),
        reads=every((1, 2), NOBODY) | {3: {1, 2}} | every((4, 5), {1, 2, 3}),
        grid={"agents": (1, 6)},
        calls=lambda has, _: 2 * has["agents"] + 1,
    ),
    "peer-review": Promise(
        settings={"agents": 3, "top": 5},
        replies=(*final("4", "5", "4"), *[SCORES] * 17, "I would rather not."),
        reads=every((1, 2, 3), NOBODY) | every(range(4, 22), {1, 2, 3}),
        grid={"agents": (3, 5)},
        calls=lambda has, _: has["agents"] + 2 * has["agents"] ** 2,
    ),
    "peer-review:single": Promise(
        fixed={"triples": False, "self_scores": False},
        settings={"agents": 3},
        replies=(*final("4", "5", "4"), *['{"scores": {"Response 1": 4}}'] * 9),
        reads=every((1, 2, 3), NOBODY) | {turn: {1 + (turn - 4) % 3} for turn in range(4, 13)},
        grid={"agents": (3, 5)},
        calls=lambda has, _: has["agents"] + has["agents"] ** 2,
    ),
}
