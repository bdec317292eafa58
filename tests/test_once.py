"""Values made when first asked for: once an object, and no object waits for another's."""

import threading

from footnoted.once import once


class Reading:
    """Something that is read when it is first asked for."""

    def __init__(self, work):
        self.work, self.times = work, 0

    @once
    def value(self):
        """What was read."""
        self.times += 1
        return self.work()


def test_a_value_is_made_once_and_kept():
    """The second time it is there; another object has its own; the class tells what it is."""
    one, other = Reading(lambda: [1]), Reading(lambda: [2])
    assert one.value is one.value
    assert (one.times, other.value) == (1, [2])
    assert Reading.value.__doc__ == "What was read."


def test_one_object_does_not_wait_for_another():
    """While a thread is at one object's value, another object's is had at once."""
    begun, held = threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert held.wait(60)
        return "slow"

    reading = Reading(slow)
    thread = threading.Thread(target=lambda: reading.value)
    thread.start()
    assert begun.wait(60)
    done = []
    other = threading.Thread(target=lambda: done.append(Reading(lambda: "quick").value))
    other.start()
    other.join(30)
    held.set()
    thread.join()
    assert done == ["quick"]
    assert reading.value == "slow"
