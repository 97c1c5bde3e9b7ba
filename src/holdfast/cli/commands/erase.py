"""`holdfast erase`: removes a person's threads so that no byte of them stays."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from holdfast.cli.args.confirmation import YesOption, confirmed
from holdfast.cli.args.store_url import JsonOption, StoreArgument, open_existing
from holdfast.cli.args.where import as_text_instead, conditions
from holdfast.cli.ui.humanize import counted
from holdfast.cli.ui.output import console, note, refuse, write_json
from holdfast.cli.ui.progress import progress
from holdfast.cli.ui.terminal_text import one_line
from holdfast.model import EraseCertificate


def command(
    url: StoreArgument,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Erase threads with this metadata. May be repeated; all must match."),
    ] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove every thread with this metadata, for good. Forks and copies are removed too. Shows what would be erased,
    and asks first."""
    wanted = conditions(where)
    if not wanted:
        refuse("name the threads to erase by their metadata: --where user=u1")
    certificate = _erase(url, wanted, dry_run=True, quiet=as_json)
    if confirmed(_preview(certificate, wanted), "erase them for good?", yes=yes, quiet=as_json):
        certificate = _erase(url, wanted, dry_run=False, quiet=as_json)
    if as_json:
        write_json(certificate.record())
    else:
        console().print(_summary(certificate))
    for reason in certificate.skipped:
        note(f"NOT erased: {reason}")
    if not certificate.complete:
        raise typer.Exit(1)


def _erase(url: str, wanted: dict[str, Any], *, dry_run: bool, quiet: bool) -> EraseCertificate:
    action = "searching" if dry_run else "erasing"
    with open_existing(url) as store, progress(action, quiet=quiet) as update:
        return store.erase(wanted, dry_run=dry_run, progress=update)


def _preview(certificate: EraseCertificate, wanted: dict[str, Any]) -> str:
    names = [f"  {one_line(thread_id)}" for thread_id in certificate.thread_ids]
    if not names:
        return "no thread matches" + "".join(map(as_text_instead, wanted.items()))
    return "\n".join([f"{counted(certificate.threads, 'thread')} would be erased:", *names])


def _summary(certificate: EraseCertificate) -> str:
    if certificate.dry_run:
        return "nothing was erased; --yes erases them"
    parts = [
        counted(certificate.threads, "thread"), counted(certificate.checkpoints, "checkpoint"),
        counted(certificate.writes, "write"), counted(certificate.journal, "journal entry"),
        f"{counted(certificate.values, 'piece')} of values",
    ]  # fmt: skip
    lines = [f"erased {', '.join(parts)}", f"certificate {certificate.digest}"]
    if certificate.remains:
        lines += ["may still hold copies:", *(f"  {location}" for location in certificate.remains)]
    return "\n".join(lines)
