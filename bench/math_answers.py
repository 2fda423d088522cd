r"""How answers in LaTeX are read and compared: each reads as itself, and as no other value.

    python bench/math_answers.py FILE.jsonl [--others 20]

FILE has a right answer in the field "answer" of each line, as AGIEval has the questions of MATH.
Each answer is put as a reply, "So the result is $\boxed{…}$.", and read. Every pair of answers that
are spelt differently and count as equal is printed, to be looked at, and so is every pair on which
``math_verify.verify`` says otherwise: of 2,000 that are sampled, and of all that count as equal.
"""

import argparse
import json
import logging
import time
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
from math_verify import parse, verify
from math_verify.parser import LatexExtractionConfig

from moot.core.questions import Question
from moot.parsing.extract import extract
from moot.parsing.mathematics.process import forms
from moot.parsing.same import is_same

logging.getLogger("math_verify").setLevel(logging.CRITICAL)
QUESTION = Question(id="q", kind="math", text="What is the result?")
LATEX = [LatexExtractionConfig()]


def state(latex):
    return extract(f"Final answer: {latex}", QUESTION)


def read_all(answers):
    """Print how the answers read; return the form of each."""
    forms.find("x+1")  # the process has started
    found, ms = [], []
    for answer in answers:
        began = time.perf_counter()
        found.append(extract(f"So the result is $\\boxed{{{answer}}}$.", QUESTION))
        ms.append((time.perf_counter() - began) * 1000)
    as_stated = [state(answer) for answer in answers]
    same = sum(is_same(one, other, "math") for one, other in zip(found, as_stated, strict=True))
    again = sum(form is not None and state(form) == form for form in found)
    print(f"{len(answers)} answers, {len({*answers})} spellings, {len({*found})} values")
    print(f"read as themselves: {same}; their forms read as themselves: {again}")
    for answer, form in zip(answers, found, strict=True):
        if form is None:
            print(f"  not read: {answer!r}")
    p50, p95, p99 = np.percentile(ms, [50, 95, 99])
    print(f"ms a reading: median {p50:.1f}, p95 {p95:.0f}, p99 {p99:.0f}, most {max(ms):.0f}")
    print(f"ended at 200 ms of CPU time: {forms.ended}")
    return found


def list_equal(answers, found):
    """Print the answers that are spelt differently and count as equal; return them as pairs."""
    spelt = defaultdict(set)
    for place, (answer, form) in enumerate(zip(answers, found, strict=True)):
        if answer not in {answers[each] for each in spelt[form]}:
            spelt[form].add(place)
    groups = [sorted(places) for places in spelt.values() if len(places) > 1]
    print(f"{len(groups)} values are spelt differently, of all pairs:")
    for places in groups:
        print(f"  {found[places[0]]}: {', '.join(answers[each] for each in places)}")
    return [pair for places in groups for pair in combinations(places, 2)]


def sample_pairs(found, others):
    """Return pairs of each answer with so many others, and print how many are equal."""
    draw, pairs = Random(1), set()
    for place in range(len(found)):
        some = draw.sample(range(len(found)), others + 1)
        pairs |= {tuple(sorted((place, other))) for other in some if other != place}
    began = time.perf_counter()
    equal = sum(is_same(found[one], found[other], "math") for one, other in pairs)
    took = (time.perf_counter() - began) / len(pairs) * 1e6
    print(f"{len(pairs)} sampled pairs: {equal} equal; {took:.1f} microseconds a comparison")
    return sorted(pairs)


def compare(answers, found, pairs):
    """Print each pair that math-verify judges otherwise."""
    began, unlike = time.perf_counter(), 0
    for one, other in pairs:
        both = [parse(f"\\boxed{{{answers[n]}}}", LATEX, parsing_timeout=2) for n in (one, other)]
        theirs, ours = verify(*both), is_same(found[one], found[other], "math")
        if theirs != ours:
            unlike += 1
            print(f"  {answers[one]!r}, {answers[other]!r}: here {ours}, math-verify {theirs}")
    took = (time.perf_counter() - began) / len(pairs) * 1000
    print(f"{len(pairs)} pairs by math-verify, too: {unlike} otherwise; {took:.1f} ms a pair")


def main():
    shape = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=shape)
    parser.add_argument("file", type=Path)
    parser.add_argument("--others", type=int, default=20, help="each is compared with so many")
    given = parser.parse_args()
    answers = [json.loads(line)["answer"] for line in given.file.read_text().splitlines()]
    found = read_all(answers)
    equal = list_equal(answers, found)
    unlike = [
        (one, other)
        for one, other in sample_pairs(found, given.others)
        if answers[one] != answers[other]
    ]
    compare(answers, found, equal + Random(2).sample(unlike, 2000))


if __name__ == "__main__":
    main()
