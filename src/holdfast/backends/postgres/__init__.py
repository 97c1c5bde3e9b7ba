"""PostgreSQL: one store for many machines."""

from holdfast.backends.postgres.backend import PostgresBackend
from holdfast.backends.postgres.migration import initialize

__all__ = ["PostgresBackend", "initialize"]
