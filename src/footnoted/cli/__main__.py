"""``python -m footnoted.cli`` is the ``footnoted`` command."""

from footnoted.cli import main

main()
