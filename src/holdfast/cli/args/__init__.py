"""The arguments and options of the commands: stores, checkpoints, conditions, durations, confirmation."""
