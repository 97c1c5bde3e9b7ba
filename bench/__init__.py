"""Measurements, as ratios within one run: `make bench`, or `python -m bench sizes speed`."""
