"""Starters: forty small questions of our own, of every kind but chess, to meet moot with.

They are easy for a person; a small model gets some of them right. A question:

    Question(
        id="starters-1", kind="choice", text="Which of these animals is a mammal?",
        choices=("shark", "dolphin", "penguin", "frog"), answer="B",
    )
"""

from collections.abc import Iterator
from itertools import count

from moot.core.questions import Question
from moot.datasets.dataset import dataset

# Text, choices, letter.
CHOICE = (
    ("Which of these animals is a mammal?", ("shark", "dolphin", "penguin", "frog"), "B"),
    ("Which planet is nearest to the Sun?", ("Venus", "Earth", "Mars", "Mercury"), "D"),
    ("Which of these metals is liquid at 20 °C?", ("mercury", "iron", "gold", "lead"), "A"),
    ("What do bees make?", ("silk", "milk", "honey", "wool"), "C"),
    ("Which of these numbers is prime?", ("21", "27", "33", "29"), "D"),
    ("Which organ pumps blood through the body?", ("lung", "heart", "liver", "kidney"), "B"),
    ("Which continent is Egypt's capital in?", ("Africa", "Asia", "Europe", "Australia"), "A"),
    ("Which word means the opposite of 'ancient'?", ("old", "broken", "distant", "modern"), "D"),
    (
        "A glass jar of water freezes solid and breaks. Why?",
        ("ice is hotter than water", "glass melts", "ice takes more room", "air left the jar"),
        "C",
    ),
    (
        "Tom is taller than Ann. Ann is taller than Lee. Who is the shortest?",
        ("Lee", "Ann", "Tom", "nobody can know"),
        "A",
    ),
    (
        "All zorks are blue. This stone is not blue. What follows?",
        ("it is a zork", "it is not a zork", "it is red", "no zork is a stone"),
        "B",
    ),
    (
        "Which is the heaviest?",
        (
            "a kilogram of feathers",
            "900 grams of lead",
            "1.1 kilograms of cork",
            "a litre of water",
        ),
        "C",
    ),
)

# Text, answer.
BOOLEAN = (
    ("Is the Pacific the largest of the oceans?", "true"),
    ("Does sound travel faster in air than light does?", "false"),
    ("Are all squares rectangles?", "true"),
    ("Is a tomato plant an animal?", "false"),
    ("Is 91 divisible by 7?", "true"),
    ("Is the number 1 a prime number?", "false"),
    ("Can a month have five Mondays?", "true"),
    ("Was the year 1900 a leap year in the Gregorian calendar?", "false"),
    ("If no cats are dogs, can some dog be a cat?", "false"),
    ("Is three quarters more than two thirds?", "true"),
)

# Text, answer.
NUMBER = (
    ("What is 3 plus 4?", "7"),
    ("How many days are there in a week?", "7"),
    ("How many legs does a cat have?", "4"),
    ("What is 10 minus 6?", "4"),
    ("How many months are there in a year?", "12"),
    ("What is 8 times 7?", "56"),
    ("How many minutes are there in two and a half hours?", "150"),
    ("A shirt costs 40 dollars. It gets 25% cheaper. What does it cost now, in dollars?", "30"),
    ("How many days are there in the months of April and May together?", "61"),
    ("Mia has 5 apples. She eats two and buys a dozen more. How many has she now?", "15"),
    ("A train leaves at 9:40 and arrives at 11:05. How many minutes does it take?", "85"),
    ("A farmer has 17 sheep. All but 9 run away. How many are left?", "9"),
)

# Text, everything that is right.
TEXT = (
    ("What is the capital city of France?", ("Paris",)),
    ("What gas do plants take from the air to grow?", ("carbon dioxide", "CO2")),
    ("Which season follows winter?", ("spring",)),
    ("What is frozen water called?", ("ice",)),
    ("What colour comes from mixing blue and yellow paint?", ("green",)),
    ("What is the opposite of 'hot'?", ("cold",)),
)


@dataset(
    kinds=("choice", "boolean", "number", "text"),
    rows=len(CHOICE) + len(BOOLEAN) + len(NUMBER) + len(TEXT),
    licence="Apache-2.0",
)
def starters() -> Iterator[Question]:
    """Forty small questions of our own, of every kind but chess."""
    name = (f"starters-{place}" for place in count(1))
    for text, choices, letter in CHOICE:
        yield Question(id=next(name), kind="choice", text=text, choices=choices, answer=letter)
    for text, answer in BOOLEAN:
        yield Question(id=next(name), kind="boolean", text=text, answer=answer)
    for text, answer in NUMBER:
        yield Question(id=next(name), kind="number", text=text, answer=answer)
    for text, right in TEXT:
        yield Question(id=next(name), kind="text", text=text, answer=right)
