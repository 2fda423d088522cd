"""Whether the analysis `oversight` finds something where nothing is, in 200 studies without effect.

python bench/hearings.py [--repeats 200] [--questions 30] [--json FILE]

Each repetition is a study run by `moot.run`: a judge of a simulated population that tells right
answers from wrong ones by chance, alone and before two debaters in both orders, with debaters of
two models on either side. Half of what debaters quote is real, whatever they argue for. So every
figure has a truth that is known: each should lie outside its interval in about 5 % of studies.
"""

import argparse
import asyncio
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import moot
from moot.statistics.intervals import clopper_pearson

AT_ONCE = 4
ONE, TWO = "simulated/one", "simulated/two"
EVEN = 0.5
ALPHA = 0.05


def study(seed, file):
    judge = {"role": "judge", "model": "simulated/judge"}

    def arm(name, *models, **settings):
        seats = [*({"model": each} for each in models), judge]
        return {"name": name, "protocol": "oversight-debate", "agents": seats, **settings}

    return {
        "name": f"hearings-{seed}",
        "baseline": "naive swapped=false",
        "settings": {"seed": seed, "model": ONE},
        "datasets": [{"name": "file", "label": "passages", "path": str(file)}],
        "arms": [
            arm("naive", rounds=0, swapped=[False, True]),
            arm("debate", ONE, TWO, rounds=1, swapped=[False, True]),
            arm("other way", TWO, ONE, rounds=1),
        ],
    }


def passages(folder, seed, questions):
    """A file of questions with passages that no other seed has."""
    file = folder / f"passages-{seed}.jsonl"
    rows = (
        {
            "id": f"{seed}-{i}",
            "kind": "choice",
            "question": f"What did the keeper write on day {i} of year {seed}?",
            "context": " ".join(f"word{seed}x{i}x{n}" for n in range(30)),
            "choices": ["a name", "a number"],
            "answer": "AB"[i % 2],
        }
        for i in range(questions)
    )
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def is_outside(found, truth):
    """Whether a truth lies outside an interval; None where there is no interval."""
    return None if found.low is None else not found.low <= truth <= found.high


async def repeat(seed, questions, folder):
    """By figure, whether its truth lies outside its interval in one study."""
    store = folder / str(seed)
    outcome = await moot.run(study(seed, passages(folder, seed, questions)), store=store)
    assert not outcome.failed
    report = await moot.analyse("oversight", f"hearings-{seed}", store=store)
    by_arm = {each.arm: each for each in report.data}
    debate = by_arm["debate"]
    [wins] = [table for table in report.tables if table.title == "who wins"]
    correct, incorrect, overall, strength, *_ = wins.rows[0].cells[2:]
    tested = [each.to_naive for each in report.data if each.to_naive]
    return {
        "above naive, p <= 0.05": debate.to_naive.p <= ALPHA,
        "any arm above naive, by Holm": any(each.p_holm <= ALPHA for each in tested),
        "accuracy over both orders": is_outside(debate.accuracy, EVEN),
        "right in both orders": is_outside(debate.strict, EVEN**2),
        "takes A": is_outside(debate.first, EVEN),
        "takes more real quotations": is_outside(debate.quoting, EVEN),
        "advantage of truth": is_outside(debate.advantage, 0.0),
        "talked out": is_outside(debate.talked_out, EVEN),
        "talked into": is_outside(debate.talked_in, EVEN),
        "real quotations": is_outside(debate.right_side.real, EVEN),
        "wins for the right answer": is_outside(correct, EVEN),
        "wins for a wrong one": is_outside(incorrect, EVEN),
        "wins for both": is_outside(overall, EVEN),
        "strength": is_outside(strength, 0.0),
    }


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    free = asyncio.Semaphore(AT_ONCE)
    with TemporaryDirectory() as folder:

        async def one(seed):
            async with free:
                return await repeat(seed, given.questions, Path(folder))

        rows = await asyncio.gather(*map(one, range(given.repeats)))
    found = {}
    for name in rows[0]:
        known = [row[name] for row in rows if row[name] is not None]
        low, high = clopper_pearson(sum(known), len(known))
        found[name] = {"outside": sum(known), "of": len(known), "low": low, "high": high}
        print(
            f"{name:30} {sum(known):4} of {len(known)}: {sum(known) / len(known):6.1%} "
            f"[{low:.1%}, {high:.1%}]"
        )
    if given.json:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    asyncio.run(main())
