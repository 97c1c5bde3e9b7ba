"""Erasing: whoever is named goes with everything, others keep all they have, and the certificate is true."""

from __future__ import annotations

import json
from typing import Any

import pytest

import holdfast
from holdfast import EraseCertificate, InvalidArgument, Retention, Store, ThreadBusy
from holdfast.testing.collecting import shown
from holdfast.testing.driver import StoreTests, everything, grown, save_chain
from holdfast.testing.expiring import HOUR, aged, stored

ADA = {"user": "ada"}


def counts(certificate: EraseCertificate) -> tuple[int, ...]:
    told = certificate
    return (
        told.threads, told.checkpoints, told.writes, told.journal, told.values, told.index, told.quarantined, told.rows,
    )  # fmt: skip


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


class Erasing(StoreTests):
    def erased(self, store: Store, where: dict[str, Any] = ADA) -> EraseCertificate:
        """Erase, and see that it goes as the dry run says, that the store is sound, and that nothing is left over."""
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

    def test_a_thread_goes_by_its_metadata(self, store: Store) -> None:
        filled(store, "one", "ada")
        filled(store, "other", "bob")
        filled(store, "nobodys", None)
        certificate = self.erased(store)
        assert (certificate.threads, certificate.thread_ids, certificate.checkpoints) == (1, ("one",), 8)
        assert (certificate.journal, certificate.index) == (1, 4)  # its user and status, and two runs
        assert certificate.writes >= 1
        assert certificate.values >= 1
        with pytest.raises(holdfast.Deleted):
            store.thread("one").save({})

    def test_a_thread_goes_by_the_metadata_of_a_checkpoint(self, store: Store) -> None:
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

    def test_forks_and_copies_go_with_it(self, store: Store) -> None:
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
        marked = origin.save(grown(2), metadata=ADA)
        save_chain(origin, 2)
        origin.fork(to="fork")
        origin.fork(at=origin.history()[-1].id, to="before")
        origin.delete()
        assert self.erased(store).thread_ids == ("fork",)
        assert store.thread("before").load(marked.id) is None

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

    def test_the_certificate_names_nobody(self, store: Store) -> None:
        filled(store, "secret-name", "grace")  # no hexadecimal digits, as digests have them
        grace = {"user": "grace"}
        certificate = store.erase(grace)
        told = json.dumps(certificate.record()) + repr(certificate)
        assert "secret-name" not in told
        assert "grace" not in told
        assert certificate.thread_ids == ("secret-name",)
        assert certificate.started_at <= certificate.finished_at
        assert certificate.digest == store_digest(certificate)
        assert certificate.where_digest == store.erase(grace).where_digest != store.erase({"user": "bob"}).where_digest

    def test_an_id_can_be_used_again(self, store: Store) -> None:
        filled(store, "t", "ada")
        store.erase(ADA)
        assert store.thread("t", reuse=True).save({"n": 1}).parent_id is None

    def test_it_tells_how_far_it_has_looked(self, store: Store) -> None:
        for number in range(3):
            store.thread(str(number)).save({})
        told: list[tuple[int, int]] = []
        store.erase(ADA, progress=lambda done, known: told.append((done, known)))
        assert told == [(1, 3), (2, 3), (3, 3)]


def store_digest(certificate: EraseCertificate) -> str:
    """As docs/how-to/delete.md says that it is made."""
    from hashlib import blake2b

    told = {key: value for key, value in certificate.record().items() if key != "digest"}
    return blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=32).hexdigest()
