"""Adapters that put footnoted into other libraries and programs; each imports its own library and no other's."""
