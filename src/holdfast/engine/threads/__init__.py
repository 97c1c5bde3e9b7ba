"""Threads: where they are, what they see, forks, leases, policies and tombstones."""
