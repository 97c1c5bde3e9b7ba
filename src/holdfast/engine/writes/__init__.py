"""The pending writes of tasks: how they are stored, settled, and kept until their checkpoint comes."""
