"""Scopes: interrupted at every opcode, left in any order and by any thread, they leave no trace."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gradwalk import ENGINE, Value, checkpoint, compile, debug, grad, jvp, log, no_grad, vmap
from gradwalk.core import scopes as in_python
from gradwalk.core.seeds import Draws, _Run
from gradwalk.engine import recording as active
from gradwalk.engine.recording import recording
from gradwalk.engine.value import enable_grad
from gradwalk.errors import NonFiniteError
from gradwalk.inspect import trap
from gradwalk.levels.level import Level, Reopened, running
from gradwalk.levels.vjp import VJPLevel
from gradwalk.transforms.custom.comparison import doubting

from ..helpers.amount import amount
from ..helpers.interrupts import Interrupt, at_every_call, at_every_opcode

KINDS = [recording, running, doubting, _Run.kind]


def state() -> Any:
    """Everything that scopes change, and that a program sees of it."""
    seen = (Value(2.0) * 3.0).op
    counted = [
        kind.blocks for kind in KINDS if isinstance(kind.blocks, int)
    ]  # a list is trimmed later
    return seen, recording.paused, [(kind.depth, kind.open) for kind in KINDS], counted


MANAGERS: dict[str, Callable[[], Any]] = {
    "no_grad": no_grad,
    "enable_grad": enable_grad,
    "level": lambda: VJPLevel("a test"),
    "reopened": lambda: Reopened((Level(), Level())),
    "debug": debug,
    "recording": lambda: Draws().recording(),
    "replaying": lambda: Draws().replaying(),
}


@contextlib.contextmanager
def around(paused: bool) -> Iterator[None]:
    """A block in which the tests run, for `enable_grad` changes nothing elsewhere."""
    with no_grad() if paused else contextlib.nullcontext():
        yield


@pytest.mark.parametrize("paused", [False, True])
@pytest.mark.parametrize("manager", MANAGERS.values(), ids=MANAGERS)
def test_an_interrupt_at_any_opcode_leaves_what_was_before(manager: Any, paused: bool) -> None:
    def task() -> None:
        with manager():
            pass

    with around(paused):
        before = state()
        for _ in at_every_opcode(task):
            assert state() == before


@pytest.mark.parametrize("manager", [no_grad, enable_grad, debug])
def test_an_interrupt_of_a_decorated_function(manager: Any) -> None:
    @manager()
    def decorated(n: int) -> Any:
        return decorated(n - 1) if n else state()

    def task() -> None:
        decorated(2)

    with no_grad():
        before = state()
        for _ in at_every_opcode(task):
            assert state() == before


TRANSFORMS: dict[str, tuple[Callable[[float], Any], Any]] = {
    "grad": (grad(lambda x: x * x * x), 12.0),
    "nested": (grad(grad(lambda x: x * x * x)), 12.0),
    "jvp": (lambda x: jvp(lambda v: v * v, (x,), (1.0,)), (4.0, 4.0)),
    "paused": (no_grad()(grad(lambda x: x * x)), 4.0),
    "checkpoint": (grad(checkpoint(lambda x: x * x * x)), 12.0),
    "debug": (debug()(grad(lambda x: x * x)), 4.0),
    "vmap": (lambda x: vmap(lambda v: v * v)(np.array([x, x])).tolist(), [4.0, 4.0]),
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(("transform", "expected"), TRANSFORMS.values(), ids=TRANSFORMS)
def test_an_interrupt_of_a_transform(transform: Any, expected: Any) -> None:
    found = []

    def task() -> None:
        found.append(transform(2.0))

    task()  # fills caches, which is not interrupted in this test
    before = state()
    for _ in at_every_call(task):
        if ENGINE == "python":  # whose scopes are left when they die: some are in cycles
            gc.collect()
        assert state() == before
    assert all(result == expected for result in found)


@pytest.mark.parametrize("manager", MANAGERS.values(), ids=MANAGERS)
def test_a_generator_that_another_thread_closes(manager: Any) -> None:
    def steps() -> Iterator[None]:
        with manager():
            yield

    before, elsewhere = state(), []
    generator = steps()
    next(generator)

    def close() -> None:
        generator.close()
        elsewhere.append(state())

    thread = threading.Thread(target=close)
    thread.start()
    thread.join()
    assert [state()] == elsewhere == [before]


def test_a_block_that_another_context_leaves() -> None:
    """The context that entered it is alive, and outside from then on."""
    block, context = no_grad(), contextvars.copy_context()
    context.run(block.__enter__)
    assert not context.run(lambda: (Value(1.0) + 1.0).operands)
    block.__exit__(None, None, None)
    assert context.run(lambda: (Value(1.0) + 1.0).operands)


def test_a_thread_that_ends_inside_of_a_block() -> None:
    before, kept, found = state(), [], []

    def enter() -> None:
        kept.append(no_grad())
        kept[-1].__enter__()

    def look() -> None:
        found.append(recording.paused)

    for task in (enter, look, enter, look):  # a later thread may get the identifier of an earlier
        thread = threading.Thread(target=task)
        thread.start()
        thread.join()
        assert not recording.paused
    assert found == [False, False]
    kept.clear()
    gc.collect()
    assert state() == before


def test_blocks_left_in_any_order() -> None:
    outer, inner, innermost = no_grad(), enable_grad(), no_grad()
    before = state()
    for order in ([0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]):
        blocks, still = [outer, inner, innermost], [0, 1, 2]
        for block in blocks:
            block.__enter__()
        for i in order:
            assert recording.paused == (still[-1] != 1), "the innermost open block decides"
            blocks[i].__exit__(None, None, None)
            still.remove(i)
            if not still:
                break
        assert state() == before


def test_one_block_entered_several_times() -> None:
    block = no_grad()
    with block, block:
        assert recording.depth == 2
        with enable_grad(), block:
            assert recording.paused
        assert recording.paused
    assert not recording.paused
    block.__exit__(None, None, None)
    assert not recording.paused, "there is nothing to leave"


def test_one_block_in_several_threads_belongs_to_each() -> None:
    block, inside, done = no_grad(), threading.Event(), threading.Event()

    def other() -> None:
        with block:
            inside.set()
            assert done.wait(60)
            assert recording.paused
        assert not recording.paused

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(60)
    assert not recording.paused
    with block:
        assert recording.paused
    assert not recording.paused
    done.set()
    thread.join()


CLASSES: Any = [(in_python.Scope, in_python.Scopes), (active.Scope, active.Scopes)]


@pytest.mark.parametrize(("scope", "scopes"), CLASSES, ids=["python", "active"])
def test_both_engines_have_the_same_scopes(scope: Any, scopes: Any) -> None:
    class One(scope):
        kind = scopes()

    class Around(One):
        def __init__(self, others: Any) -> None:
            self.others = others

    a, b, c = One(), One(), One()
    assert (a.is_open, a.rank, One.kind.depth, One.kind.open) == (False, 0, 0, ())
    with a, b:
        assert (a.is_open, c.is_open) == (True, False)
        assert 2 <= a.rank < b.rank
        ranks = a.rank, b.rank
        with Around((a, c)) as others, b:
            assert One.kind.open == (a, c, b)
            assert c.is_open
            assert (One.kind.depth, (a.rank, b.rank), others.is_open) == (4, ranks, True)
        assert not c.is_open
        assert One.kind.open == (a, b)
    assert not any([a.is_open, b.is_open, One.kind.depth, One.kind.paused])


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX")
@pytest.mark.parametrize("manager", MANAGERS.values(), ids=MANAGERS)
def test_a_storm_of_signals(manager: Any) -> None:
    """Signals at random: where they arrive in C is what no tracer can try."""

    def interrupt(number: int, frame: Any) -> None:
        raise Interrupt

    def task() -> None:
        for _ in range(100):
            with manager():
                pass

    before, caught = state(), 0
    old = signal.signal(signal.SIGALRM, interrupt)
    end = time.monotonic() + amount(20.0, 1.0)
    try:
        while caught <= 100 or time.monotonic() < end:
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-6 + caught % 97 * 1e-6)
                task()
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            except Interrupt:
                caught += 1
            assert state() == before
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)


# --- tasks of asyncio -----------------------------------------------------------------------------


def sees() -> Any:
    """What a program sees of scopes: whether it records, is traced, watched, compiled."""
    compiled = compile(lambda x: asked.append(type(x)) or x * 2.0)
    asked: list[Any] = []
    compiled(1.0)
    heard = 0
    try:
        log(Value(0.0))
    except NonFiniteError:
        heard = 1
    return (Value(2.0) * 3.0).op, running.depth, asked == [float], heard


ACROSS: dict[str, Callable[[], Any]] = {
    **MANAGERS,
    "trap": trap,
    "compile.off": compile.off,
}


@pytest.mark.parametrize("manager", ACROSS.values(), ids=ACROSS)
def test_a_task_that_waits_leaves_the_others_outside(manager: Any) -> None:
    outside = sees()
    with manager():
        inside = sees()

    async def task(number: int) -> None:
        draw = random.Random(number)
        for _ in range(6):
            await asyncio.sleep(0)
            assert sees() == outside
            with manager():
                for _ in range(draw.randrange(4)):
                    await asyncio.sleep(0)
                    assert sees() == inside
            assert sees() == outside

    async def all_of_them() -> None:
        await asyncio.gather(*map(task, range(8)))

    asyncio.run(all_of_them())
    assert sees() == outside


@pytest.mark.parametrize("manager", ACROSS.values(), ids=ACROSS)
def test_a_generator_of_one_task_does_not_reach_another(manager: Any) -> None:
    outside = sees()

    def steps() -> Iterator[None]:
        with manager():
            yield

    async def holder(hold: asyncio.Event, done: asyncio.Event) -> None:
        generator = steps()
        next(generator)
        hold.set()
        await done.wait()
        generator.close()
        assert sees() == outside

    async def other(hold: asyncio.Event, done: asyncio.Event) -> None:
        await hold.wait()
        assert sees() == outside
        done.set()

    async def both() -> None:
        hold, done = asyncio.Event(), asyncio.Event()
        await asyncio.gather(holder(hold, done), other(hold, done))

    asyncio.run(both())
    assert sees() == outside


def test_tasks_and_contexts_inherit_what_is_open() -> None:
    async def look() -> bool:
        await asyncio.sleep(0)
        return recording.paused

    async def evaluate() -> Any:
        with no_grad():
            inside = await asyncio.gather(look(), look())
            later = asyncio.create_task(look())
        return inside, await later

    # a block that has ended is open nowhere, as a level must be
    assert asyncio.run(evaluate()) == ([True, True], False)
    with no_grad():
        assert contextvars.copy_context().run(lambda: recording.paused)
        copied = contextvars.copy_context()
    assert not copied.run(lambda: recording.paused)
    assert grad(lambda x: contextvars.copy_context().run(lambda: x * x))(3.0) == 6.0


def test_many_blocks_in_each_other_are_freed_without_recursion() -> None:
    def enter() -> None:
        for _ in range(amount(200_000, 20_000) if ENGINE == "native" else 1000):
            scope = no_grad()
            scope.__enter__()
            kept.append(scope)

    kept: list[Any] = []
    contextvars.copy_context().run(enter)
    assert not recording.paused
    for scope in kept:
        scope.__exit__()
    kept.clear()
    assert not recording.blocks or ENGINE == "python"
