"""PostgreSQL: one store for many machines."""

from holdfast.backends.postgres.address import parse
from holdfast.backends.postgres.backend import PostgresBackend

__all__ = ["PostgresBackend", "parse"]
