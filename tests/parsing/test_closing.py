"""What closes a reply decides it; plain sentences commit; echoes, quotes and cut lists do not."""

import pytest

from moot.core.questions import Question
from moot.parsing.extract import extract
from support.questions import CHOICE, CLAIM, NUMBER, SUM, ask

GAME = ask("square", "A game in UCI notation: g1f3 d7d5\n\nThe next move starts on h2. Where to?")
CITY = ask("choice", "Which city lies on the Seine?", ("London", "Vienna", "Rome", "Paris"))
VITAMIN = ask("choice", "Which vitamin is lacking?", ("Vitamin K", "Vitamin D", "Vitamin B12"))
HALVES = ask("number", "What is 1/3 of 4 cups, in cups?")
ROLLS = ask(
    "number",
    "A baker makes 24 rolls an hour for 6 hours. She sells all but 17. How many does she sell?",
)
ICE = ask("boolean", "Would ice sink in pure alcohol?")
GOLD = ask("boolean", "Gold is heavier than aluminium of the same size.")
SUNRISE = ask("boolean", "Does the Sun rise in the west?")
CLARA = ask("number", "Hugo is 7 years younger than Clara. Together they are 39. How old is Clara?")
PRICE = ask("number", "A laptop of $800 is reduced by 25%. What does it cost then, in dollars?")
PAGES = ask("number", "A book has 340 pages. How many pages are left to read?")

COMMITS = [
    # the last explicit statement decides
    ("The rope gives 7 pieces.\nFinal answer: 7\n\nOn checking, Final answer: 8", NUMBER, "8"),
    ("The answer is 7.2.\n\nThe answer is 9.\n\nThe answer is (8).", NUMBER, "8"),
    (
        "Final Answer = 7.\n\nThere are 8 pieces. The final answer is:\n\\[ \\boxed{8} \\]",
        NUMBER,
        "8",
    ),
    ("The correct answer is (A).\n\nThe best answer is (D).", CITY, "D"),
    ("We have \\boxed{answer} = 15 - 8 = 7", NUMBER, "7"),
    # tables and JSON that close with the value
    ('{"steps": "3 * 7 = 21", "text": "there are a total of 21. The number is 21."}', NUMBER, "21"),
    ('{"final_answer": {"Reason": "B is most likely"}}', CHOICE, "B"),
    ('{"name": "B. Vitamin B12", "reason": "none"}', VITAMIN, "B"),
    ("There were 160 of them.\n\nLena has 160 pages left to read.", PAGES, "160"),
    # plain sentences about where the piece goes
    ("Agent 1 said h4. The pawn will move to a1.", GAME, "a1"),
    ("The pawn may move to (d3)", GAME, "d3"),
    ("The correct answer is: the pawn on h2 can legally move to e5.", GAME, "e5"),
    ("The final answer is:\n\nThe chess piece at h2 is e5", GAME, "e5"),
    ("I would move the pawn to h4, which is free.", GAME, "h4"),
    ("I am not sure, but g3 seems most likely.", GAME, "g3"),
    ("First I took what is given, then I ruled out the rest. h4\n\nThis is", GAME, "h4"),
    ("I disagree: f6 is not reachable; the pawn can reach h4.", GAME, "h4"),
    # numbers that a sentence concludes with
    ("After all of these solutions, the correct total is 18 dollars.", NUMBER, "18"),
    ("So she has $16 - $3 - $4 = $9.\n\nThus Janet sells 9 eggs for **$18**.", NUMBER, "18"),
    # other agents stand in the same reply
    ("(D) Paris\n\nYour friends say:\n(C) Rome", CITY, "D"),
    ("(D) Paris\n\nKitty (confidence 0.50):\nThe answer is C.", CITY, "D"),
    ("Agent 1 is the correct answer, and it is definitively yes, it is.", CLAIM, "true"),
    ("I am not sure, but yes seems most likely.", CLAIM, "true"),
    ("The best is no.", CLAIM, "false"),
    ("In conclusion, yes, it could.", CLAIM, "true"),
    ("Therefore, B.", CHOICE, "B"),
    ("I disagree with the statement.", CLAIM, "false"),
    ("C seems most likely.\n\nOne agent solution:\n```\nThe answer is A.\n```", CITY, "C"),
    ("The answer is 8.\n\nThe other agents solution: ```The answer is 16.```", NUMBER, "8"),
    ("Final answer: 4\nPeter's solution: he adds one too many and gets 5.", NUMBER, "4"),
    ("Final answer: B\n\nPeter: Final answer: C\nThis is wrong.", CITY, "B"),
    ("Final answer: 4\n\nPeter: Final answer: 5\n\nFinal answer: 6", NUMBER, "6"),
    ("Peter: Final answer: 4\n\nKitty: Final answer: 5\n\nFinal answer: 6", NUMBER, "6"),
    ("Final answer: 4\n\nWait: I miscounted.\nFinal answer: 5", NUMBER, "5"),
    ("The solution to Mia's problem is 4.", NUMBER, "4"),
    ("Nothing else fits what the question says. (D)", CITY, "D"),
    # the last sentence of a finished reply
    ("She makes 24 * 6 = 144 rolls. 144 - 17 = 127.", ROLLS, "127"),
    ("Step 1: 24 * 6 = 144.\nStep 2: 144 - 17 = 127.", ROLLS, "127"),
    ("There are 144 and 17 are left, so 127 are sold.", ROLLS, "127"),
    ("So she sells 127 out of 144 rolls.", ROLLS, "127"),
    ("So she sells 127 rolls. I hope this helps!", ROLLS, "127"),
    ("So she sells 127 rolls.\n\nI agree with the others.", ROLLS, "127"),
    ("We take the rolls that are left, which is 127 rolls.", ROLLS, "127"),
    ("That is not London. That leaves D.", CITY, "D"),
    ("A) London\nB) Vienna\nC) Rome\nD) Paris\n\nD) Paris", CITY, "D"),
    ("We take the rolls that are left, which is approximately 127.", ROLLS, "127"),
    ("Odd, but true.", CLAIM, "true"),
    # other words for it
    ("I change my answer to 127.", ROLLS, "127"),
    ("The final answer of 127 rolls.", ROLLS, "127"),
    ("The other agents overlook the river. I stand by D.", CITY, "D"),
    ("The Thames is in London. I agree that it is D.", CITY, "D"),
    ("The answer is not A, it is D.", CITY, "D"),
    ("You chose London. You should choose option D as the correct answer.", CITY, "D"),
    ("(D) Paris on the\n\nA: the river is known to all.", CITY, "D"),
    ("Final answer: The dolphins are the ones.", CHOICE, "B"),
    ("It's simple to say that the answer is 5.", NUMBER, "5"),
    ("D) Paris\n\nA:\nD) Paris\n\nB:\nD) Paris", CITY, "D"),
    ("The pawn on h2.\n\nAssistant: The rook.\n\nFinal answer: h4", GAME, "h4"),
    ("The pawn can move to a pawn on e5.", GAME, "e5"),
    # a sum that the reply ends in
    ("144 - 5 = 143.", SUM, "143"),
    # a sentence that answers without the subject, turns a comparison round, or says the opposite
    ("It would sink because alcohol is not as dense.", ICE, "true"),
    ("It would not. I agree.", ICE, "false"),
    ("Aluminium is indeed heavier than gold, but I'm not sure why.", GOLD, "false"),
    ("The reason is that gold is heavier than aluminium.", GOLD, "true"),
    ("Gold is lighter than aluminium.", GOLD, "false"),
    ("The Sun rises in the east.", SUNRISE, "false"),
    ("However, science has proved that the Sun does in fact rise in the west.", SUNRISE, "true"),
]

