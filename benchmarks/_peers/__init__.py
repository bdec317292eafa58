"""How each peer is asked: one module a peer, run in that peer's own environment by `benchmarks/peers.py`.

A module has ``opened(stack, base_url, limits=…, variant=…)``, which gives a `Read`: it asks once the way the peer's own
documentation shows for async streaming, hands every piece of text to ``seen`` and leaves when that says so. ``LIMITS``
says in words what ``limits=True`` sets. ``cited`` is the peer's seat for citations, where it has one. Nothing here
imports footnoted but ``_peers.footnoted``.
"""
