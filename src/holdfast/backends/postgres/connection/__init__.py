"""Reaching a server: its address, the two ways to wait for it, and what a lost connection means."""
