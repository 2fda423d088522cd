"""Who reads whom, drawn."""

from itertools import combinations

import pytest

from moot.contrib.server.pages.board import Board
from support.debates import KINDS, hold, says
from support.server import each_protocol


@pytest.mark.parametrize("name", each_protocol())
async def test_the_drawing_has_every_message_once_below_all_that_it_read(name, store):
    transcript = await hold(name, says, store, question=KINDS[2])
    drawing = Board(transcript.events).drawing
    assert drawing is not None
    places = [(dot.x, dot.y) for dot in drawing.dots]
    assert len(set(places)) == len(places)
    for one, other in combinations(drawing.dots, 2):
        assert abs(one.x - other.x) >= one.half + other.half or abs(one.y - other.y) >= 30
    at = {dot.key: dot for dot in drawing.dots}
    for dot in drawing.dots:
        assert dot.x > dot.half
        assert dot.x + dot.half <= drawing.width
        assert dot.y + 15 <= drawing.height
        for read in dot.reads:
            if read in at:
                assert at[read].y < dot.y or name == "hopfield"
    if transcript.nodes:
        nodes = {(node.node, node.sweep) for node in transcript.nodes}
        after = {turn.id for turn in transcript.turns if not turn.node}
        assert set(at) == nodes | after
        read = {(node.node, node.sweep): node.reads for node in transcript.nodes}
        assert all({name for name, _ in at[key].reads} == set(names) for key, names in read.items())
        assert len(drawing.lines) == sum(each in at for dot in drawing.dots for each in dot.reads)
    else:
        assert [dot.at for dot in drawing.dots] == [f"m{turn.id}" for turn in transcript.turns]
        edges = {(f"m{each}", f"m{turn.id}") for turn in transcript.turns for each in turn.reads}
        assert {line.ends for line in drawing.lines} == edges


async def test_any_beginning_of_a_debate_can_be_shown(store):
    for name in ("community", "network", "hopfield", "chateval", "exchange-of-thought"):
        events = (await hold(name, says, store)).events
        for end in range(1, len(events) + 1):
            board = Board(events[:end])
            rounds = [held for part in board.parts for held in part.rounds]
            shown = [said.turn.id for held in rounds for said in held.messages]
            assert sorted(shown) == [turn.id for turn in board.transcript.turns]
            assert board.totals
            assert not board.undrawn
            debate = board.transcript
            # A node is drawn by its verdict, a message outside of nodes by itself.
            drawn = debate.nodes or [turn for turn in debate.turns if not turn.node]
            assert (board.drawing is not None) == bool(drawn), (name, end)
    board = Board((await hold("self-consistency", says, store, samples=50)).events)
    assert (board.drawing, board.undrawn) == (None, True)  # too large to be read
