"""One module per command; the module's name is the command's name."""
