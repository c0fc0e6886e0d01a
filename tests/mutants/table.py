"""The table of mutants, read from the TOML files beside this file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Mutant:
    """One mistake: see the package."""

    why: str
    file: str
    text: str
    into: str
    tests: list[str] = field(default_factory=list)
    engine: str = "native"
    equivalent: str = ""

    @property
    def is_compiled(self) -> bool:
        """Whether the native engine has to be built for it."""
        return self.file.endswith((".c", ".h"))

    def path(self, root: Path) -> Path:
        """The file in a tree."""
        return root / "src" / "gradwalk" / self.file

    def applied(self, source: str) -> str:
        """Return the source with the mistake. Raise `LookupError` if its text is not there once."""
        count = source.count(self.text)
        if count != 1:
            raise LookupError(f"{self.file}: {count} times instead of once: {self.text}")
        return source.replace(self.text, self.into)


def mutants() -> list[Mutant]:
    paths = sorted(Path(__file__).parent.glob("*.toml"))
    tables = [tomllib.loads(path.read_text("utf-8"))["mutant"] for path in paths]
    return [Mutant(**entry) for table in tables for entry in table]
