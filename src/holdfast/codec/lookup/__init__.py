"""Finds the class of this process that a stored name means."""
