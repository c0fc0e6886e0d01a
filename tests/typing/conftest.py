"""The programs beside this file are read by type checkers and run by test_typing.py."""

from pathlib import Path

OTHERS = ("conftest.py", "pages.py", "test_typing.py")
PROGRAMS = [path for path in sorted(Path(__file__).parent.glob("*.py")) if path.name not in OTHERS]
collect_ignore = [path.name for path in PROGRAMS]
