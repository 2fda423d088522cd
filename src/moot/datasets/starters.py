"""Starters: forty small questions of our own, of every kind but chess, to meet moot with.

They are easy for a person; a small model gets some of them right. A question:

    Question(
        id="starters-1", kind="choice", text="Which of these animals is a mammal?",
        choices=("shark", "dolphin", "penguin", "frog"), answer="B",
    )

The training part has twelve others, three of each kind, with a reason each.
"""

from collections.abc import Iterator
from itertools import count

from moot.core.questions import Example, Question
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

WORKED = (
    Example(
        question=Question(
            id="starters-training-1",
            kind="choice",
            text="Which of these animals lays eggs?",
            choices=("horse", "cow", "hen", "dog"),
            answer="C",
        ),
        reason="Horses, cows and dogs bear live young. A hen is a bird, and birds lay eggs.",
    ),
    Example(
        question=Question(
            id="starters-training-2",
            kind="choice",
            text="Which of these numbers is even?",
            choices=("18", "7", "31", "45"),
            answer="A",
        ),
        reason="An even number ends in 0, 2, 4, 6 or 8. Of these only 18 does.",
    ),
    Example(
        question=Question(
            id="starters-training-3",
            kind="choice",
            text="Paul came after Eve and before Ida. Who came first?",
            choices=("Paul", "Ida", "nobody can know", "Eve"),
            answer="D",
        ),
        reason="Eve came before Paul, and Paul before Ida. So the order is Eve, Paul, Ida.",
    ),
    Example(
        question=Question(
            id="starters-training-4",
            kind="boolean",
            text="Is 38 divisible by 4?",
            answer="false",
        ),
        reason="4 times 9 is 36 and 4 times 10 is 40. 38 lies between them.",
    ),
    Example(
        question=Question(
            id="starters-training-5",
            kind="boolean",
            text="Does iron sink in water?",
            answer="true",
        ),
        reason="What is denser than water sinks in it. Iron is about eight times as dense.",
    ),
    Example(
        question=Question(
            id="starters-training-6",
            kind="boolean",
            text="If all roses are plants, are all plants roses?",
            answer="false",
        ),
        reason="Roses are only some of the plants: an oak is a plant and no rose.",
    ),
    Example(
        question=Question(
            id="starters-training-7",
            kind="number",
            text="What is 6 times 9?",
            answer="54",
        ),
        reason="6 times 10 is 60, and 60 minus 6 is 54.",
    ),
    Example(
        question=Question(
            id="starters-training-8",
            kind="number",
            text="A book costs 12 dollars. What do three of them cost, in dollars?",
            answer="36",
        ),
        reason="Three books at 12 dollars each cost 3 times 12, which is 36 dollars.",
    ),
    Example(
        question=Question(
            id="starters-training-9",
            kind="number",
            text="A film begins at 19:50 and ends at 21:30. How many minutes does it last?",
            answer="100",
        ),
        reason="From 19:50 to 20:50 it is 60 minutes, and to 21:30 another 40. 60 + 40 = 100.",
    ),
    Example(
        question=Question(
            id="starters-training-10",
            kind="text",
            text="What is the capital city of Italy?",
            answer=("Rome",),
        ),
        reason="Italy is governed from Rome: its parliament and its president are there.",
    ),
    Example(
        question=Question(
            id="starters-training-11",
            kind="text",
            text="Which month comes before May?",
            answer=("April",),
        ),
        reason="The months begin January, February, March, April, May. April is before May.",
    ),
    Example(
        question=Question(
            id="starters-training-12",
            kind="text",
            text="What is the opposite of 'full'?",
            answer=("empty",),
        ),
        reason="What is full has no room left. What has nothing in it at all is empty.",
    ),
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


@starters.training()
def worked() -> Iterator[Example]:
    """Twelve others, each with a reason."""
    yield from WORKED
