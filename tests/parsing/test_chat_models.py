"""Replies in the manner of large chat models: markdown, LaTeX, JSON, words about other agents."""

import pytest

from moot.core.questions import Question
from moot.parsing.extract import extract
from support.questions import CLAIM, NUMBER, ask

CITY = ask("choice", "Which city lies on the Seine?", ("London", "Vienna", "Rome", "Paris"))
GAME = ask("square", "A game in UCI notation: e2e4 e7e5\n\nThe next move starts on g1. Where to?")
APPLES = ask("number", "There are 6 boxes of 8 apples. 6 are rotten. How many are good?")

CHOICES = [
    (
        """Let's go through the options:

- **A) London** lies on the Thames. ❌
- **B) Vienna** lies on the Danube. ❌
- **C) Rome** lies on the Tiber. ❌
- **D) Paris** lies on the Seine. ✅

**Answer: D**""",
        "D",
    ),
    ("So the correct option is (D) Paris.", "D"),
    ("**Final Answer:** **(D)**", "D"),
    ("### Final Answer\n\n**D. Paris**", "D"),
    (
        """The correct answer is **D) Paris**. Here is why:

- **A) London** is on the Thames.
- **B) Vienna** is on the Danube.
- **C) Rome** is on the Tiber.""",
        "D",
    ),
    ("Updated answer: D", "D"),
    ("I maintain my answer: **D**.", "D"),
    ("I maintain my previous answer of (D).", "D"),
    ("After considering the other agents' responses, I still believe that the answer is D.", "D"),
    ("Both agents chose (C) Rome. However, Rome lies on the Tiber. My updated answer is (D).", "D"),
    ("$\\boxed{\\text{D}}$", "D"),
    ("The city is Paris.\n\n\\[\n\\boxed{\\textbf{(D)}}\n\\]", "D"),
    ("\\boxed{D) Paris}", "D"),
    ("\\(\\boxed{\\mathrm{D}}\\)", "D"),
    ('```json\n{\n  "answer": "D",\n  "reason": "A is on the Thames."\n}\n```', "D"),
    ('{"reasoning": "A is on the Thames, B on the Danube.", "answer": "D) Paris"}', "D"),
    ("The answer is D (Paris), not B (Vienna).", "D"),
    (
        "I initially said B, but after reading Agent 2's argument I now agree that D is correct.",
        "D",
    ),
    ("Agent 1 says C. Agent 3 says D. I side with Agent 3: Paris is on the Seine.\n\n**(D)**", "D"),
    ("Option **D** is the best choice.", "D"),
    ("Thus, the answer should be **Option D: Paris**.", "D"),
    ("Correct answer: **Paris**", "D"),
    ("**D.** Paris", "D"),
    ("I'd pick D, because Paris lies on the Seine.", "D"),
    ("D is the only one of the options that lies on the Seine.", "D"),
    ("Final answer: D) Paris\n\nConfidence: 95%", "D"),
    ("**Answer:** D — Paris lies on the Seine, London (A) on the Thames.", "D"),
    ("Therefore, I'll stick with (D).", "D"),
    ("While option C is tempting, the evidence points to D.", "D"),
    ("It's D.", "D"),
    ("Definitely D.", "D"),
    ("My choice: D", "D"),
    ("I change my answer from B to D.", "D"),
    ("I was wrong to choose B; the answer is D.", "D"),
    ("The correct answer is not C but D.", "D"),
    ("**Answer: D**\n\n**Explanation:** A is on the Thames, B on the Danube, C on the Tiber.", "D"),
    ("I agree with Agent 1's answer of (D).", "D"),
    ("Agent 2's reasoning for B is flawed: Vienna lies on the Danube. The answer remains D.", "D"),
    ("Agreed: it's Paris, so D.", "D"),
    ("✅ **D) Paris**", "D"),
    ("> **Final answer: D**", "D"),
    ("**Final answer:** The correct option is **D**.", "D"),
    (
        "Let's think step by step. The Seine flows through France, and its capital is Paris. (D)",
        "D",
    ),
    # not decided
    ("A) London\nB) Vienna\nC) Rome\nD) Paris", None),
    ("Both B and D are plausible.", None),
    ("Could you please share the options again?", None),
    ("**Final answer:** [letter]", None),
    ("Agent 1: B\nAgent 2: C", None),
    ("Is it (B)? Or (D)?", None),
    ("I'm sorry, but I can't determine which city is meant.", None),
    ("Option A is wrong, since London is on the Thames. Option B is wrong, too.", None),
]

