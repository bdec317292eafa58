"""Answers or checks thousands of rows into a table; a run can be resumed, and one failure costs one row."""

from footnoted.batch.table import COLUMNS, Row, write_table
from footnoted.batch.tasks import Task, read_tasks
from footnoted.batch.work import Work, Worker, run_local

__all__ = ["COLUMNS", "Row", "Task", "Work", "Worker", "read_tasks", "run_local", "write_table"]
