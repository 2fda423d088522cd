import pytest

from moot.answers.extract import extract
from moot.core.questions import Kind, Question

ANIMALS = ("shark", "dolphin", "eagle", "frog")


def ask(kind: Kind, text: str = "What follows?", choices: tuple[str, ...] = ()) -> Question:
    return Question(id="q", kind=kind, text=text, choices=choices)


NUMBER = ask("number")
SUM = ask("number", "What is 3 + 4 * 2?")
SQUARE = ask("square", "A knight stands on g1. To which square can it move?")
CLAIM = ask("boolean", "True or false: A whale is a fish.")
MOON = ask("boolean", "Is the Moon bigger than the Earth?")
CHOICE = ask("choice", "Which of these is a mammal?", ANIMALS)
NUMBERS = ask("choice", "Which is the largest number?", ("12", "21", "7"))
TEXT = ask("text", "Name the capital of France.")

STATED = [
    ("Final answer: 1,234", NUMBER, "1234"),
    ("**Final answer:** 12", NUMBER, "12"),
    ("**Final answer: 12**", NUMBER, "12"),
    ("### Final answer\n\n12", NUMBER, "12"),
    ("Final answer:\n\n12", NUMBER, "12"),
    ("Final Answer: $18.00.", NUMBER, "18"),
    ("The final answer is 42%", NUMBER, "42"),
    ("The answer is: -3", NUMBER, "-3"),
    ("Final answer: −3", NUMBER, "-3"),
    ("Final answer: -$3.50", NUMBER, "-3.5"),
    ("Final answer: 1e3", NUMBER, "1000"),
    ("Final answer: 1.5e-3", NUMBER, "0.0015"),
    ("The answer is 3 × 10^5.", NUMBER, "300000"),
    ("Final answer: 3*10^5 metres", NUMBER, "300000"),
    ("Final answer: -1.5 x 10⁻²", NUMBER, "-0.015"),
    (r"\boxed{3 \times 10^{5}}", NUMBER, "300000"),
    ("The answer is 5 * 10^2 = 500.", NUMBER, "500"),
    ("Final answer: 3 × 10^5 + 2", NUMBER, None),
    ("Final answer: 2 * 3 * 10^5", NUMBER, None),
    ("Final answer: 5 m²", NUMBER, "5"),
    ("Final answer: 3/4", NUMBER, "3/4"),
    ("Final answer: 1 1/2 cups", NUMBER, "1.5"),
    ("Final answer: ½", NUMBER, "1/2"),
    ("Final answer: 1/0", NUMBER, None),
    ("Final answer: three", NUMBER, "3"),
    ("Final answer: Twenty-one apples", NUMBER, "21"),
    ("Final answer: １２", NUMBER, "12"),
    ("Final answer: 1\u202f234", NUMBER, "1234"),
    ("Final answer: 007", NUMBER, "7"),
    ("Final answer: 0.50", NUMBER, "0.5"),
    ("Final answer: .5", NUMBER, "0.5"),
    ("Final answer: 12 miles per hour for 3 hours", NUMBER, "12"),
    ("Final answer: 3 + 4 = 7", NUMBER, "7"),
    ("Final answer: 3 + 4", NUMBER, None),
    ("Final answer: 5 or 6", NUMBER, None),
    ("Final answer: between 5 and 6", NUMBER, None),
    (r"\boxed{42}", NUMBER, "42"),
    (r"So we get \[ \boxed{\frac{3}{4}} \]", NUMBER, "3/4"),
    (r"$\boxed{\text{7 apples}}$", NUMBER, "7"),
    (r"$\boxed{1{,}000}$", NUMBER, "1000"),
    ("5 + 6 = 11\n#### 11", NUMBER, "11"),
    ("#### Step 1: add 3 and 4", NUMBER, None),
    ("She has 3 apples and 4 pears.\nAnswer: 7", NUMBER, "7"),
    ("If she sells 9 eggs at $2 each, the answer is $18.", NUMBER, "18"),
    ("Final answer: (B)", CHOICE, "B"),
    ("Final answer: B.", CHOICE, "B"),
    ("Final answer: **B**", CHOICE, "B"),
    ("Final answer: b", CHOICE, "B"),
    ("Final answer: option B", CHOICE, "B"),
    ("Final answer: Option (B), dolphin", CHOICE, "B"),
    ("Final answer: B) dolphin", CHOICE, "B"),
    ("Final answer: dolphin", CHOICE, "B"),
    ("Final answer: the dolphin.", CHOICE, "B"),
    (r"\boxed{dolphin}", CHOICE, "B"),
    (r"\boxed{\text{(B)}}", CHOICE, "B"),
    (r"\boxed{21}", NUMBERS, "B"),
    ("The answer is 21.", NUMBERS, "B"),
    ("The correct answer is option B: dolphin.", CHOICE, "B"),
    ("The correct option is D.", CHOICE, "D"),
    ("The answer is a dolphin.", CHOICE, "B"),
    ("The answer is A dolphin.", CHOICE, "B"),
    ("The answer is A.", CHOICE, "A"),
    ("The answer is A because sharks are mammals.", CHOICE, "A"),
    ("Final answer: E", CHOICE, None),
    ("Final answer: A or B", CHOICE, None),
    ("Final answer: A and C", CHOICE, None),
    ("Final answer: shark or dolphin", CHOICE, None),
    ("Final answer: not shark", CHOICE, None),
    ("I choose B because dolphins breathe air.", CHOICE, "B"),
    ("I am sure that it is B.", CHOICE, "B"),
    ("B is the correct answer.", CHOICE, "B"),
    ("After all of this, option C is correct.", CHOICE, "C"),
    ("After all of this, option b is right.", CHOICE, "B"),
    ("Final answer: e5", SQUARE, "e5"),
    ("Final answer: E5", SQUARE, "e5"),
    ("Final answer: (e5)", SQUARE, "e5"),
    ("Final answer: e2e5", SQUARE, "e5"),
    ("Final answer: e2-e4", SQUARE, "e4"),
    ("Final answer: e2 to e4", SQUARE, "e4"),
    ("Final answer: e7e8q", SQUARE, "e8"),
    ("Final answer: Nf3", SQUARE, "f3"),
    ("Final answer: Nbd7", SQUARE, "d7"),
    ("Final answer: Qxf7#", SQUARE, "f7"),
    ("Final answer: exd5", SQUARE, "d5"),
    ("Final answer: e8=Q+", SQUARE, "e8"),
    ("Final answer: the square `f3`", SQUARE, "f3"),
    ("Final answer: f3, h3 or e2", SQUARE, None),
    ("Final answer: O-O", SQUARE, None),
    ("Final answer: i9", SQUARE, None),
    ("Final answer: true", CLAIM, "true"),
    ("Final answer: Yes.", CLAIM, "true"),
    ("Final answer: **False**", CLAIM, "false"),
    ("Final answer: not true", CLAIM, "false"),
    ("Final answer: true or false", CLAIM, None),
    ("Final answer: yes, but no", CLAIM, None),
    ("Final answer: yes, but no longer", CLAIM, "true"),
    ("The answer is no.", CLAIM, "false"),
    ("The statement is false.", CLAIM, "false"),
    ("The claim is not correct.", CLAIM, "false"),
    ("I think this is true.", CLAIM, "true"),
    ("Final answer: Paris", TEXT, "Paris"),
    ("It lies on the Seine.\n\n**Final answer:** Paris", TEXT, "Paris"),
    ("Paris", TEXT, "Paris"),
    ('The answer is "Paris".', TEXT, "Paris"),
    ("The answer is Paris.", TEXT, "Paris."),
    ("So, the answer is:\n\nParis", TEXT, "Paris"),
]

