"""`holdfast erase`: remove somebody's threads so that no byte of them stays."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from holdfast.cli.asking import YesOption, bar, may_go_on
from holdfast.cli.conditions import as_text_instead, conditions
from holdfast.cli.escapes import one_line
from holdfast.cli.output import console, note, refuse, write_json
from holdfast.cli.quantities import counted
from holdfast.cli.stores import JsonOption, StoreArgument, opened
from holdfast.model import EraseCertificate


def command(
    store: StoreArgument,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="The metadata of what is to go; may be repeated, all have to match."),
    ] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove every thread with this metadata, its forks and all it has. Shows first what would go, and asks."""
    wanted = conditions(where)
    if not wanted:
        refuse("name what is to go: --where user=u1")
    with opened(store) as there, bar("looking", quiet=as_json) as progress:
        certificate = there.erase(wanted, dry_run=True, progress=progress)
    going = may_go_on(_listed(certificate, wanted), "erase them for good?", yes=yes, quiet=as_json)
    if going:
        with opened(store) as there, bar("erasing", quiet=as_json) as progress:
            certificate = there.erase(wanted, progress=progress)
    if as_json:
        write_json(certificate.record())
    else:
        console().print(_told(certificate))
    for one in certificate.skipped:
        note(f"NOT erased: {one}")
    if not certificate.complete:
        raise typer.Exit(1)


def _listed(certificate: EraseCertificate, wanted: dict[str, Any]) -> str:
    names = [f"  {one_line(one)}" for one in certificate.thread_ids]
    if not names:
        return "no thread matches" + "".join(map(as_text_instead, wanted.items()))
    return "\n".join([f"{counted(certificate.threads, 'thread')} would go:", *names])


def _told(certificate: EraseCertificate) -> str:
    if certificate.dry_run:
        return "nothing was erased; --yes erases"
    what = [
        counted(certificate.threads, "thread"), counted(certificate.checkpoints, "checkpoint"),
        counted(certificate.writes, "write"), f"{counted(certificate.journal, 'line')} of journal",
        f"{counted(certificate.values, 'piece')} of values",
    ]  # fmt: skip
    remains = "".join(f"\n  {one}" for one in certificate.remains)
    told = f"erased {', '.join(what)}\ncertificate {certificate.digest}"
    return told + (f"\nmay still hold copies:{remains}" if remains else "")
