"""Starters: forty small questions of our own, of every kind but chess, to meet moot with.

They are easy for a person; a small model gets some of them right. A question:

    Question(
        id="starters-1", kind="choice", text="Which of these animals is a mammal?",
        choices=("shark", "dolphin", "penguin", "frog"), answer="B",
    )

The training part has twenty others, five of each kind, with a reason each.
"""

from collections.abc import Iterator
from itertools import count

from moot.core.questions import Example, Kind, Question
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

# Kind, text, choices, answer, how one comes to it: five of each kind.
# fmt: off -- one line for the question and one for the reason
WORKED: tuple[tuple[Kind, str, tuple[str, ...], str, str], ...] = (
    (
        "choice",
        "Which of these animals lays eggs?",
        ("horse", "cow", "hen", "dog"),
        "C",
        "Horses, cows and dogs bear live young. A hen is a bird, and birds lay eggs.",
    ),
    (
        "choice",
        "Which of these numbers is even?",
        ("18", "7", "31", "45"),
        "A",
        "An even number ends in 0, 2, 4, 6 or 8. Of these only 18 does.",
    ),
    (
        "choice",
        "Paul came after Eve and before Ida. Who came first?",
        ("Paul", "Ida", "nobody can know", "Eve"),
        "D",
        "Eve came before Paul, and Paul before Ida. So the order is Eve, Paul, Ida.",
    ),
    (
        "choice",
        "Which of these do people read the time from?",
        ("a lamp", "a clock", "a cup"),
        "B",
        "A lamp gives light and a cup holds a drink. A clock shows the time.",
    ),
    (
        "choice",
        "Which word does not fit with the others?",
        ("apple", "pear", "plum", "chair"),
        "D",
        "Apples, pears and plums are fruit. A chair is a piece of furniture.",
    ),
    (
        "boolean",
        "Is 38 divisible by 4?",
        (),
        "false",
        "4 times 9 is 36 and 4 times 10 is 40. 38 lies between them.",
    ),
    (
        "boolean",
        "Does iron sink in water?",
        (),
        "true",
        "What is denser than water sinks in it. Iron is about eight times as dense.",
    ),
    (
        "boolean",
        "If all roses are plants, are all plants roses?",
        (),
        "false",
        "Roses are only some of the plants: an oak is a plant and no rose.",
    ),
    (
        "boolean",
        "Is half of 90 more than 40?",
        (),
        "true",
        "Half of 90 is 45, and 45 is more than 40.",
    ),
    (
        "boolean",
        "Does the Moon shine by its own light?",
        (),
        "false",
        "The Moon does not burn. It is bright because the light of the Sun falls on it.",
    ),
    ("number", "What is 6 times 9?", (), "54", "6 times 10 is 60, and 60 minus 6 is 54."),
    (
        "number",
        "How many hours are there in three days?",
        (),
        "72",
        "A day has 24 hours. 3 times 24 is 72.",
    ),
    (
        "number",
        "Ben has 20 coins and gives a quarter of them away. How many has he left?",
        (),
        "15",
        "A quarter of 20 is 5, and 20 minus 5 is 15.",
    ),
    (
        "number",
        "How many sides have two triangles and a square together?",
        (),
        "10",
        "A triangle has 3 sides, so two have 6. A square has 4, and 6 plus 4 is 10.",
    ),
    ("number", "What is 100 minus 37?", (), "63", "100 minus 30 is 70, and 70 minus 7 is 63."),
    (
        "text",
        "What is the capital city of Italy?",
        (),
        "Rome",
        "Italy is governed from Rome, where its parliament sits.",
    ),
    (
        "text",
        "Which meal do people eat in the morning?",
        (),
        "breakfast",
        "Lunch is eaten at noon and dinner in the evening. The morning's meal is breakfast.",
    ),
    (
        "text",
        "What is the opposite of 'full'?",
        (),
        "empty",
        "What is full holds all it can. What holds nothing is empty.",
    ),
    (
        "text",
        "What do caterpillars turn into?",
        (),
        "butterflies",
        "A caterpillar becomes a pupa, and out of the pupa comes a butterfly or a moth.",
    ),
    (
        "text",
        "Which sense do ears serve?",
        (),
        "hearing",
        "Eyes are for seeing and noses for smelling. With ears one hears.",
    ),
)
# fmt: on


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
    """Twenty others, each with a reason."""
    for place, (kind, text, choices, answer, reason) in enumerate(WORKED, 1):
        question = Question(
            id=f"starters-training-{place}",
            kind=kind,
            text=text,
            choices=choices,
            answer=answer,
        )
        yield Example(question=question, reason=reason)
