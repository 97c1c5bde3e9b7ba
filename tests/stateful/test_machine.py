"""One machine that drives every backend at once, and a model of plain dicts that says what each must show."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import holdfast
from holdfast import ROOT, Conflict, Deleted, Retention
from holdfast.engine.values import manifest
from holdfast.testing.maintenance.expired_threads import aged
from tests.stateful.model import Handle, Line, Model, Point
from tests.stateful.values import EDITS, SIZES
from tests.stateful.worlds import YEAR, World, compare, expected_info, open_worlds, outcome, wished
from tests.support.postgres import schemas

NARROW_UP_TO = manifest.NARROW_UP_TO
NAMESPACES = ["", "a", "a|b", "c"]
THREADS = ["t", "t/1", "T", "été", "t_1", "../t"]
RUNS = ["r1", "r2"]
TASKS = ["task-1", "task-2"]
EXAMPLES = int(os.environ.get("EXAMPLES") or 6)
REDUCERS = {"extend": holdfast.extend, "merge": holdfast.merge, "replace": holdfast.replace}

threads = st.integers(0, 12)  # see `Stores.which_thread`
namespaces = st.sampled_from(["", "", *NAMESPACES])
small = st.integers(0, 30)
sizes = st.sampled_from(SIZES)
via = st.integers(0, 1)
edits = st.tuples(st.integers(0, len(EDITS) - 1), small, small, sizes)
channels = st.sampled_from(["log", "doc", "n"])
changes = st.lists(st.tuples(channels, edits), min_size=1, max_size=3)
fields = st.fixed_dictionaries(
    {},
    optional={
        "node": st.sampled_from(["plan", "act"]),
        "next": st.sampled_from([("act",), ("plan", "act")]),
        "step": st.integers(0, 9),
        "source": st.sampled_from(["input", "loop"]),
        "run_id": st.sampled_from(RUNS),
        "status": st.sampled_from(["running", "completed", "interrupted"]),
        "label": st.sampled_from(["good", "bad"]),
        "metadata": st.sampled_from([{"by": "test"}, {"by": "test"}, {"by": "ada"}, {"by": "ada", "for": "bob"}]),
        "extra": st.sampled_from([{"versions": [1, 2]}, {"versions": list(range(40))}]),
    },
)


class Stores(RuleBasedStateMachine):
    postgres = False

    @initialize(saves=st.lists(namespaces, max_size=6), limit=st.sampled_from([NARROW_UP_TO, 1, 0]))
    def open(self, saves: list[str], limit: int) -> None:
        """With a low limit most manifests are in logs, and states cross it."""
        manifest.NARROW_UP_TO = limit
        self.folder = tempfile.TemporaryDirectory(prefix="holdfast-")
        self.worlds = open_worlds(self.folder, postgres=self.postgres)
        self.model = Model()
        self.made = 0
        self.tick = 0
        self.kept: list[Handle] = []
        for number, namespace in enumerate(saves):
            self.do_save(Handle("t", namespace), number, {"log": list(range(number))}, {"id": f"first{number}"})

    def teardown(self) -> None:
        manifest.NARROW_UP_TO = NARROW_UP_TO
        if hasattr(self, "worlds"):
            for world in self.worlds:
                world.close()
            schemas.release(Path(self.folder.name))
            self.folder.cleanup()

    # ---------------------------------------------------------------- helpers

    def which_thread(self, number: int) -> str:
        """Mostly one that is there, so that rules meet; sometimes any, so that they miss."""
        alive = sorted(self.model.threads)
        if number >= 11 or not alive:
            return THREADS[number * 5 % len(THREADS)]
        return alive[number % len(alive)]

    def free_thread(self, number: int) -> str:
        """Mostly one that never was."""
        free = [one for one in THREADS if one not in self.model.threads and one not in self.model.graves]
        return free[number % len(free)] if free and number < 11 else THREADS[number % len(THREADS)]

    def new_name(self) -> str:
        self.made += 1
        return f"#{self.made}"

    def line(self, thread_id: str, namespace: str) -> Line:
        thread = self.model.threads.get(thread_id)
        return thread.line(namespace) if thread else Line()

    def some_point(self, thread_id: str, namespace: str, which: int) -> Point | None:
        """Small numbers are the newest."""
        points = self.line(thread_id, namespace).newest_first()
        return points[which % len(points)] if points else None

    def agree(self, wish: Callable[[], Any], call: Callable[[World], Any]) -> tuple[str, Any]:
        """Ask the model, then every world, and want the same answer or the same refusal."""
        answer, wanted = wished(wish)
        for world in self.worlds:
            got, found = outcome(partial(call, world))
            if answer == "refused":
                assert got == "refused", f"{world.name} answered {found!r} and should have refused with {wanted}"
                assert found in wanted, f"{world.name} refused with {found}, not with {wanted}"
            else:
                assert got == "ok", f"{world.name} refused with {found}"
                if not isinstance(wanted, Point):
                    assert found == wanted, f"{world.name} answered {found!r}, not {wanted!r}"
                else:
                    assert found == expected_info(wanted), f"{world.name} returned another checkpoint"
        return answer, wanted

    def changed(self, state: dict[str, Any], what: list[tuple[str, Any]]) -> dict[str, Any]:
        new = dict(state)
        for channel, (edit, at, seed, size) in what:
            new[channel] = EDITS[edit](new.get(channel, []), at, seed, size)
        return new

    def do_save(self, handle: Handle, via: int, state: dict[str, Any], passed: dict[str, Any]) -> None:
        name = self.new_name()

        def call(world: World) -> Any:
            thread = world.kept.get(id(handle)) or world.thread(handle, via)
            renamed: dict[str, Any] = {
                key: world.id(value)
                if key in ("id", "parent", "expect_head", "origin") and value is not ROOT
                else value
                for key, value in passed.items()
                if value is not None
            }
            info = thread.save(state, **renamed)
            if passed.get("id") is None:
                world.learn(name, info.id)
            return world.seen(info)

        self.agree(lambda: self.model.save(handle, name, state, passed), call)

    # ---------------------------------------------------------------- saving

    @rule(thread=threads, namespace=namespaces, via=via, what=changes, passed=fields)
    def save(self, thread: int, namespace: str, via: int, what: list[Any], passed: dict[str, Any]) -> None:
        thread_id = self.which_thread(thread)
        head = self.line(thread_id, namespace).head
        state = self.changed(head.state if head else {}, what)
        self.do_save(Handle(thread_id, namespace), via, state, passed)

    @rule(thread=threads, namespace=namespaces, via=via, what=changes, passed=fields, n=st.integers(0, 5))
    def save_with_an_id(
        self, thread: int, namespace: str, via: int, what: list[Any], passed: dict[str, Any], n: int
    ) -> None:
        thread_id = self.which_thread(thread)
        line = self.line(thread_id, namespace)
        if f"id{n}" in line.points or f"id{n}" in line.removed:
            return
        state = self.changed(line.head.state if line.head else {}, what)
        self.do_save(Handle(thread_id, namespace), via, state, {**passed, "id": f"id{n}"})

    @rule(thread=threads, namespace=namespaces, via=via, which=small, what=changes, passed=fields)
    def save_under_an_older_parent(
        self, thread: int, namespace: str, via: int, which: int, what: list[Any], passed: dict[str, Any]
    ) -> None:
        thread_id = self.which_thread(thread)
        parent = self.some_point(thread_id, namespace, which)
        if parent is not None:
            state = self.changed(parent.state, what)
            self.do_save(Handle(thread_id, namespace), via, state, {**passed, "parent": parent.id})

    @rule(thread=threads, namespace=namespaces, via=via, what=changes)
    def save_a_new_root(self, thread: int, namespace: str, via: int, what: list[Any]) -> None:
        thread_id = self.which_thread(thread)
        self.do_save(Handle(thread_id, namespace), via, self.changed({}, what), {"parent": ROOT})

    @rule(thread=threads, namespace=namespaces, via=via)
    def save_under_a_missing_parent(self, thread: int, namespace: str, via: int) -> None:
        thread_id = self.which_thread(thread)
        self.do_save(Handle(thread_id, namespace), via, {"n": 1}, {"parent": "nobody"})

    @rule(thread=threads, namespace=namespaces, via=via, which=small, what=changes)
    def save_expecting_a_head(self, thread: int, namespace: str, via: int, which: int, what: list[Any]) -> None:
        thread_id = self.which_thread(thread)
        expected = self.some_point(thread_id, namespace, which)
        head = self.line(thread_id, namespace).head
        state = self.changed(head.state if head else {}, what)
        passed = {"expect_head": expected.id if expected and which != 5 else ""}
        self.do_save(Handle(thread_id, namespace), via, state, passed)

    @rule(thread=threads, via=via, which=small, outer=st.sampled_from(["a", "c", "a|b"]), what=changes)
    def save_with_an_origin(self, thread: int, via: int, which: int, outer: str, what: list[Any]) -> None:
        thread_id = self.which_thread(thread)
        origin = self.some_point(thread_id, outer.rpartition("|")[0], which)
        head = self.line(thread_id, outer).head
        if origin is not None:
            state = self.changed(head.state if head else {}, what)
            self.do_save(Handle(thread_id, outer), via, state, {"origin": origin.id})

    @rule(thread=threads, namespace=namespaces, via=via, which=small, differently=st.booleans())
    def save_the_same_id_again(self, thread: int, namespace: str, via: int, which: int, differently: bool) -> None:
        thread_id = self.which_thread(thread)
        points = [
            point
            for point in self.line(thread_id, namespace).newest_first()
            if point.passed is not None and point.passed.get("id") is not None and point.passed.get("parent") is None
        ]
        if points:
            point = points[which % len(points)]
            assert point.passed is not None
            state = {**point.state, "other": 1} if differently else point.state
            passed = {key: value for key, value in point.passed.items() if key not in ("expect_head",)}
            self.do_save(Handle(thread_id, namespace), via, state, {**passed, "expect_head": "not the head"})

    @rule(thread=threads, namespace=namespaces, via=via, which=small)
    def save_the_id_of_a_removed_checkpoint(self, thread: int, namespace: str, via: int, which: int) -> None:
        """Free again, or refused for good: both will do, and all backends must do the same."""
        thread_id = self.which_thread(thread)
        removed = sorted(one for one in self.line(thread_id, namespace).removed if not one.startswith("#"))
        if not removed:
            return
        handle = Handle(thread_id, namespace)
        passed: dict[str, Any] = {"id": removed[which % len(removed)]}
        kinds = [
            outcome(partial(world.thread(handle, via).save, {"n": which}, **passed)) for world in self.worlds
        ]  # fmt: skip
        refused = {found for got, found in kinds if got == "refused"}
        assert refused <= {Conflict, Deleted}, f"refused with {refused}"
        assert len({got for got, _ in kinds}) == 1, f"backends disagree: {kinds}"
        if not refused:
            self.model.save(handle, "", {"n": which}, passed)

    @rule(
        thread=threads, namespace=namespaces, via=via, channel=channels, times=st.sampled_from([3, 66, 135]),
        edit=edits, drop=st.booleans(),
    )  # fmt: skip
    def save_many(self, thread: int, namespace: str, via: int, channel: str, times: int, edit: Any, drop: bool) -> None:
        """Enough for frames and new keys."""
        thread_id = self.which_thread(thread)
        handle = Handle(thread_id, namespace)
        if thread_id in self.model.graves and thread_id not in self.model.threads:
            return
        number, at, seed, size = edit
        for i in range(times):
            head = self.line(thread_id, namespace).head
            state = dict(head.state) if head else {}
            base = state.get(channel, [])
            if i % 2 or not isinstance(base, list):
                state[channel] = EDITS[number](base, at + i, seed + i, min(size, 700))
            else:
                state[channel] = [*base, f"{i} {seed}"]
            self.do_save(handle, via + (i % 3 == 2), state, {})
            if drop and i % 10 == 0:
                self.drop_caches()

    @rule(
        thread=threads, namespace=namespaces, via=via, channel=channels, seed=small, size=sizes,
        how=st.sampled_from(sorted(REDUCERS)), passed=st.fixed_dictionaries({}, optional={
            "node": st.just("human"), "next": st.just(("act",)), "run_id": st.sampled_from(RUNS),
            "status": st.sampled_from(["completed", "interrupted"]), "label": st.just("good"),
        }),
    )  # fmt: skip
    def update(
        self, thread: int, namespace: str, via: int, channel: str, seed: int, size: int, how: str,
        passed: dict[str, Any],
    ) -> None:  # fmt: skip
        thread_id = self.which_thread(thread)
        head = self.line(thread_id, namespace).head
        old = head.state.get(channel) if head else None
        new: Any = EDITS[5](None, 0, seed, size)
        if how == "extend":
            new = [new, seed]
            how = how if isinstance(old, list) else "replace"
        elif how == "merge":
            new = {f"k{seed}": new}
            how = how if isinstance(old, dict) else "replace"
        handle, name = Handle(thread_id, namespace), self.new_name()

        def call(world: World) -> Any:
            info = world.thread(handle, via).update({channel: new}, reduce={channel: REDUCERS[how]}, **passed)
            world.learn(name, info.id)
            return world.seen(info)

        self.agree(lambda: self.model.update(handle, name, {channel: new}, {channel: how}, passed), call)

    @rule(thread=threads, via=via, key=st.sampled_from(["team", "tier"]), value=small)
    def save_with_thread_metadata(self, thread: int, via: int, key: str, value: int) -> None:
        thread_id = self.which_thread(thread)
        handle = Handle(thread_id, "", metadata={key: value})
        head = self.line(thread_id, "").head
        self.do_save(handle, via, dict(head.state) if head else {}, {})

    @rule(thread=threads, namespace=namespaces, via=via, what=changes)
    def save_into_a_reused_thread(self, thread: int, namespace: str, via: int, what: list[Any]) -> None:
        thread_id = self.which_thread(thread)
        head = self.line(thread_id, namespace).head
        state = self.changed(head.state if head else {}, what)
        self.do_save(Handle(thread_id, namespace, reuse=True), via, state, {})

    # ---------------------------------------------------------------- handles that get old

    @rule(thread=threads, namespace=namespaces, via=via)
    def keep_a_handle(self, thread: int, namespace: str, via: int) -> None:
        thread_id = self.which_thread(thread)
        handle = Handle(thread_id, namespace)
        self.model.touch(handle)
        for world in self.worlds:
            world.kept[id(handle)] = world.thread(handle, via)
            world.kept[id(handle)].latest()
        self.kept.append(handle)

    @precondition(lambda self: self.kept)
    @rule(which=small, what=changes)
    def save_with_a_kept_handle(self, which: int, what: list[Any]) -> None:
        handle = self.kept[which % len(self.kept)]
        head = self.line(handle.thread_id, handle.namespace).head
        self.do_save(handle, 0, self.changed(head.state if head else {}, what), {})

    # ---------------------------------------------------------------- writes and labels

    @rule(
        thread=threads, namespace=namespaces, via=via, which=small, task=st.sampled_from(TASKS),
        values=st.lists(st.tuples(channels, small, st.sampled_from([-2, -1, 0, 1, 2])), min_size=1, max_size=3),
    )  # fmt: skip
    def put_writes(
        self, thread: int, namespace: str, via: int, which: int, task: str, values: list[tuple[str, int, int]]
    ) -> None:
        thread_id = self.which_thread(thread)
        handle = Handle(thread_id, namespace)
        point = self.some_point(thread_id, namespace, which)
        name = point.id if point else "nobody"

        def call(world: World) -> Any:
            world.thread(handle, via).put_writes(world.id(name), values, task_id=task)

        self.agree(lambda: self.model.put_writes(handle, name, list(values), task), call)

    @rule(
        thread=threads, namespace=namespaces, via=via, which=small, text=st.sampled_from(["", "good", "kept"]),
    )  # fmt: skip
    def label(self, thread: int, namespace: str, via: int, which: int, text: str) -> None:
        thread_id = self.which_thread(thread)
        handle = Handle(thread_id, namespace)
        point = self.some_point(thread_id, namespace, which)
        name = point.id if point else "nobody"
        self.agree(
            lambda: self.model.label(handle, name, text),
            lambda world: world.thread(handle, via).label(world.id(name), text),
        )

    # ---------------------------------------------------------------- forks and copies

    @rule(
        thread=threads, to=threads, via=via, which=st.one_of(st.none(), small), history=st.booleans(),
        what=st.one_of(st.none(), changes), namespace=st.sampled_from(["", "", "", "", "a"]),
    )  # fmt: skip
    def fork(
        self, thread: int, to: int, via: int, which: int | None, history: bool, what: list[Any] | None,
        namespace: str,
    ) -> None:  # fmt: skip
        thread_id = self.which_thread(thread)
        target = self.free_thread(to)
        handle, name = Handle(thread_id, namespace), self.new_name()
        point = None if which is None else self.some_point(thread_id, "", which)
        start = point or self.line(thread_id, "").head
        new = None if what is None or start is None else self.changed(start.state, what)
        edited = None if new is None or start is None else {k: v for k, v in new.items() if v != start.state.get(k)}
        at = point.id if point else ("nobody" if which == 7 else None)

        def call(world: World) -> Any:
            made = world.thread(handle, via).fork(None if at is None else world.id(at), edits=edited, to=target, history=history)  # fmt: skip  # noqa: E501
            latest = made.latest(channels=[])
            assert latest is not None
            if world.name_of(latest.id) == latest.id and (edited or not history):
                world.learn(name, latest.id)

        self.agree(lambda: self.model.fork(handle, at, edited, target, history, name), call)

    @rule(source=threads, to=threads, via=via)
    def copy_thread(self, source: int, to: int, via: int) -> None:
        one, other = self.which_thread(source), self.free_thread(to)
        self.agree(
            lambda: self.model.copy_thread(one, other),
            lambda world: world.store(via).copy_thread(one, other),
        )

    # ---------------------------------------------------------------- removing

    @rule(thread=threads, namespace=namespaces, via=via, sure=st.integers(0, 2))
    def delete(self, thread: int, namespace: str, via: int, sure: int) -> None:
        thread_id = self.which_thread(thread)
        if sure:
            return  # seldom, or the machine would spend its time on deleted threads
        handle = Handle(thread_id, namespace)
        self.agree(lambda: self.model.delete(handle), lambda world: world.thread(handle, via).delete())

    @rule(thread=threads, via=via, sure=st.integers(0, 2))
    def a_year_passes(self, thread: int, via: int, sure: int) -> None:
        """For one thread: from then on it is as if it were deleted."""
        thread_id = self.which_thread(thread)
        if sure or thread_id not in self.model.threads:
            return
        self.model.delete(Handle(thread_id, ""))
        for world in self.worlds:
            aged(world.store(via), thread_id, YEAR + 1)

    @rule(via=via)
    def expire(self, via: int) -> None:
        """Changes nothing that anybody sees, and leaves nothing to remove."""
        for world in self.worlds:
            assert world.store(via).expire().skipped == ()
            assert world.store(via).expire().expired == 0

    @rule(
        thread=threads, via=via, sure=st.integers(0, 2), tidy=st.booleans(),
        where=st.sampled_from([None, None, {"by": "ada"}, {"by": "ada", "for": "bob"}, {"by": "nobody"}]),
    )  # fmt: skip
    def erase(self, thread: int, via: int, sure: int, tidy: bool, where: dict[str, Any] | None) -> None:
        """By the metadata of a thread, or of checkpoints. Rows that no thread sees any more may say more than the model
        knows, until they are collected: then all worlds have to erase the same, and no less than the model wants."""
        if sure:
            return
        where = where or self.some_metadata(thread)
        if tidy:
            self.expire(via)
            self.collect(via)
        wanted = self.model.erased(where)
        erased = {world.erase(where, via) for world in self.worlds}
        assert len(erased) == 1, f"worlds erase differently: {erased}"
        (going,) = erased
        assert wanted <= going, f"{where} erased {going}, and should {wanted}"
        assert not tidy or going <= self.model.descended(wanted), f"{where} erased {going}, more than {wanted}"
        for name in going & self.model.threads.keys():
            self.model.delete(Handle(name))

    def some_metadata(self, number: int) -> dict[str, Any]:
        found = self.model.threads.get(self.which_thread(number))
        return dict(sorted(found.metadata.items())[:1]) if found and found.metadata else {"team": number}

    @rule(thread=threads, namespace=namespaces, via=via, which=st.lists(small, min_size=1, max_size=3))
    def delete_checkpoints(self, thread: int, namespace: str, via: int, which: list[int]) -> None:
        thread_id = self.which_thread(thread)
        handle = Handle(thread_id, namespace)
        points = [self.some_point(thread_id, namespace, one) for one in which]
        names = ["nobody", *(point.id for point in points if point)]
        self.agree(
            lambda: self.model.delete_checkpoints(handle, names),
            lambda world: world.thread(handle, via).delete_checkpoints([world.id(name) for name in names]),
        )

    @rule(thread=threads, namespace=namespaces, via=via, run_id=st.sampled_from(RUNS))
    def delete_run(self, thread: int, namespace: str, via: int, run_id: str) -> None:
        thread_id = self.which_thread(thread)
        handle = Handle(thread_id, namespace)
        self.agree(
            lambda: self.model.delete_run(handle, run_id),
            lambda world: world.thread(handle, via).delete_run(run_id),
        )

    @rule(via=via, run_id=st.sampled_from(RUNS))
    def delete_run_everywhere(self, via: int, run_id: str) -> None:
        self.agree(
            lambda: self.model.delete_run_everywhere(run_id),
            lambda world: world.store(via).delete_run(run_id),
        )

    @rule(thread=threads, namespace=namespaces, via=via, last=st.integers(1, 4), ends=st.booleans(), all=st.booleans())
    def prune(self, thread: int, namespace: str, via: int, last: int, ends: bool, all: bool) -> None:
        thread_id = self.which_thread(thread)
        retention = Retention(keep_last=last, keep_terminal=ends, keep_lineage=all)

        def call(world: World) -> Any:
            told = world.thread(Handle(thread_id, namespace), via).prune(retention, dry_run=True)
            done = world.thread(Handle(thread_id, namespace), via).prune(retention)
            assert told == replace(done, dry_run=True)
            return len(done.removed), done.kept

        self.agree(lambda: self.model.prune(Handle(thread_id, namespace), retention), call)

    @rule(via=via)
    def collect(self, via: int) -> None:
        """Changes nothing that anybody sees, and finds nothing to free in what it has just left."""
        for world in self.worlds:
            assert world.store(via).collect().skipped == ()
            assert world.store(via).collect().rows == 0

    # ---------------------------------------------------------------- moving

    @rule(via=via, through_a_file=st.booleans())
    def move(self, via: int, through_a_file: bool) -> None:
        """What comes to another store shows the same there."""
        for world in self.worlds:
            with world.moved(via, Path(self.folder.name) / "bundle" if through_a_file else None) as twin:
                compare([twin], self.model, NAMESPACES, THREADS, self.tick)

    # ---------------------------------------------------------------- forgetting

    @rule(via=via)
    def reopen(self, via: int) -> None:
        self.kept.clear()
        for world in self.worlds:
            world.kept.clear()
            world.reopen(via)

    @rule()
    def drop_caches(self) -> None:
        for world in self.worlds:
            for store in world.stores:
                store._calls.engine.cache.clear()

    # ---------------------------------------------------------------- looking

    @invariant()
    def every_world_shows_what_the_model_shows(self) -> None:
        if hasattr(self, "worlds"):
            self.tick += 1
            compare(self.worlds, self.model, NAMESPACES, THREADS, self.tick)

    @invariant()
    def no_world_is_said_to_be_damaged(self) -> None:
        """One after each step, in turn: they all take the same steps."""
        if hasattr(self, "worlds"):
            world = self.worlds[self.tick % len(self.worlds)]
            assert world.store(self.tick).verify().faults == (), world.name


class StoresOnAServer(Stores):
    """The same with PostgreSQL among them, which answers more slowly: fewer examples."""

    postgres = True


TestStores = Stores.TestCase
TestStores.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=40,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
TestStoresOnAServer = StoresOnAServer.TestCase
TestStoresOnAServer.settings = settings(TestStores.settings, max_examples=EXAMPLES // 2, stateful_step_count=25)
