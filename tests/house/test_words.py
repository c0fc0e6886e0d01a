"""The style of texts, where a machine can check it: named actors, fixes that begin with a verb."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gradwalk

from ..helpers.imports import modules_of
from ..helpers.pages import MANUAL, sentences, without_code
from ..helpers.prose import Prose, of_lesson, of_python, of_typescript

SOURCE = Path(gradwalk.__file__).parent
ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
PAGES = [ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING", "CHANGELOG")]
PAGES += sorted((ROOT / "docs" / "manual").rglob("*.md"))
PAGES += TUTORIALS
PAGES += sorted((ROOT / "docs" / "decisions").glob("*.md"))

VAGUE = re.compile(r"\b(?:somebody|nobody|whoever|everybody|anybody|everyone)\b", re.IGNORECASE)
"""Words that leave the actor unnamed: the user, the caller, another thread, another reference."""

IMPERATIVES = """
Add Append Assign Build Call Check Choose Compare Compute Convert Count Create Define Draw Explore
Fix Give Insert Install Keep Leave Load Look Make Measure Name Pad Pass Pickle Put Reduce Remove
Reshape Return Rewind Save Search See Set Skip Start Sum Take Train Try Turn Use Wrap Write
"""
VERBS = frozenset(IMPERATIVES.split())
"""The verbs, in the imperative, with which the fix of an error may begin."""


def room_of(path: Path) -> str:
    """Return the package of a file. ``tensor`` and ``ops`` have rooms of their own inside."""
    parts = path.relative_to(SOURCE).parts[:-1]
    return "/".join(parts[: 2 if parts[:1] in {("tensor",), ("ops",)} else 1]) or "gradwalk"


def rooms() -> dict[str, list[Path]]:
    """Return the Python files of each room."""
    files: dict[str, list[Path]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        files.setdefault(room_of(path), []).append(path)
    return files


ROOMS = rooms()


def vague_lines(text: str) -> Iterator[str]:
    """Yield the lines with a vague word, behind their numbers."""
    for number, line in enumerate(text.splitlines(), 1):
        if VAGUE.search(line):
            yield f"{number}: {line.strip()}"


def fixes(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each ``fix=`` of a call, all branches of a choice included."""
    for node in ast.walk(ast.parse(text)):
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            if keyword.arg == "fix":
                yield from texts_of(keyword.value)


def texts_of(node: ast.expr) -> Iterator[tuple[int, str]]:
    """Yield the literal beginnings that an expression may have. Names and calls have none."""
    match node:
        case ast.Constant(value=str(text)) | ast.JoinedStr(values=[ast.Constant(value=text), *_]):
            yield node.lineno, str(text)
        case ast.IfExp(body=body, orelse=other):
            yield from (*texts_of(body), *texts_of(other))
        case ast.BoolOp(values=values):
            yield from (text for value in values for text in texts_of(value))


def fixes_without_a_verb(text: str) -> Iterator[str]:
    """Yield the fixes that do not begin with one of `VERBS`, behind their line numbers."""
    for line, fix in fixes(text):
        if not VERBS.issuperset(fix.split()[:1]):
            yield f"{line}: {fix}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_name_the_actor(page: Path) -> None:
    assert list(vague_lines(page.read_text("utf-8"))) == []


# --- the manual -----------------------------------------------------------------------------------

LONGEST = 25
"""Words of a sentence of the manual; code counts as one word."""

REPLACED = {
    r"sweeps?|swept|walk(?:s|ed)? back(?:wards?)?": "a backward pass",
    r"shares? of|its share|the shares|two shares": "a contribution, a fraction",
    r"shut|mends?|mended|anew|told": "blocks, corrects, again, documented",
    r"inside of|outside of|of itself alone": "inside, outside, by itself",
    r"whole numbers?|from [01] on": "integers, non-negative, positive",
    r"in the place of|takes? the place": "instead of, replaces",
    r"taken apart|put together|put aside": "flattened, unflattened, stored",
    r"rows? of (?:the|your) table|rows? of your own|own rows?": "an operation, a custom operation",
    r"goes on|go on|hands|has its turn|lies": "continues, passes, is processed, is",
    r"training room|specification|strangers": "training, the reference, unauthenticated",
    r"(?<!there )is (?-i:none)|that is no|(?<!there )(?:is|are) no (?!longer\b)\w+": "is not",
}
"""Words of the glossary's left column, where they have one meaning only, and what to write."""
RIDDLES = re.compile(rf"\b(?:{'|'.join(REPLACED)})\b", re.IGNORECASE)


