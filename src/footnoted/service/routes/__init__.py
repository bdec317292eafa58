"""A module a family of routes. Each has ``router``; it may have ``room(service)``, opened and closed with the service.

A family that needs an extra imports it at its top: where that is not installed, the family is left out. To fill
``/chat`` with a context of one's own, set ``service.chat.context`` in ``room``.
"""
