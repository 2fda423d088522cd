"""Whether tests notice faults: mutants of moot's code, chosen by chance, and which of them live.

    python bench/mutants.py                                  60 mutants of all of src/moot, seed 34
    python bench/mutants.py --folders parsing stops --count 5 --seed 7
    python bench/mutants.py --at COMMIT --results before.json
    python bench/mutants.py --known before.json              the same ones, now: no fewer killed?

A mutant is a commit with one fault: a comparison, an operator, a number, a truth value or a
condition is another one. Each is known by its file's name, its function, the code and the fault,
and ranked by a digest of these and the seed: where a file lies changes no draw. Tests are tried
nearest first: the file named for the module, those that name it, those that one run of all tests
saw reach the place (but not the slow ones, browsers and frameworks); for what runs when a module is
imported, its folder's and all others, as long as ``--limit`` lets them. A test that
fails kills if it passes without the fault, and tests that do not end if they end without it in a
third of the time. One that no test kills, lives; some of these behave no other than moot does,
which only a reader can tell. The exit code is 1 when any lives; with ``--known``, when fewer are
killed than were.
"""

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from signal import SIGTERM, signal

from mutant_copies import Copy, copies
from mutant_places import Mutant, ranked
from mutant_trials import Trial, Verdict, judged


class Results:
    """Verdicts by key, in a file that grows with them.

    Attributes:
        of: each verdict.
    """

    def __init__(self, file: Path | None):
        self._file = file
        self.of: dict[str, Verdict] = read(file) if file is not None and file.exists() else {}

    def add(self, verdict: Verdict) -> None:
        """Tell and keep a verdict."""
        self.of[verdict.key] = verdict
        print(f"{'killed' if verdict.killed else 'lives '} {verdict.place}  {verdict.fault}")
        print(f"       {verdict.killer or verdict.tried}  {verdict.seconds} s", flush=True)
        if self._file is not None:
            rows = [asdict(each) | {"killed": each.killed} for each in self.of.values()]
            self._file.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def read(file: Path) -> dict[str, Verdict]:
    """The verdicts that a run has written."""
    rows = json.loads(file.read_text())
    fields = Verdict.__dataclass_fields__
    return {row["key"]: Verdict(*(row[name] for name in fields)) for row in rows}


def draw(copy: Copy, given: argparse.Namespace, known: dict[str, Verdict]) -> list[Mutant]:
    """The first mutants of the ranking, of those that are known where any are."""
    every = ranked(copy.root, given.folders, given.seed)
    there = {each.key for each in every}
    for key in known.keys() - there:
        print(f"no longer in src/moot, left out: {known[key].place}  {known[key].fault}")
    drawn = [each for each in every if not known or each.key in known][: given.count]
    print(
        f"{len(every)} mutants; {len(drawn)} drawn, seed {given.seed}; {copy.origin()}", flush=True
    )
    return drawn


def compare(drawn: list[Mutant], known: dict[str, Verdict], now: dict[str, Verdict]) -> bool:
    """Say how many are killed now and were before; whether fewer are."""
    before = sum(known[each.key].killed for each in drawn)
    after = sum(now[each.key].killed for each in drawn)
    for each in drawn:
        if known[each.key].killed and not now[each.key].killed:
            print(f"was killed by {known[each.key].killer}, lives: {now[each.key].place}")
    print(f"of {len(drawn)} mutants: killed before {before}, now {after}")
    return after < before


def arguments() -> argparse.Namespace:
    """The options given."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--folders", nargs="+", default=["."], help="or modules, of src/moot")
    parser.add_argument("--at", default="HEAD", metavar="COMMIT")
    parser.add_argument("--results", type=Path, help="a file to write, and to go on with")
    parser.add_argument("--known", type=Path, help="results of another commit, to compare with")
    parser.add_argument("--again", action="store_true", help="try known ones that lived again")
    parser.add_argument("--limit", type=float, default=300, help="seconds of one kind of tests")
    parser.add_argument("--survey", type=float, default=3600, help="seconds of all quick tests")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    """Draw mutants, and tell which live."""
    given = arguments()
    signal(SIGTERM, lambda *_: sys.exit(1))  # so that the copies are removed
    known = read(given.known) if given.known else {}
    trial, results = Trial(given.limit), Results(given.results)
    with copies(given.at, given.jobs) as made:
        drawn = draw(made[0], given, known)
        if kept := [each for each in drawn if each.key in results.of]:
            print(f"{len(kept)} of them are in {given.results} and not tried again")
        for each in drawn:
            old = known.get(each.key)
            if old and not old.killed and not given.again and each.key not in results.of:
                place = f"{each.file}:{each.line}"
                results.add(replace(old, place=place, tried="lived before, not tried again"))
        left = [each for each in drawn if each.key not in results.of]
        killers = {key: each.killer for key, each in known.items()}
        for verdict in judged(
            trial, made, left, lambda c, m: trial.first(c, m, killers.get(m.key, ""))
        ):
            if verdict.killed:
                results.add(verdict)
        if left := [each for each in drawn if each.key not in results.of]:
            print(f"{len(left)} are left; all quick tests run to see which reach them", flush=True)
            print(trial.survey(made[0], left, given.survey, given.jobs), flush=True)
            for verdict in judged(trial, made, left, trial.then):
                results.add(verdict)
    alive = sum(not results.of[each.key].killed for each in drawn)
    print(f"{alive} of {len(drawn)} live")
    sys.exit(compare(drawn, known, results.of) if known else bool(alive))


if __name__ == "__main__":
    main()
