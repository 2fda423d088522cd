"""Graphs: the presets, any graph that is one, and the edge at fault in any that is none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import InputError
from moot.core.recorded_settings import JUDGE
from moot.debate.graph import Graph, preset_graph
from moot.debate.protocol import registry

NETWORK = registry.get("network")


@pytest.mark.parametrize(
    ("preset", "layers", "calls"),
    [
        ("short-long", [1, 1, 2, 3], 29),
        ("feed-forward", [1, 1, 1, 2, 2, 2], 43),
        ("cascade", [1, 1, 1, 1, 2, 2, 2, 3, 3], 64),
    ],
)
def test_the_presets_have_the_layers_and_the_calls_of_the_paper(preset, layers, calls):
    names, edges = preset_graph(preset)
    assert names == tuple(f"C{number + 1}" for number in range(len(layers)))
    graph = Graph.build(names, edges)
    assert [graph.layer[name] for name in names] == layers
    plain = NETWORK.check({"graph": preset, "agents": 3, "rounds": 2})
    assert NETWORK.count(plain) == (calls, calls)
    tables = [{"name": "C3", "protocol": "single"}, {"name": "C2", "temperature": 1.2}]
    changed = NETWORK.check({"graph": preset, "agents": 3, "rounds": 2, "nodes": tables})
    assert (changed["graph"], changed["edges"]) == (preset, plain["edges"])
    for was, node in zip(plain["nodes"], changed["nodes"], strict=True):
        if node["name"] == "C3":
            assert node["protocol"] == "single"
        else:
            assert node == was | ({"temperature": 1.2} if node["name"] == "C2" else {})
    assert NETWORK.check(changed) == changed


@st.composite
def graphs(draw):
    """The nodes of a graph in any order, and its edges in any order."""
    count = draw(st.integers(1, 9))
    names = [f"n{number}" for number in range(count)]
    edges = []
    for here, name in enumerate(names):
        later = [*names[here + 1 :], JUDGE]
        chosen = draw(st.lists(st.sampled_from(later), min_size=1, unique=True))
        edges += [(name, one) for one in chosen]
    return draw(st.permutations(names)), draw(st.permutations(edges))


@given(graphs())
def test_every_graph_that_leads_to_the_judge_is_one(made):
    nodes, edges = made
    graph = Graph.build(nodes, edges)
    assert set(graph.before) == set(graph.layer) == set(nodes)
    order = list(graph.before)
    for node, before in graph.before.items():
        assert list(before) == [a for a, b in edges if b == node]
        assert all(order.index(one) < order.index(node) for one in before)
        assert graph.layer[node] == 1 + max((graph.layer[one] for one in before), default=0)
    assert list(graph.judged) == [a for a, b in edges if b == JUDGE]
    assert [graph.layer[node] for node in order] == sorted(graph.layer[node] for node in order)


@pytest.mark.parametrize(
    ("nodes", "edges", "said"),
    [
        ("A B", ["A A", "A J", "B J"], r"edges\[1\] = \['A', 'A'\]: an edge from a node to itself"),
        ("A B", ["A B", "B J", "A B"], r"edges\[3\] = \['A', 'B'\]: this edge is there twice"),
        ("A B", ["A J"], r"node 'B' is an orphan, on no edge; add \['B', 'judge'\]"),
        ("A B", ["A B", "A J"], r"two ends, 'judge' and 'B'; add the edge \['B', 'judge'\]"),
        ("A", [], "node 'A' is an orphan"),
        ("A B", ["A B", "B A"], r"the edge \['[AB]', '[AB]'\] closes a cycle"),
        ("A B C", ["A B", "B C", "C B", "C J"], r"the edge \['[BC]', '[BC]'\] closes a cycle"),
        ("A B", ["A B", "B J", "A BB"], r"edges\[3\] = .*unknown node 'BB'; did you mean 'B'"),
        ("A A", ["A J"], "'A' is the name of two nodes"),
        ("judge", ["J J"], "'judge' is the judge's own name"),
    ],
)
def test_what_is_no_graph_is_refused_with_what_is_at_fault(nodes, edges, said):
    pairs = [tuple(edge.replace("J", JUDGE).split()) for edge in edges]
    with pytest.raises(InputError, match=f"^here: {said}"):
        Graph.build(nodes.split(), pairs, where="here")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"graph": "own", "nodes": [{"name": "A"}]}, "graph = 'own' needs nodes = .* and edges"),
        ({"graph": "own"}, "graph = 'own' needs nodes"),
        (
            {"nodes": [{"name": "C1"}, {"name": "C22"}]},
            r"nodes\[2\]: without edges .* graph = 'short-long': unknown node 'C22'.* 'C2'",
        ),
        ({"graph": "cascade", "nodes": [{"name": "A"}]}, ".* graph = 'cascade': unknown node 'A'"),
        ({"nodes": [{"name": "C2"}, {"name": "C2"}]}, "'C2' is the name of two nodes"),
        (
            {"nodes": [{"name": "C4", "protocol": "self-consistency", "agents": [{}] * 6}]},
            r"nodes\[1\]: agents: 6 are listed",
        ),
        (
            {"agents": [{"temperature": 1}]}
            | {"nodes": [{"name": f"C{n}", "protocol": "single"} for n in range(1, 5)]},
            "agents: 1 are listed without a role, for nodes none of which",
        ),
        ({"edges": [["A", "judge"]]}, "edges without nodes"),
        ({"nodes": [{}], "edges": [["A", "judge"]]}, r"nodes\[1\]: name: expected a text"),
        ({"nodes": [{"name": "A/B"}]}, r"nodes\[1\]: name: expected a text without '/'"),
        ({"nodes": [{"name": "C1", "protocol": 3}]}, r"nodes\[1\]: protocol: expected a text"),
        ({"nodes": [{"name": "C1", "protocol": "network"}]}, r"nodes\[1\]: network is a network"),
        ({"nodes": [{"name": "C1", "protocol": "hopfield"}]}, r"nodes\[1\]: hopfield is a network"),
        ({"nodes": [{"name": "C1", "agnets": 2}]}, r"nodes\[1\]: unknown setting 'agnets'"),
        ({"nodes": [{"name": "C1", "rounds": 0}]}, r"nodes\[1\]: setting rounds = 0"),
        ({"nodes": [{"name": "C1", "agents": [{"role": "x"}]}]}, r"nodes\[1\]: agents\[1\]: unk"),
        ({"agents": [{"role": "judge"}, {"role": "jugde"}]}, r"agents\[2\]: unknown role 'jugde'"),
        ({"edges": [["A"]], "nodes": [{"name": "A"}]}, "setting edges"),
        ({"graph": "casacde"}, "setting graph = 'casacde'"),
    ],
)
def test_a_network_that_cannot_be_is_named_by_node_or_edge(given, said):
    with pytest.raises(InputError, match=f"^study: {said}"):
        NETWORK.check(given, where="study")


@pytest.mark.parametrize(
    "name", ["", " ", " C", "C ", "a.b", "a/b", "x" * 61, "a\nb", "a\x1b[31m", "\udce9", 3, None]
)
def test_a_name_that_cannot_stand_in_prompts_and_tables_is_refused(name):
    given = {"nodes": [{"name": name}], "edges": [[str(name), "judge"]]}
    with pytest.raises(InputError, match=r"^study: nodes\[1\]: name: expected a text"):
        NETWORK.check(given, where="study")


def test_a_node_alone_has_no_other_to_read():
    hopfield = registry.get("hopfield")
    with pytest.raises(InputError, match="'A' alone has none to read"):
        hopfield.check({"nodes": [{"name": "A"}]})
    nodes = hopfield.check({"placing": "system", "communities": 2})["nodes"]
    assert [node["placing"] for node in nodes] == ["system"] * 2


@pytest.mark.parametrize("name", ["x" * 60, "Ärzte, 2nd panel", "C2"])
def test_with_edges_it_is_a_graph_of_ones_own_whatever_its_nodes_are_named(name):
    given = {"graph": "cascade", "nodes": [{"name": name}], "edges": [[name, "judge"]]}
    checked = NETWORK.check(given)
    assert (checked["graph"], [node["name"] for node in checked["nodes"]]) == ("own", [name])
    assert NETWORK.check(checked) == checked
