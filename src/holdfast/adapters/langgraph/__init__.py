"""Holdfast as LangGraph's checkpointer::

from holdfast.adapters.langgraph import HoldfastSaver

graph = builder.compile(checkpointer=HoldfastSaver.from_url("agents.db"))
"""

try:
    import langgraph.checkpoint.base  # noqa: F401
except ImportError as error:
    raise ImportError("the LangGraph saver needs an extra: pip install 'holdfast[langgraph]'") from error

from holdfast.adapters.langgraph.saver import HoldfastSaver

__all__ = ["HoldfastSaver"]
