"""How well moot reads 600 real replies of published debates, each labelled by two readers.

Run ``python bench/public_replies.py`` in the project's root; ``--errors`` shows every reply that
moot reads otherwise than both readers, ``--draw`` draws the 600 again and says whether they are the
labelled ones. The logs lie in ../shared/data/debates and are not part of the project; the labels
are, without the words. Two readers labelled independently, before moot's rules were changed. The
rules were made on the ``developed`` half; the ``held-out`` half was read once, after them. Counted
are the replies on whose answer both readers agree and are sure. The logs do not say whether a reply
was cut off: all are read as finished ones. The interval of a share is the exact one of 95 %.
"""

import random
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from moot.statistics.intervals import clopper_pearson  # noqa: E402
from support.public_replies import (  # noqa: E402 -- shared with its test
    LATER,
    PublicReply,
    find_labelled,
    hash_reply,
    is_answer,
    list_labels,
    read_log,
)

DEBATES = ROOT.parent / "shared" / "data" / "debates"
SEED = 20261128
STRATA = (
    (("society-gsm8k-gpt35/gsm_3_2_100.json",), 130),
    (("society-mmlu/mmlu_3_2.json",), 130),
    (
        (
            "society-gsm8k-llama31/gsm_1_1_llama3.1_8b_official.json",
            "society-gsm8k-llama31/gsm_3_2_llama3.1_8b_official.json",
        ),
        80,
    ),
    (("llm-agora-mmlu/mmlu_result.json",), 130),
    (("llm-agora-gsm8k/gsm_result.json",), 130),
)


def draw() -> list[tuple[PublicReply, str]]:
    """Return the 600 replies, each with its half."""
    chance = random.Random(SEED)
    drawn: list[tuple[PublicReply, str]] = []
    for logs, size in STRATA:
        pool = [reply for log in logs for reply in read_log(DEBATES, log)]
        picked = chance.sample(pool, size)
        drawn += [
            (reply, "held-out" if place % 2 else "developed") for place, reply in enumerate(picked)
        ]
    chance.shuffle(drawn)
    return drawn


def tell(name: str, rows: list[bool]) -> None:
    """Print the share of replies that moot reads as the readers do; nothing where there is none."""
    if not rows:
        return
    low, high = clopper_pearson(sum(rows), len(rows))
    share = f"{sum(rows) / len(rows):.3f} ({low:.3f}-{high:.3f})"
    print(f"  {name:58}{sum(rows):>4} of {len(rows):>3}   {share}")


def main() -> None:
    if not DEBATES.is_dir():
        sys.exit(f"{DEBATES} is missing: the logs are not part of the project")
    if "--draw" in sys.argv:
        drawn = [(hash_reply(reply.reply), split) for reply, split in draw()]
        same = drawn == [(label.sha, label.split) for label in list_labels()]
        print(f"{len(drawn)} replies drawn, the labelled ones: {'yes' if same else 'no'}")
        return
    pairs = find_labelled(DEBATES)
    counted = [(label, reply) for label, reply in pairs if label.agreed]
    alike = sum(is_answer(label.first, label.second, label.kind) for label, _ in pairs)
    print(f"{len(pairs)} replies; both readers agree on {alike}, on {len(counted)} of them surely")
    read = [(label, is_answer(reply.read(), label.first, label.kind)) for label, reply in counted]
    for split in ("developed", "held-out", ""):
        rows = [row for row in read if split in ("", row[0].split)]
        print(split or "both halves")
        for log in sorted({label.log for label, _ in rows}):
            tell(log, [right for label, right in rows if label.log == log])
        later = [right for label, right in rows if label.log.startswith(LATER)]
        tell("GPT-3.5 and later", later)
        tell("all", [right for _, right in rows])
    if "--errors" in sys.argv:
        for label, reply in counted:
            if not is_answer(found := reply.read(), label.first, label.kind):
                print(f"\n{label.split} {label.id} {label.log}: {found!r}, readers {label.first!r}")
                print(f"  {reply.asked[-300:]!r}\n  {reply.reply[-1500:]!r}")


if __name__ == "__main__":
    main()