BOOLEANS = [
    ("**Verdict: False**", "false"),
    ("The statement is **false**.", "false"),
    ("**No.** A whale is a mammal.", "false"),
    ("Short answer: no.", "false"),
    ("Yes — by this definition it is.", "true"),
    ("The claim is incorrect.", "false"),
    ("So the answer to the question is **no**.", "false"),
    ("Final Answer: **No, a whale is not a fish.**", "false"),
    ("\\boxed{\\text{False}}", "false"),
    ("I agree with Agent 2: the statement is false.", "false"),
    ("I disagree with the other debater. The statement is true.", "true"),
    ("It may seem so, but the statement is not true.", "false"),
    ("My answer remains: true", "true"),
    ("Answer: False (whales are mammals)", "false"),
    ('{"answer": false, "reason": "Whales are mammals."}', "false"),
    ('{"reason": "They live in water.", "final_answer": true}', "true"),
    ("Agent 1 says true, and Agent 2 says false. Whales have lungs, so **false**.", "false"),
    ('### Conclusion\n\nThe statement "A whale is a fish" is **false**.', "false"),
    ("I stand by my original answer: False.", "false"),
    ("**False** ❌", "false"),
    ("Whales are mammals, not fish. Therefore, the correct answer is: **False**", "false"),
    ("Whether this is true depends on the definition.", None),
    ("Is it true? Let us look at the facts.", None),
    ("Agent 1 says true. Agent 2 says false.", None),
    ("**Final answer:** true or false", None),
]

