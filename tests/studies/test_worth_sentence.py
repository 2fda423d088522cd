"""The sentence of a sequential study: one for each way in which it can end."""

import pytest

from moot.core.worth import AskedQuestions, Estimate, MethodVerdict, Rest, Statement, Unread
from moot.studies.worth_sentence import describe_statement


def method(arm, found, low, high, n=100, dataset="sums", **more):
    gap = Estimate(estimate=(low + high) / 2, low=low, high=high)
    fixed = {"won": 9, "lost": 4, "tied": n - 13, "unread": Unread(), "p": None, "margin": 0.05}
    return MethodVerdict(
        dataset=dataset,
        method=arm,
        arm=arm,
        class_=found,
        questions=n,
        difference=gap,
        **fixed | more,
    )


def say(*methods, stopped="settled", rest=None, unique=300):
    questions = AskedQuestions(unique=unique, given=unique)
    return describe_statement(
        Statement(sentence="", methods=methods, stopped=stopped, rest=rest, questions=questions)
    )


GAIN = method("debate", "better", 0.031, 0.21)
LOSS = method("council", "worse", -0.29, -0.012, 140)
EQUAL = method("talk", "equal", -0.04, 0.02, 900)
OPEN = method("jury", "open", -0.12, 0.004)


@pytest.mark.parametrize(
    ("methods", "given", "sentence"),
    [
        (
            (GAIN,),
            {},
            (
                "Yes: debate is right more often than a vote of as many tokens, by 3 to 21 points, "
                "after 100 questions."
            ),
        ),
        (
            (LOSS,),
            {},
            (
                "No: a vote of as many tokens is right more often than council, by 1 to 29 points, "
                "after 140 questions."
            ),
        ),
        (
            (EQUAL,),
            {},
            (
                "Equal: talk is right as often as a vote of as many tokens, give or take 5 points, "
                "after 900 questions."
            ),
        ),
        (
            (OPEN,),
            {"stopped": "cap", "rest": Rest(questions=600, cost=4.0)},
            (
                "Open: jury is between 12 points worse and 0.4 points better than a vote of as "
                "many tokens, after 100 questions, where the cap ended the study; 600 more "
                "questions at $4.00 would settle it with a chance of 80\u00a0%; only 300 are left "
                "here."
            ),
        ),
        (
            (OPEN,),
            {"stopped": "cap", "rest": Rest(questions=300)},
            (
                "Open: jury is between 12 points worse and 0.4 points better than a vote of as "
                "many tokens, after 100 questions, where the cap ended the study; 300 more "
                "questions would settle it with a chance of 80\u00a0%."
            ),
        ),
        (
            (OPEN,),
            {"stopped": "questions", "rest": Rest()},
            (
                "Open: jury is between 12 points worse and 0.4 points better than a vote of as "
                "many tokens, after all 300 questions, of which it won 9 and lost 4; more "
                "questions than one would pay for might not settle what is open."
            ),
        ),
        (
            (GAIN, LOSS, OPEN),
            {"stopped": None},
            (
                "Yes for 1 of 3 methods: debate is right more often than a vote of as many tokens, "
                "by 3 to 21 points, after 100 to 140 questions; the vote is right more often than "
                "council, by 1 to 29 points; jury is between 12 points worse and 0.4 points better "
                "than the vote."
            ),
        ),
        (
            (LOSS, method("jury", "worse", -0.2, -0.001, 80, "words")),
            {},
            (
                "No: a vote of as many tokens is right more often than council on sums (by 1 to 29 "
                "points) and jury on words (by up to 20 points), after 80 to 140 questions."
            ),
        ),
        (
            (method("x", "open", -1, 1, 0),),
            {"stopped": "cap"},
            "Open: no question has been compared yet; the cap ended the study.",
        ),
        (
            (method("x", "open", -1, 1, 0),),
            {"stopped": None},
            "Open: no question has been compared yet.",
        ),
    ],
)
def test_every_end_has_its_sentence(methods, given, sentence):
    assert say(*methods, **given) == sentence


def test_many_methods_are_counted_and_their_ranges_joined():
    methods = [method(f"m{k}", "worse", -0.3 + k / 100, -0.01 * (k + 1)) for k in range(5)]
    assert say(*methods) == (
        "No: a vote of as many tokens is right more often than 5 methods, by 1 to 30 points, "
        "after 100 questions."
    )
    assert "m1" not in say(*methods)


def test_a_method_that_ended_early_is_not_said_to_have_all_questions():
    early = method("council", "worse", -0.29, -0.012, 100)
    late = method("jury", "open", -0.12, 0.004, 150)
    sentence = say(early, late, stopped="questions", unique=150)
    assert "than council, by 1 to 29 points, after 100 to 150 questions; jury" in sentence
    both = say(late, late, stopped="questions", unique=150)
    assert "after all 150 questions" in both
