"""How much of a prompt repeats the beginning of an earlier one of its debate."""

from hypothesis import given
from hypothesis import strategies as st

from moot.core.messages import Message
from moot.debate.sent_prompts import SentPrompt, SentPrompts

_texts = st.text("ab", max_size=4)
_messages = st.lists(st.builds(Message, st.sampled_from(["system", "user"]), _texts), max_size=3)
_prompts = st.lists(st.tuples(st.sampled_from(["one", "two"]), _messages), max_size=8)


def flatten(messages):
    """Return a prompt as one row of characters, each with its message's role and the ends."""
    return [(each.role, char) for each in messages for char in ("begin", *each.content, "end")]


def count_by_hand(one, two):
    """Return how many characters of content two prompts have alike from the first on."""
    count = 0
    for left, right in zip(flatten(one), flatten(two), strict=False):
        if left != right:
            break
        count += left[1] not in {"begin", "end"}
    return count


@given(_prompts, st.data())
def test_the_share_is_that_of_the_longest_common_beginning(prompts, data):
    """Each prompt is compared with its agent's last and those it shows, character by character."""
    sent, earlier, last = SentPrompts(), {}, {}
    for turn, (model, messages) in enumerate(prompts, 1):
        seat = data.draw(st.integers(0, 2))
        reads = data.draw(st.sets(st.sampled_from([*earlier] or [0])))
        name, own = last.get(seat, ("", []))
        goes_on = own and messages[: len(own)] == own
        others = [] if goes_on else [earlier[each] for each in reads if each in earlier]
        longest = max(
            (count_by_hand(messages, old) for to, old in [(name, own), *others] if to == model),
            default=0,
        )
        whole = sum(len(each.content) for each in messages)
        share = sent.share_of(model, tuple(messages), seat, reads)
        assert share == (round(longest / whole, 4) if whole else 0)
        with_reply = [*messages, Message("assistant", "b")]
        sent.add(turn, seat, SentPrompt(model, tuple(with_reply)))
        earlier[turn] = last[seat] = model, with_reply