def long_sentences(text: str) -> list[str]:
    """Return the sentences with more than `LONGEST` words."""
    return [s for s in sentences(text) if len(re.findall(r"[^\s\W][^\s]*", s)) > LONGEST]


def replaced_words(text: str) -> list[str]:
    """Return what the glossary replaces, with the line that has it, in sentences and tables."""
    lines = without_code(text).splitlines()
    return [f"{match[0]}: {line}" for line in lines for match in RIDDLES.finditer(line)]


@pytest.mark.parametrize("page", MANUAL + TUTORIALS, ids=lambda path: path.name)
def test_sentences_of_the_manual_are_short(page: Path) -> None:
    assert long_sentences(page.read_text("utf-8")) == []


@pytest.mark.parametrize("page", MANUAL + TUTORIALS, ids=lambda path: path.name)
def test_the_manual_uses_the_words_of_the_glossary(page: Path) -> None:
    assert replaced_words(page.read_text("utf-8")) == []


def test_long_sentences_and_replaced_words_are_found() -> None:
    words = "`a b c` $x + y$ " + "word " * 23
    assert long_sentences(f"{words.strip()}. Short.") == []
    assert long_sentences(f"{words}more.\n\n| {'in a table ' * 10} |") == [
        f"CODE FORMULA {'word ' * 23}more."
    ]
    assert long_sentences("```python\n" + "x " * 30 + "\n```\n# " + "x " * 30) == []
    for riddle in ("One sweep.", "Inside of it.", "It is no number.", "From 0 on.", "Its share."):
        assert replaced_words(f"A. {riddle}"), riddle
    assert replaced_words("| a | told |") == ["told: | a | told |"]
    assert replaced_words("There is no sum: it is no longer there, `sweep`; they share it.") == []


# --- the page and the messages --------------------------------------------------------------------

WEB = ROOT / "web" / "src"
SCRIPTS = sorted(path for path in WEB.rglob("*.ts*") if path.name != "table.ts")
"""The sources of the page. Its table is printed from the primitives, whose texts are read here."""
LESSONS = sorted((SOURCE / "studio" / "lessons").glob("*/*.toml"))

MISUSED = REPLACED | {
    r"recorded shares?|shares? to|(?:a|one|each|last|own) share": "a contribution, a fraction",
    r"^slopes? of|local slopes?": "a derivative",
    r"row '?CODE'?|unknown rows?|known rows?": "an operation",
    r"stated where|looks wrong|hand(?:s|ed) on": "a convention, the likely cause, propagated",
    r"(?:this|the|a|every|all) rooms?": "a page, a package",
}
"""The same, and words that have this meaning only in sources, which the manual uses otherwise."""
MISUSES = re.compile(rf"\b(?:{'|'.join(MISUSED)})\b", re.IGNORECASE)


def misused_words(found: list[Prose]) -> list[str]:
    """Return the texts with a word that the glossary replaces, behind their line numbers."""
    texts = [(line, text) for line, text in found if " " in text]  # neither paths nor names
    return [f"{line}: {text}" for line, text in texts if MISUSES.search(text) or VAGUE.search(text)]


def long_texts(found: list[Prose]) -> list[str]:
    """Return the sentences with more than `LONGEST` words, behind their line numbers."""
    return [f"{line}: {long}" for line, text in found for long in long_sentences(text)]


def of_script(path: Path) -> list[Prose]:
    """Return the texts of a source of the page."""
    return of_typescript(path.read_text("utf-8"), path.suffix == ".tsx")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(WEB).as_posix())
def test_the_page_uses_the_words_of_the_glossary(path: Path) -> None:
    assert misused_words(of_script(path)) == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(WEB).as_posix())
def test_sentences_of_the_page_are_short(path: Path) -> None:
    assert long_texts(of_script(path)) == []


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_lessons_use_the_words_of_the_glossary_in_short_sentences(path: Path) -> None:
    found = [(0, text) for text in of_lesson(path.read_text("utf-8"))]
    assert misused_words(found) + long_texts(found) == []


@pytest.mark.parametrize("room", ROOMS)
def test_messages_use_the_words_of_the_glossary(room: str) -> None:
    studio = room.startswith("studio")
    found = {
        path.relative_to(SOURCE): misused_words(of_python(path.read_text("utf-8"), studio))
        for path in ROOMS[room]
    }
    violations = [f"{path}:{text}" for path, texts in found.items() for text in texts]
    assert not violations, "\n".join(violations)


