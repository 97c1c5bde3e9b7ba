"""Plain files: a folder that a person can look into, one subfolder for each tree of threads."""

from holdfast.backends.files.backend import FilesBackend

__all__ = ["FilesBackend"]
