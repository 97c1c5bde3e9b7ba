"""Verifying a store, and repairing it.

`verification` reads one tree after the other; the modules `check_…` add faults to its `findings`. `repairs` checks a
damaged tree again and again, and each time commits one `repair_batch`, planned by a step of the modules `repair_…`.
"""
