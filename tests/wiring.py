"""Graphs of nodes, as studies write them."""


def chain(*nodes):
    """Nodes one after the other, up to the judge."""
    names = [node["name"] for node in nodes]
    edges = list(zip(names, [*names[1:], "judge"], strict=True))
    return {"nodes": [dict(node) for node in nodes], "edges": [list(edge) for edge in edges]}
