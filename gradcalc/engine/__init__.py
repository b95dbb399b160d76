"""Graphs to numbers: the planner decides what happens in which order, the executor does it."""

from .executor import Known, evaluate, execute
from .planner import Plan, plan

__all__ = ["Known", "Plan", "evaluate", "execute", "plan"]
