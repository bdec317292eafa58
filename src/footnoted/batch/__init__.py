"""Thousands of questions or checks in; a table of answers out, resumable, one failure costing one row."""

from footnoted.batch.local import run_local
from footnoted.batch.row import COLUMNS, Row
from footnoted.batch.table import write_table
from footnoted.batch.tasks import Task, read_tasks
from footnoted.batch.work import Work, Worker

__all__ = ["COLUMNS", "Row", "Task", "Work", "Worker", "read_tasks", "run_local", "write_table"]
