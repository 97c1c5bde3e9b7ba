"""The agent of `holdfast demo`, and the world it works in."""
