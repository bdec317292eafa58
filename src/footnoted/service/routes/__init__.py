"""A module a family of routes. Each has ``router``; it may have ``room(service)``, opened and closed with the service.

What ``room`` opens is then found as ``service.rooms[NAME]``, by the module's name. A family that needs an extra imports
it at its top: where that is not installed, the family is left out. To answer ``/chat`` with an assistant of one's own,
set ``service.chat.assistant`` in ``room``.
"""
