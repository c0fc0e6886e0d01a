"""Six short lessons: texts with walks and questions in them, whose answers the engine computes.

Each lesson is a file of TOML beside this one. `reading` makes the page's blocks of it, `answers`
judges what a reader has typed, `routes` is how the studio's page asks for both.
"""

from __future__ import annotations

from .answers import Judgement, judge
from .reading import Lesson, Question, lessons
from .routes import routes

__all__ = ["Judgement", "Lesson", "Question", "judge", "lessons", "routes"]
