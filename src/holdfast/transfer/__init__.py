"""Moving threads: to a file and back, and from one store to another.

A source reads a thread as records, and a target rebuilds it from them; a bundle is the same records in a file. A target
compares digests, never times, to find out what it lacks, and nothing else is moved.
"""

from holdfast.transfer.entry import copy, export, import_
from holdfast.transfer.report import Listener, TransferProgress, TransferReport

__all__ = ["Listener", "TransferProgress", "TransferReport", "copy", "export", "import_"]