def test_texts_of_typescript_are_found() -> None:
    text = """
/** A comment
 * of two lines. */
const a = "one " + 'two' + `three ${f(`${x} inner`, { y: "deep" })} four`; // the end
const pattern = /["']/g;
const view = <p class="quiet">Text of {name}&apos;s <b>page</b></p>;
"""
    assert of_typescript(text, jsx=True) == [
        (2, "A comment of two lines."),
        (4, "CODE inner"),
        (4, "deep"),
        (4, "one twothree CODE four"),
        (4, "the end"),
        (6, "Text of"),
        (6, "page"),
        (6, "quiet"),
    ]


def test_texts_of_python_are_found() -> None:
    text = '''"""A module."""
def f(x):
    """Return x.

        y = 2 x
    """
    return "one " f"{x} two"  # a comment
'''
    assert of_python(text) == [(7, "one CODE two")]
    assert of_python(text, docstrings=True) == [
        (1, "A module."),
        (3, "Return x."),
        (7, "a comment"),
        (7, "one CODE two"),
    ]


def test_texts_of_lessons_are_found() -> None:
    text = '[[block]]\n[block.question]\nname = "x"\nask = "Is `x` 1?"\nformula = "a b"'
    assert of_lesson(f"title = 'One.'\n{text}") == ["One.", "Is CODE 1?"]


def test_every_source_of_the_page_has_texts() -> None:
    counts = [len(of_script(path)) for path in SCRIPTS]
    assert len(counts) > 150
    assert min(counts) > 0
    assert sum(counts) > 5000


# --- sources --------------------------------------------------------------------------------------


@pytest.mark.parametrize("room", ROOMS)
def test_docstrings_comments_and_messages_name_the_actor(room: str) -> None:
    violations = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in ROOMS[room]
        for line in vague_lines(path.read_text("utf-8"))
    ]
    assert not violations, "\n".join(violations)


@pytest.mark.parametrize("room", ROOMS)
def test_fixes_begin_with_a_verb(room: str) -> None:
    violations = [
        f"{path.relative_to(SOURCE)}:{fix}"
        for path in ROOMS[room]
        for fix in fixes_without_a_verb(path.read_text("utf-8"))
    ]
    assert not violations, "\n".join(violations)


# --- the tests can fail ---------------------------------------------------------------------------


def test_vague_words_are_found_in_comments_docstrings_and_messages() -> None:
    text = '"""Nobody asks."""\nx = 1  # for whoever reads\ny = "a body"\nz = "Everybody"\n'
    assert [line.partition(":")[0] for line in vague_lines(text)] == ["1", "2", "4"]


def test_fixes_of_all_forms_are_found() -> None:
    text = """
E(fix="1 is the default.")
E(fix=f"The {name} is wrong.")
E(fix="It is." if x else "Pass 1.")
E(fix=name or "Such as 1.")
E(fix=f"{name} is wrong.")
E(fix=name)
E(fix="Passing 1.")
"""
    wrong = ["2: 1 is the default.", "3: The ", "4: It is.", "5: Such as 1.", "8: Passing 1."]
    assert sorted(fixes_without_a_verb(text)) == wrong
    assert len(list(fixes(text))) == 6


def test_most_fixes_are_read() -> None:
    count = sum(len(list(fixes(path.read_text("utf-8")))) for path in SOURCE.rglob("*.py"))
    assert count > 200


# --- one vocabulary: the glossary of ARCHITECTURE.md ----------------------------------------------

PRIVATE = {
    "share",
    "shares",
    "gate",
    "gated",
    "gates",
    "unless",
    "shut",
    "sweep",
    "sweeps",
    "swept",
    "pull",
    "pulled",
    "push",
    "pushed",
    "hub",
    "bundle",
    "blame",
    "lend",
    "duals",
    "moved",
    "kept",
    "needs",
    "taped",
    "stripped",
    "promised",
    "forced",
    "applied",
    "habit",
    "habits",
}
"""Words that the field does not use for what they named here."""
OF_THE_FIELD = {"sweep", "sweeps"}  # of hyperparameters
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def public_names(module: str) -> list[str]:
    names = getattr(importlib.import_module(module), "__all__", ())
    return [*names, module.rpartition(".")[2]]


@pytest.mark.parametrize("module", [m for m in modules_of(SOURCE) if not m.endswith("__main__")])
def test_public_names_use_the_words_of_the_field(module: str) -> None:
    for name in public_names(module):
        if name not in OF_THE_FIELD and not name.isupper():
            assert not {word.lower() for word in WORD.findall(name)} & PRIVATE, name


def test_private_words_are_found() -> None:
    assert {word.lower() for word in WORD.findall("added_shareOfGate")} & PRIVATE == {
        "share",
        "gate",
    }
