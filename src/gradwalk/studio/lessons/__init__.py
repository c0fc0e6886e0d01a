"""Two courses of lessons: texts with walks and questions, whose answers the engine computes.

Each course is a folder here, and each lesson a TOML file in it. `reading` turns it into blocks for
the page, `answers` checks the reader's answers, and `routes` has the addresses of both.
"""

from __future__ import annotations

from .answers import Judgement, judge
from .reading import Choice, Course, Lesson, Question, courses, lessons
from .routes import routes

__all__ = [
    "Choice",
    "Course",
    "Judgement",
    "Lesson",
    "Question",
    "courses",
    "judge",
    "lessons",
    "routes",
]
