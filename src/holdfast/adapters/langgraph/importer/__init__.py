"""Imports the threads that LangGraph's own savers stored.

::

    with HoldfastSaver.from_url("agents.db") as saver:
        report = import_threads("checkpoints.sqlite", saver)
"""

from holdfast.adapters.langgraph.importer.checkpoint_import import ImportProgress, ImportReport, Problem, import_threads
from holdfast.adapters.langgraph.importer.sources.source import Source
from holdfast.adapters.langgraph.importer.sources.source_url import open_source

__all__ = ["ImportProgress", "ImportReport", "Problem", "Source", "import_threads", "open_source"]
