"""A value made by a method when it is first asked for, and kept, without a lock.

`functools.cached_property` holds one lock for all objects of a class until Python 3.12: a thread that reads the long
sources of one answer would keep every other answer waiting, and the event loop too. Here two threads may make a
value twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")


class once(Generic[_T]):  # noqa: N801 — reads as what it says
    """Like `functools.cached_property`, for values that depend on nothing that changes."""

    def __init__(self, make: Callable[[Any], _T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, of: None, owner: type) -> once[_T]: ...
    @overload
    def __get__(self, of: object, owner: type) -> _T: ...
    def __get__(self, of: object | None, owner: type) -> once[_T] | _T:
        if of is None:
            return self
        value = of.__dict__[self._name] = self._make(of)
        return value
