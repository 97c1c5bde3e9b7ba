"""Erasing a person: their threads are removed with everything, all others stay, and the certificate is true."""

from __future__ import annotations

import json
from typing import Any

import pytest

import holdfast
from holdfast import EraseCertificate, InvalidArgument, Retention, Store, ThreadBusy
from holdfast.testing.driver import StoreTests, everything, grown, save_chain
from holdfast.testing.maintenance.collected_rows import shown
from holdfast.testing.maintenance.expired_threads import HOUR, aged, stored

ADA = {"user": "ada"}


def counts(certificate: EraseCertificate) -> tuple[int, ...]:
    names = ("threads", "checkpoints", "writes", "journal", "values", "index", "quarantined", "rows")
    return tuple(getattr(certificate, name) for name in names)


def filled(store: Store, name: str, user: str | None) -> Any:
    """A thread with one of everything."""
    thread = store.thread(name, metadata=None if user is None else {"user": user})
    for number in range(4):
        saved = thread.save({**grown(number), "page": f"{name} {number} " * 300}, run_id=f"{name}-{number // 2}")
        store.thread(name, "inner").save({"n": number}, origin=saved.id)
    thread.put_writes(saved.id, [("log", f"{name} wrote")], task_id="task")
    thread.label(saved.id, f"label of {name}")
    thread.journal.append("note", f"{name} noted")
    return thread


