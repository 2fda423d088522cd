"""When something was said: rounds, and who speaks after them."""

from moot.contrib.server.pages.turn_stages import TurnStage, find_stages
from support import server as served


def turn(number, number_of_round, *reads, node=""):
    return served.turn(number, round=number_of_round, reads=reads, node=node)


def test_who_reads_a_round_later_than_its_own_turn_stands_behind_that_round():
    said = [turn(1, 1), turn(2, 1), turn(3, 2, 1, 2), turn(4, 2, 1, 2), turn(5, 1, 3, 4)]
    found = find_stages(said)
    stages = [TurnStage(1), TurnStage(2), TurnStage(2, after=True)]
    assert [found[n] for n in range(1, 6)] == [stages[0]] * 2 + [stages[1]] * 2 + [stages[2]]
    assert found[5].name == "after round 2"
    assert sorted(set(found.values())) == stages
    # What other nodes said is in no round of this one.
    found = find_stages([turn(1, 3, node="A"), turn(2, 1, 1, node="B"), turn(3, 1, 1, 2)])
    assert [found[n] for n in (1, 2, 3)] == [TurnStage(3), TurnStage(1), TurnStage(1)]
    # Whoever follows one who stands behind a round stands there, too.
    found = find_stages([turn(1, 2), turn(2, 1, 1), turn(3, 2, 2)])
    assert found[2] == found[3] == TurnStage(2, after=True)
    assert find_stages([turn(5, 2, 1, 2)]) == {5: TurnStage(2)}  # read what is not here
    assert find_stages([]) == {}
