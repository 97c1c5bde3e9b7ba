"""Holdfast inside the frameworks that people already use: one package for each."""