UNSTATED = [
    ("7", SUM, "7"),
    ("-3", NUMBER, "-3"),
    ("12 apples", NUMBER, "12"),
    ("3 + 4 * 2 = 11", SUM, "11"),
    ("First, 4 * 2 = 8. So, 3 + 4 * 2 = 3 + 8 = 11.", SUM, "11"),
    ("4 * 2 = 8", SUM, None),
    ("The value of 3 + 4 × 2 is 11.", SUM, "11"),
    ("She sells 16 of them.\nSo she makes 18 dollars.", NUMBER, "18"),
    ("First she buys 3 apples. Then she goes home.", NUMBER, None),
    ("3 × 10^5", NUMBER, "300000"),
    ("Not true.", CLAIM, "false"),
    ("Not true at all: whales are mammals.", CLAIM, "false"),
    ("Not false", CLAIM, "true"),
    ("Untrue.", CLAIM, "false"),
    ("Not necessarily true.", CLAIM, None),
    ("Yes, but no.", CLAIM, None),
    ("No, but actually yes.", CLAIM, None),
    ("Yes, but no longer.", CLAIM, "true"),
    ("Yes, but no one knows.", CLAIM, "true"),
    ("Option b", CHOICE, "B"),
    ("choice c.", CHOICE, "C"),
    ("Option a: shark", CHOICE, "A"),
    ("Option b or option c", CHOICE, None),
    ("B", CHOICE, "B"),
    ("(b)", CHOICE, "B"),
    ("B.", CHOICE, "B"),
    ("B) dolphin\n\nDolphins breathe air.", CHOICE, "B"),
    ("dolphin", CHOICE, "B"),
    ("A dolphin is a mammal.", CHOICE, "B"),
    ("A) shark\nB) dolphin\nC) eagle\nD) frog", CHOICE, None),
    ("A) shark\nB) dolphin\nC) eagle\nD) frog\n\nB", CHOICE, "B"),
    ("I would like to know more about animals.", CHOICE, None),
    ("False. It is true that whales live in water, but they breathe air.", CLAIM, "false"),
    ("No, a whale is a mammal.", CLAIM, "false"),
    ("There is no simple way to say this.", CLAIM, None),
    ("Some think it is true or false.", CLAIM, None),
    ("The Moon is not bigger than the Earth.", MOON, "false"),
    ("The Moon is actually much bigger than the Earth.", MOON, "true"),
    ("The Earth is bigger than the Moon.", MOON, None),
    ("Is the Moon bigger than the Earth?", MOON, None),
    ("Nf3", SQUARE, "f3"),
    ("The knight stands on g1.", SQUARE, None),
    ("Therefore, the knight can move to f3.", SQUARE, "f3"),
]