COMMITS_BEFORE_IT_IS_CUT_OFF = [
    ("The answer is no.\n\nThe answer is yes.\n\nThe answer is yes.\n\nThe ans", CLAIM, "true"),
    ("The answer is B. No.\n\nThe answer is D.\n\nThe answer is D.\n\nThe", CITY, "D"),
    ("The answer is 7\n\nQuestion: What is 3 *", NUMBER, "7"),
]

COMMITS_TO_NOTHING = [
    ("The answer is (A), (B), (D) or (C).", CITY, True),
    ("A baker makes 24 rolls an hour. She sells all but 17.", ROLLS, True),
    ("Step 1: 24 * 6 = 144.\nStep 2: 144 - 17", ROLLS, False),
    ("Option A is wrong.", CITY, True),
    ("It is either true or false.", CLAIM, True),
    ("The answer is not 7, 8 or 9.", NUMBER, True),
    ("A) London", CITY, False),
    ("(A) London", CITY, False),
    ('One agent solution: The correct answer is "D', CITY, True),
    ("We know that 1/3 = 4/12.", HALVES, True),
    ("As you say, 1/3 is indeed 4/12, which", HALVES, False),
    ("10.50\n11.00\n21.00\n\nYour answer will be a number.", NUMBER, True),
    ("A) London does not lie on the Seine, it is not the one.", CITY, True),
    ("The destination square is (X), where X is like (e5).", GAME, True),
    ("No, I'm not able to help with that. I am an assistant.", CLAIM, True),
    ('The choice that says "the correct answer is D" is the one that', CITY, False),
    ("The solution to the problem:\n\n1. First, convert the numbers.", NUMBER, True),
    ("Therefore, it is a multiple of 9, and not the", NUMBER, False),
    ("The answer is A. The answer is B. The answer is A. The answer is A. The", CITY, False),
    ("A: London\nB: Vienna\nC: Rome\nD: Paris\n\nYour friends say:\n(A) London", CITY, True),
    ("No, you don't have to take part in this debate.", CLAIM, True),
    ('The claim was: \n"A whale is a fish.', CLAIM, False),
    ("Clara is 7 years older than Hugo.", CLARA, True),
    ("That makes a reduction of 10% by the second.", PRICE, True),
    ("1/2 minus 1/4\n\nAgent 2: I think it is 1/4.", HALVES, True),
    ("The logic behind the answer: 7 - 3 = 4, but to add 1, you need", NUMBER, False),
    ("4 * 2 = 8", SUM, True),
    ("The piece will end up at c7. So, the answer is 12.", GAME, True),
    ("It reaches e2 (occupied), f3 and h3.", GAME, True),
    ("1. True: some are fish.\n2. False: they are mammals.", CLAIM, True),
    ("A) 1.\nThe answer is a classic example.", NUMBER, True),
]


@pytest.mark.parametrize(("text", "question", "answer"), COMMITS)
def test_a_reply_commits(text: str, question: Question, answer: str) -> None:
    assert extract(text, question) == answer


@pytest.mark.parametrize(("text", "question", "answer"), COMMITS_BEFORE_IT_IS_CUT_OFF)
def test_a_reply_commits_before_it_is_cut_off(text: str, question: Question, answer: str) -> None:
    assert extract(text, question, finished=False) == answer


@pytest.mark.parametrize(("text", "question", "finished"), COMMITS_TO_NOTHING)
def test_a_reply_commits_to_nothing(text: str, question: Question, *, finished: bool) -> None:
    assert extract(text, question, finished) is None


@pytest.mark.parametrize("text", ["So (A)?", "So (A)? No, none. Final answer: none"])
def test_an_option_that_is_only_asked_about_is_no_answer(text):
    question = Question(id="q", kind="choice", text="Which is even?", choices=("one", "two"))
    assert extract(text, question) is None
