"""The garbage collector is paused while a large value is decoded, and is afterwards as it was before."""

import gc
import os
import threading
from collections.abc import Iterator

import pytest

from holdfast.codec import Codec
from holdfast.codec.gc_pause import gc_paused

LARGE = Codec().encode([{"n": n, "text": "x" * 20} for n in range(5000)])


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if was_on else gc.disable)()


def test_it_pauses_and_resumes() -> None:
    with gc_paused:
        assert not gc.isenabled()
        with gc_paused:
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with gc_paused:
        pass
    assert not gc.isenabled()


def test_it_resumes_after_an_error() -> None:
    with pytest.raises(ValueError, match="damaged"), gc_paused:
        raise ValueError("damaged")
    assert gc.isenabled()


def test_it_resumes_when_the_last_of_several_threads_has_left() -> None:
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with gc_paused:
            inside.set()
            leave.wait(30)

    other = threading.Thread(target=stay)
    other.start()
    inside.wait(30)
    with gc_paused:
        pass
    assert not gc.isenabled(), "the other thread is not done"
    leave.set()
    other.join()
    assert gc.isenabled()


def test_a_child_process_does_not_inherit_the_pause() -> None:
    with gc_paused:
        child = os.fork()
        if child == 0:
            with gc_paused:
                pass
            os._exit(0 if gc.isenabled() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert gc.isenabled()


def test_a_large_value_is_decoded_with_few_collections() -> None:
    gc.collect()
    before = sum(one["collections"] for one in gc.get_stats())
    values = [Codec().decode(LARGE) for _ in range(10)]
    after = sum(one["collections"] for one in gc.get_stats())
    assert len(values[-1]) == 5000
    assert after - before <= 25, "the collector ran again and again while nothing was garbage"
    assert gc.isenabled()
