"""Doors into footnoted for programs that know nothing of it; each opens its own library and no other's."""