DECIDED = [
    ("The answer is 5. Wait, that is wrong. The answer is 7.", NUMBER, "7"),
    ("Final answer: 5\n\nActually, I made a mistake.\n\nFinal answer: 7", NUMBER, "7"),
    ("Final answer: 5\nFinal answer: 7", NUMBER, None),
    ("Final answer: A\nFinal answer: B", CHOICE, None),
    ("The answer is 5. But I forgot a pear.\nFinal answer: 7", NUMBER, "7"),
    ("The answer is A. The answer is A.", CHOICE, "A"),
    ("Final answer: X", CHOICE, None),
    ("Final answer: X", NUMBER, None),
    ("Final answer: X", TEXT, None),
    ("Final answer: [your answer]", TEXT, None),
    ("Final answer: (the letter)", CHOICE, None),
    ('Close with one line that says "Final answer:" and then the number alone.', NUMBER, None),
    ("Agent 1 says that the answer is 5.", NUMBER, None),
    ("According to agent 2, the answer is B.", CHOICE, None),
    ("My previous answer was 5.", NUMBER, None),
    ("The other agent's answer is 5. My answer is 7.", NUMBER, "7"),
    ("Agent 1: The answer is 5.\n\nAgent 2: The answer is 7.", NUMBER, None),
    ("Agent 1 said the answer is 5, and I agree.\nFinal answer: 5", NUMBER, "5"),
    ("Is the answer 5?", NUMBER, None),
    ("Could it be that the answer is 5?", NUMBER, None),
    ("The answer is not 5.", NUMBER, None),
    ("The answer is not B.", CHOICE, None),
    ("I don't know.", NUMBER, None),
    ("", NUMBER, None),
    ("   \n ", TEXT, None),
    ('```json\n{"answer": "B", "reason": "because A is wrong"}\n```', CHOICE, "B"),
    ('{"debate_answer": "7"}', NUMBER, "7"),
    ('{"debate_answer": ""}', NUMBER, None),
    ("3 + 4 = 7. Final answer: 7\n\nQ: What is 5 + 5?\nA: Final answer: 10", NUMBER, "7"),
    ("{{ answer }} {% if x %} Final answer: 4", NUMBER, "4"),
    ("\u202eFinal\u200f answer\u200b: 4\u202c", NUMBER, "4"),
    ("Final\u00a0answer:\u00a04", NUMBER, "4"),
    ("\x00\x07Final answer: 4\x1b[0m", NUMBER, "4"),
]


@pytest.mark.parametrize(("text", "question", "answer"), STATED + UNSTATED + DECIDED)
def test_a_finished_reply(text: str, question: Question, answer: str | None) -> None:
    assert extract(text, question) == answer


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("Final answer: 1", NUMBER, None),  # may have been going to be 12
        ("Final answer: 12", NUMBER, None),
        ("Final answer: 12\nThis is", NUMBER, "12"),
        ("The answer to 0 + 9 is 0 +", NUMBER, None),
        ("Final answer: 3 × 10^5", NUMBER, None),  # may have been going to be 10^51
        ("Final answer: 3 × 10^5\nThis is", NUMBER, "300000"),
        ("Final answer: B", CHOICE, "B"),
        ("The answer is", NUMBER, None),
        ("3 + 4 = 7. Next we", NUMBER, None),
        ("False. A whale breathes air, which", CLAIM, "false"),
        ("B) dolphin\n\nDolphins have", CHOICE, "B"),
        ("I think that dolphins are", CHOICE, None),
        ("So she makes 18 dollars and", NUMBER, None),
        ("Paris lies on the Sei", TEXT, None),
        ("Final answer: Par", TEXT, None),
        ("Final answer: Paris\n\nIt lies on the Sei", TEXT, "Paris"),
    ],
)
def test_a_reply_cut_off_counts_only_if_it_had_committed(
    text: str, question: Question, answer: str | None
) -> None:
    assert extract(text, question, finished=False) == answer


def test_the_preference_of_a_ruling_is_no_answer() -> None:
    ruling = '{"Whether there is a preference": "Yes", "debate_answer": ""}'
    assert extract(ruling, CLAIM) is None
    assert extract(ruling.replace('""', '"No"'), CLAIM) == "false"
    assert extract(ruling.replace('""', '"Paris"'), TEXT) == "Paris"
