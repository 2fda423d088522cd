"""A plan whose debates are listed one by one: not all arms on all questions of datasets."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from moot.core.questions import Question
from moot.core.stored import Arm
from moot.debate.feature import NO_SUPPLIES, Supplies
from moot.debate.opening_values import check_opening
from moot.debate.protocol import registry as protocols
from moot.prompts.packs import Pack
from moot.studies.plan import Plan
from moot.studies.task import Task

ANEW = 10_000
"""Replicates between one and the next rehearsal of the same debate."""


class ListedPlan(Plan):
    """The plan of debates of its own.

    Attributes:
        own: its debates, in order.
        size: how many there are.
    """

    limited = False
    own_tasks: list[Task]

    @staticmethod
    def make_task(
        arm: Arm, question: Question, *, dataset: str, replicate: int = 0, pack: Pack | None = None
    ) -> Task:
        """Return a debate without worked examples; its number is 0.

        Args:
            arm: its protocol and settings.
            question: what is debated.
            dataset: the label under which it is stored.
            replicate: which of several debates of the arm on the question it is.
            pack: its prompts; those of its protocol if not given.
        """
        settings = protocols.get(arm.protocol).read(arm.settings)
        pack = pack or settings.pack()
        return Task(0, dataset, question, arm, settings, pack, None, NO_SUPPLIES, replicate)

    def list_tasks(self, tasks: Iterable[Task]) -> None:
        """Make these the plan's debates, numbered in their order.

        Raises:
            InputError: the question of one cannot have the opening that its arm sets.
        """
        self.own_tasks = [task._replace(number=number) for number, task in enumerate(tasks)]
        self.size = len(self.own_tasks)
        for task in {task.arm.name: task for task in self.own_tasks}.values():
            check_opening(task.question, task.settings["opening"])

    def tasks(self) -> Iterator[Task]:
        """Yield every debate."""
        return iter(self.own_tasks)

    def group_by_question(self) -> Iterator[list[Task]]:
        """Yield the debates of each question, in the order of the first of each."""
        groups = defaultdict[tuple[str, str], list[Task]](list)
        for task in self.own_tasks:
            groups[task.dataset, task.question.id].append(task)
        return iter(groups.values())

    @property
    def sizes(self) -> Mapping[tuple[str, str], int]:
        """How many debates there are of each dataset and arm."""
        return Counter((task.dataset, task.arm.name) for task in self.own_tasks)

    def sample(self, many: int, replicate: int = 0) -> Iterator[Task]:
        """Yield so many debates of every dataset and arm, evenly spread."""
        places = defaultdict[tuple[str, str], list[Task]](list)
        for task in self.own_tasks:
            places[task.dataset, task.arm.name].append(task)
        for tasks in places.values():
            size = min(many, len(tasks))
            for place in range(size):
                task = tasks[place * len(tasks) // size]
                yield task._replace(replicate=task.replicate + replicate * ANEW)

    def measure_questions(self, arm: str) -> Iterator[tuple[int, int]]:
        """Yield the number of debates of an arm, and the letters of all their questions."""
        own = [task for task in self.own_tasks if task.arm.name == arm]
        yield len(own), sum(_count_letters(each.question, each.supplies) for each in own)


def _count_letters(question: Question, supplies: Supplies) -> int:
    shown: int = sum(each.count_letters(question) for each in supplies.values())
    return len(question.text) + len(question.context or "") + shown