NUMBERS = [
    ("The total is \\(18 + 24 = 42\\) dollars.\n\n**Final Answer: 42**", "42"),
    ("\\[\n\\boxed{42}\n\\]", "42"),
    ("$$\\text{Total} = 3 \\times 14 = 42$$", "42"),
    ("6 × 8 = 48, and 48 - 6 = 42.\n\nSo, there are **42 good apples**.", "42"),
    ("**42**", "42"),
    ("Therefore, the answer is $\\frac{3}{8}$.", "3/8"),
    ("\\[\n\\boxed{\\dfrac{3}{8}}\n\\]", "3/8"),
    ("Thus $x = 7$.", "7"),
    ("The answer is approximately 3.14.", "3.14"),
    ("The final answer is $42$.", "42"),
    ("**Answer:** $1,234.50", "1234.5"),
    ("Answer: 42 (since 6 × 7 = 42)", "42"),
    ("6 × 7 = 42. Therefore Agent 1's answer of 48 is incorrect; the correct answer is 42.", "42"),
    ("Agent 2 got 48. Rechecking: 48 - 6 = 42. So my answer stays 42.", "42"),
    ("I realise that I made a mistake. The corrected total is 42.", "42"),
    ("Final answer: \\(42\\)", "42"),
    ("\\boxed{42\\text{ apples}}", "42"),
    ("\\boxed{\\$42}", "42"),
    ("\\boxed{42\\%}", "42"),
    ("\\boxed{1{,}234}", "1234"),
    ("\\boxed{x = 42}", "42"),
    ("\\boxed{-7}", "-7"),
    ("\\boxed{42 \\, \\text{km/h}}", "42"),
    ("The answer is ½.", "1/2"),
    ("The answer is −7.", "-7"),
    ("Final answer: ٤٢", "42"),
    ("Final answer: ４２", "42"),
    ("**Result: 42**", "42"),
    ("**Solution:** 42", "42"),
    ("# Final Answer\n\n42", "42"),
    ("- Apples: 6 × 8 = 48\n- Rotten: 6\n- **Total good: 42**", "42"),
    ("| step | apples |\n|---|---|\n| all | 48 |\n| rotten | 6 |\n| **total** | **42** |", "42"),
    ("I agree with the consensus of 42.", "42"),
    ("1. 6 × 8 = 48\n2. 48 − 6 = 42\n\nSo there are 42 good apples.", "42"),
    ("The speed is \\(42 \\text{ km/h}\\).\n\nFinal answer: 42 km/h", "42"),
    ("Final answer: 42 cm²", "42"),
    ("Final answer: $42^\\circ$", "42"),
    ("So, 48 - 6 = **42** apples are good.\n\n#### 42", "42"),
    ("My answer is still 42; Agent 3 forgot to subtract the rotten ones and got 48.", "42"),
    ("I got 48 at first, but that ignores the rotten ones. It should be 42.", "42"),
    ('{"reasoning": "6 * 8 = 48, 48 - 6 = 42", "answer": 42}', "42"),
    ("**Final answer:** 42 apples ✅", "42"),
    ("The answer is 42, not 48.", "42"),
    ("The answer is not 48 but 42.", "42"),
    ("Hence the number of good apples is $48 - 6 = 42$.", "42"),
    ("= 42", "42"),
    # not decided
    ("The answer is either 42 or 48.", None),
    ("Neither Agent 1's 48 nor Agent 2's 54 is right.", None),
    ("**Final answer:** [number]", None),
    ("I'd need more information to answer this.", None),
    ("### Step 1\n6 × 8 = 48\n\n### Step 2\nNow we subtract the rotten ones.", None),
    ("Agent 1 says 42, and Agent 2 says 48.", None),
]

SQUARES = [
    ("**Nf3**", "f3"),
    ("The knight can move to **f3**.", "f3"),
    ("Final answer: **f3**", "f3"),
    ("\\boxed{\\text{f3}}", "f3"),
    ("`f3`", "f3"),
    ("**Valid destination:** f3", "f3"),
    ("From g1 the knight reaches e2, f3 and h3. I choose f3.", "f3"),
    ("g1 → f3", "f3"),
    ("A natural move is Ng1–f3.", "f3"),
    ("One valid destination square is **f3**.", "f3"),
    ("Agent 1's e3 is not reachable for a knight. The correct destination is f3.", "f3"),
    ("- e2 ✅\n- f3 ✅\n- h3 ✅\n\n**Final answer: f3**", "f3"),
    ("I maintain my answer of f3.", "f3"),
    ("I agree with Agent 2 that h3 is legal, but f3 is better.\n\nUpdated answer: (f3)", "f3"),
    ('{"answer": "f3", "reason": "The knight on g1 attacks e5 from there."}', "f3"),
    ("The knight on g1 can go to e2, f3 or h3.", None),
    ("Agent 1 says f3. Agent 2 says h3.", None),
    ("The piece on g1 is a knight.", None),
]


@pytest.mark.parametrize(("text", "answer"), CHOICES)
def test_choices(text: str, answer: str | None) -> None:
    assert extract(text, CITY) == answer


@pytest.mark.parametrize(("text", "answer"), BOOLEANS)
def test_booleans(text: str, answer: str | None) -> None:
    assert extract(text, CLAIM) == answer


@pytest.mark.parametrize("question", [NUMBER, APPLES])
@pytest.mark.parametrize(("text", "answer"), NUMBERS)
def test_numbers(text: str, answer: str | None, question: Question) -> None:
    assert extract(text, question) == answer


@pytest.mark.parametrize(("text", "answer"), SQUARES)
def test_squares(text: str, answer: str | None) -> None:
    assert extract(text, GAME) == answer
