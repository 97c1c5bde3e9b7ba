"""Moving threads: to a file and back, and from one store to another.

A source takes a thread apart into records, and a target puts it together again; a bundle is the same records in a
file. What a target has already is told by digests, never by times, and is not moved again.
"""

from holdfast.transfer.moving import copy, export, import_
from holdfast.transfer.reports import Listener, TransferProgress, TransferReport

__all__ = ["Listener", "TransferProgress", "TransferReport", "copy", "export", "import_"]