class ErasedPersons(StoreTests):
    def erased(self, store: Store, where: dict[str, Any] = ADA) -> EraseCertificate:
        """Erase, and check that the dry run was right, that the store is intact, and that nothing is left."""
        before = shown(store)
        dry = store.erase(where, dry_run=True)
        assert shown(store) == before
        certificate = store.erase(where)
        assert (counts(dry), dry.thread_ids) == (counts(certificate), certificate.thread_ids)
        assert (certificate.complete, certificate.skipped, dry.dry_run, certificate.dry_run) == (True, (), True, False)
        left = {key: value for key, value in before.items() if key.split("|")[0] not in certificate.thread_ids}
        assert shown(store) == left
        report = store.verify()
        assert (report.faults, report.orphans) == ((), 0)
        again = store.erase(where)
        assert counts(again) == (0,) * 8
        return certificate

    def test_a_thread_is_erased_by_its_metadata(self, store: Store) -> None:
        filled(store, "one", "ada")
        filled(store, "other", "bob")
        filled(store, "unowned", None)
        certificate = self.erased(store)
        assert (certificate.threads, certificate.thread_ids, certificate.checkpoints) == (1, ("one",), 8)
        assert (certificate.journal, certificate.index) == (1, 4)  # its user and status, and two runs
        assert certificate.writes >= 1
        assert certificate.values >= 1
        with pytest.raises(holdfast.Deleted):
            store.thread("one").save({})

    def test_a_thread_is_erased_by_the_metadata_of_a_checkpoint(self, store: Store) -> None:
        thread = store.thread("t")
        save_chain(thread, 2)
        thread.save(grown(3), metadata={"user": "ada", "more": 1})
        inner = store.thread("nested", "a")
        store.thread("nested").save({})
        inner.save({}, metadata=ADA)
        store.thread("other").save({}, metadata={"user": "bob"})
        assert self.erased(store).thread_ids == ("nested", "t")

    def test_all_of_it_has_to_match(self, store: Store) -> None:
        store.thread("a", metadata={"user": "ada", "team": "red"}).save({})
        store.thread("b", metadata={"user": "ada"}).save({}, metadata={"team": "red"})
        store.thread("c", metadata={"user": ["ada"], "team": "red"}).save({})
        assert self.erased(store, {"user": "ada", "team": "red"}).thread_ids == ("a",)
        assert self.erased(store, {"user": ["ada"]}).thread_ids == ("c",)

    def test_forks_and_copies_are_erased_with_it(self, store: Store) -> None:
        thread = store.thread("t")
        saved = save_chain(thread, 5)
        early = thread.fork(at=saved[1].id, to="early")
        early.save({"n": "e"})
        early.fork(to="earlier", history=False)
        thread.save(grown(6), metadata=ADA)
        store.copy_thread("t", "copy")
        thread.fork(to="late").fork(to="later")
        filled(store, "other", "bob")
        assert self.erased(store).thread_ids == ("copy", "earlier", "early", "late", "later", "t")

    def test_so_is_a_fork_of_a_fork_that_is_deleted(self, store: Store) -> None:
        thread = store.thread("t")
        save_chain(thread, 2)
        thread.fork(to="gone", history=False).fork(to="fork").save({"n": 1})
        store.thread("gone").delete()
        thread.save(grown(3), metadata=ADA)
        assert self.erased(store).thread_ids == ("fork", "t")

    def test_a_copy_of_a_fork_of_an_earlier_thread_of_the_same_id_stays(self, store: Store) -> None:
        save_chain(store.thread("t"), 2)
        for name, history in (("fork", True), ("other", False)):
            store.thread("t").fork(to=name, history=history)
        store.thread("t").delete()
        store.thread("t", metadata=ADA, reuse=True).save({})
        for name in ("fork", "other"):
            store.copy_thread(name, f"copy of {name}")
        assert self.erased(store).thread_ids == ("t",)

    def test_what_it_was_forked_from_stays(self, store: Store) -> None:
        origin = filled(store, "origin", None)
        fork = origin.fork(at=origin.history()[1].id, to="fork")
        for number in range(3):
            fork.save({**grown(number), "page": f"fork {number} " * 300}, metadata=ADA, run_id="run of fork")
        fork.put_writes(fork.latest().id, [("log", "of fork")], task_id="task")
        fork.journal.append("note", "of fork")
        fork.fork(to="deeper").save({"n": 1})
        certificate = self.erased(store)
        assert certificate.thread_ids == ("deeper", "fork")
        assert (certificate.checkpoints, certificate.journal) == (4, 1)
        assert len(everything(origin)) == 4

    def test_one_that_only_a_fork_still_sees(self, store: Store) -> None:
        origin = store.thread("origin")
        save_chain(origin, 2)
        overlaid = origin.save(grown(2), metadata=ADA)
        save_chain(origin, 2)
        origin.fork(to="fork")
        origin.fork(at=origin.history()[-1].id, to="before")
        origin.delete()
        assert self.erased(store).thread_ids == ("fork",)
        assert store.thread("before").load(overlaid.id) is None

    def test_one_that_was_pruned_and_not_collected(self, store: Store) -> None:
        thread = store.thread("t")
        thread.save(grown(1), metadata=ADA)
        save_chain(thread, 3)
        thread.prune(Retention(keep_last=1))
        assert self.erased(store).thread_ids == ("t",)

    def test_one_whose_time_is_over(self, store: Store) -> None:
        store.thread("t", metadata=ADA, ttl=HOUR).save({})
        aged(store, "t", 2 * HOUR)
        assert store.erase(ADA).thread_ids == ("t",)
        assert not stored(store, "t")

    def test_never_while_a_worker_holds_one(self, store: Store) -> None:
        filled(store, "a", "ada")
        filled(store, "b", "ada")
        before = shown(store)
        with store.thread("b").run(input={"n": 1}), pytest.raises(ThreadBusy, match="'b'"):
            store.erase(ADA)
        assert [one.id for one in store.threads()] == ["a", "b"]
        assert {key for key in shown(store) if key.startswith("a")} == {key for key in before if key.startswith("a")}
        assert self.erased(store).thread_ids == ("a", "b")

    def test_nothing_named_is_refused(self, store: Store) -> None:
        store.thread("t").save({})
        nothing: list[Any] = [{}, None, "user"]
        for where in nothing:
            with pytest.raises(InvalidArgument):
                store.erase(where)
        assert counts(store.erase(ADA)) == (0,) * 8
        assert len(store.threads()) == 1

    def test_the_certificate_names_no_person(self, store: Store) -> None:
        filled(store, "secret-name", "grace")  # no hexadecimal digits, as digests have them
        grace = {"user": "grace"}
        certificate = store.erase(grace)
        text = json.dumps(certificate.record()) + repr(certificate)
        assert "secret-name" not in text
        assert "grace" not in text
        assert certificate.thread_ids == ("secret-name",)
        assert certificate.started_at <= certificate.finished_at
        assert certificate.digest == store_digest(certificate)
        assert certificate.where_digest == store.erase(grace).where_digest != store.erase({"user": "bob"}).where_digest

    def test_an_id_can_be_used_again(self, store: Store) -> None:
        filled(store, "t", "ada")
        store.erase(ADA)
        assert store.thread("t", reuse=True).save({"n": 1}).parent_id is None

    def test_progress_is_reported_while_erasing(self, store: Store) -> None:
        for number in range(3):
            store.thread(str(number)).save({})
        reports: list[tuple[int, int]] = []
        store.erase(ADA, progress=lambda done, known: reports.append((done, known)))
        assert reports == [(1, 3), (2, 3), (3, 3)]


def store_digest(certificate: EraseCertificate) -> str:
    """Computed as docs/how-to/delete.md describes."""
    from hashlib import blake2b

    fields = {key: value for key, value in certificate.record().items() if key != "digest"}
    return blake2b(json.dumps(fields, sort_keys=True).encode(), digest_size=32).hexdigest()
