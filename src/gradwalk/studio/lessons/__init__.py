"""Six short lessons: texts with walks and questions, whose answers the engine computes.

Each lesson is a TOML file in this folder. `reading` turns it into blocks for the page, `answers`
checks the reader's answers, and `routes` has the addresses of both.
"""

from __future__ import annotations

from .answers import Judgement, judge
from .reading import Lesson, Question, lessons
from .routes import routes

__all__ = ["Judgement", "Lesson", "Question", "judge", "lessons", "routes"]
