"""What debates promise in which agents read some of the others, or how sure they are."""

from support.promises.controls import disagree
from support.promises.promise import MINDS, NOBODY, Promise, every, final

PROMISES = {
    "sparse-debate": Promise(
        settings={"agents": 5, "rounds": 2},
        replies=final("5", "4", "6", "4", "4", "4", "4", "4", "4", "5"),
        reads=every((1, 2, 3, 4, 5), NOBODY)
        | {6: {1, 2, 5}, 7: {1, 2, 3}, 8: {2, 3, 4}, 9: {3, 4, 5}, 10: {1, 4, 5}},
        grid={"agents": (3, 7), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        order_blind="",
    ),
    "sparse-debate:hub": Promise(
        fixed={"hub": 1},
        settings={"agents": 6, "rounds": 2},
        replies=final("5", "4", "6", "4", "4", "4", "4", "4", "4", "5", "4", "4"),
        reads=every((1, 2, 3, 4, 5, 6), NOBODY)
        | {7: {1, 2, 3, 4, 5, 6}, 8: {1, 2, 3}, 9: {1, 2, 3, 4}}
        | {10: {1, 3, 4, 5}, 11: {1, 4, 5, 6}, 12: {1, 5, 6}},
        grid={"agents": (3, 7), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
    ),
    "group-debate": Promise(
        settings={"agents": 4, "groups": 2, "stages": 2, "stage_rounds": 2},
        replies=(
            *final("5", "4", "6", "4", "4", "4", "4", "4"),
            *("They say 4.", "They say 4, too."),
            *final("4", "4", "4", "4", "4", "4", "4", "5"),
        ),
        reads=every((1, 2, 3, 4), NOBODY)
        | every((5, 6), {1, 2})
        | every((7, 8), {3, 4})
        | {9: {5, 6}, 10: {7, 8}}
        | {11: {1, 2, 5, 9, 10}, 12: {1, 2, 6, 9, 10}}
        | {13: {3, 4, 7, 9, 10}, 14: {3, 4, 8, 9, 10}}
        | {15: {1, 2, 5, 9, 10, 11, 12}, 16: {1, 2, 6, 9, 10, 11, 12}}
        | {17: {3, 4, 7, 9, 10, 13, 14}, 18: {3, 4, 8, 9, 10, 13, 14}},
        grid={"stages": (1, 3), "stage_rounds": (1, 3)},
        calls=lambda has, _: 6 * has["stages"] * has["stage_rounds"] + 2 * (has["stages"] - 1),
    ),
    "document-debate": Promise(
        settings={"rounds": 2},
        replies=(*final("5"), "All correct answers: [5; 4]\nFinal answer: 5", *final("4", "4")),
        reads=every((1, 3), NOBODY) | {2: {1}, 4: {3}},
        grid={"rounds": (1, 4)},
        calls=lambda has, _: min(has["rounds"] + 1, 3),
        exact=False,
    ),
    "document-debate: aggregate": Promise(
        fixed={"shows": "aggregate"},
        settings={"rounds": 2},
        replies=(*final("5"), "All correct answers: []", *final("4", "4")),
        reads={1: NOBODY, 2: {1}, 3: {2}, 4: {3}},
        calls=lambda *_: 3,
        exact=False,
    ),
    "evidence-debate": Promise(
        settings={"rounds": 2},
        replies=(*final("5", "4"), "[No]", *final("5", "4"), "no", *final("4")),
        reads=every((1, 2), NOBODY) | every((3, 4, 5), {1, 2}) | every((6, 7), {4, 5}),
        grid={"agents": (2, 4), "rounds": (1, 3)},
        calls=lambda has, ends: min(ends, has["rounds"]) * (has["agents"] + 1) + 1,
    ),
    "tool-debate": Promise(
        settings={"rounds": 2},
        replies=(
            *final("5", "4"),
            *('{"claims": 2, "supported": 2, "relevance": 1}', "I cannot say."),
            *final("5", "4"),
            *('{"claims": 2, "supported": 1, "relevance": 1}', '{"claims": 0}'),
            *final("4"),
        ),
        reads=every((1, 2), NOBODY)
        | {3: {1}, 4: {2}, 5: {2}, 6: {1}, 7: {5}, 8: {6}, 9: {1, 2, 5, 6}},
        grid={"rounds": (1, 3)},
        calls=lambda has, ends: 4 * min(ends, has["rounds"]) + (ends > has["rounds"]),
    ),
    "selective-debate": Promise(
        settings={"agents": 3, "rounds": 3},
        replies=final("4", "4", "5", "4", "4", "4"),
        reads=every((1, 2, 3), NOBODY) | {4: {1, 3}, 5: {2, 3}, 6: {1, 3}},
        grid={"agents": (1, 5), "rounds": (1, 4)},
        calls=lambda has, ends: (
            has["agents"] * (has["rounds"] if ends > 1 and has["agents"] > 1 else 1)
        ),
        speaks=disagree,
        exact=False,
    ),
    "selective-debate:groups": Promise(
        fixed={"agents": 4, "groups": 2},
        settings={"rounds": 2},
        replies=final("4", "4", "5", "6", "4", "4"),
        reads=every((1, 2, 3, 4), NOBODY) | every((5, 6), {3, 4}),
        grid={"groups": (1, 2)},
        calls=lambda _, ends: 4 if ends == 1 else 12,
        speaks=disagree,
        exact=False,
    ),
    "confidence-debate": Promise(
        settings={"agents": 3, "rounds": 2},
        replies=MINDS[:6],
        reads=every((1, 2, 3), NOBODY) | every((4, 5, 6), {1, 2, 3}),
        grid={"agents": (2, 5), "rounds": (1, 4)},
        calls=lambda has, _: has["agents"] * has["rounds"],
        order_blind="mind",
    ),
    "diverse-start": Promise(
        settings={"candidates": 5, "agents": 3, "rounds": 2},
        replies=final("4", "4", "4", "5", "6", "4", "5", "6"),
        reads=every((1, 2, 3, 4, 5), NOBODY) | every((6, 7, 8), {1, 4, 5}),
        grid={"candidates": (5, 8), "rounds": (1, 4)},
        calls=lambda has, _: has["candidates"] + 5 * (has["rounds"] - 1),
    ),
    "diverse-methods": Promise(
        settings={"rounds": 2},
        replies=(
            *("Final answer: 4", "It is about sums.", "2 is 2."),
            *final("5", "4", "4"),
            *("Sums are sums.", "1 and 1 are 2."),
            *final("4", "5"),
        ),
        reads={1: NOBODY, 2: NOBODY, 3: NOBODY, 4: {2}, 5: {3}}
        | {6: {1, 2, 4, 3, 5}, 7: {1, 2, 4, 3, 5}, 8: {1, 2, 3, 4, 5}}
        | {9: {1, 2, 3, 4, 5, 7}, 10: {1, 2, 3, 4, 5, 8}},
        grid={"cot": (1, 3), "step_back": (0, 2), "sub_questions": (0, 2), "rounds": (1, 3)},
        calls=lambda has, _: (
            (has["cot"] + 2 * has["step_back"] + 2 * has["sub_questions"]) * has["rounds"]
        ),
    ),
    "diverse-methods:judge": Promise(
        fixed={"judge": True, "rounds": 1},
        settings={"cot": 2, "step_back": 0, "sub_questions": 0},
        replies=(*final("4", "5"), '{"reason": "So.", "vote": "Solution 2"}'),
        reads={1: NOBODY, 2: NOBODY, 3: {1, 2}},
        grid={"cot": (1, 3)},
        calls=lambda has, _: has["cot"] + 4 + 1,
    ),
}
