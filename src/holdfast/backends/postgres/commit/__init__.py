"""A batch becomes a program for the server, and programs share commits."""
