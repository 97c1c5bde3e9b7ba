"""The databases of LangGraph's own savers, opened for reading only."""
