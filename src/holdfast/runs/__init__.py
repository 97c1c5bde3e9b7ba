"""One execution of a thread: its lease, steps, replay and saves."""
