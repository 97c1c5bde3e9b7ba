"""Handlers: one module for each group of types of the standard library, NumPy or LangChain, and one for objects."""
