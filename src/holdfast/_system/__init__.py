"""What Holdfast needs of the operating system and the interpreter: files, `os.fork`, and signals at any moment."""
