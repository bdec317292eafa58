"""Gives any MCP client cited answers and verdicts, as structured results.

Needs the ``mcp`` extra. ``footnoted mcp PATH…`` serves it; `make_server` makes one for your own program.
"""

from footnoted.integrations.mcp.server import make_server

__all__ = ["make_server"]
