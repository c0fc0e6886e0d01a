"""What the pages say is true: code runs, links and names exist, tables are current.

A code block that begins with ``>>>`` is run; one of Python without prompts is a piece of the table,
quoted word for word; a ``console`` block is a command with its output.
"""

from __future__ import annotations

import ast
import doctest
import functools
import http.server
import importlib
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

import gradwalk
from gradwalk.ops import TABLE

from ..helpers.pages import blocks, fences, spans

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "gradwalk"
MANUAL = sorted((ROOT / "docs" / "manual").glob("*.md"))
TRANSFORMS = sorted((ROOT / "docs" / "manual" / "transforms").glob("*.md"))
PAGES = [*(ROOT / f"{name}.md" for name in ("README", "ARCHITECTURE", "CONTRIBUTING")), *MANUAL]
HOWTO = sorted((ROOT / "docs" / "manual" / "howto").glob("*.md"))
PAGES += [*TRANSFORMS, *HOWTO]
ALL_PAGES = [*PAGES, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs" / "decisions").glob("*.md"))]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

MADE = {"benchmarks/results.json", "site/", "kernels.h", "vector_kernels.h"}  # by make
MADE |= {
    "weights.json",
    "loss.csv",
    "loss.png",
    "boundary.png",
    "graph.svg",
    "confusion.csv",
}  # by gradwalk train
MADE |= {"weights.safetensors", "summary.json", "digits.png", "samples.txt"}  # by gradwalk train
MADE |= {"rows.md"}  # by docs/rows.py
MADE |= {"walk.html"}  # by explore
MADE |= {"loss.c", "loss.js"}  # by export
BUILT = ("node_modules", "build")  # in web, by npm

by_name = pytest.mark.parametrize("page", ALL_PAGES, ids=lambda path: path.name)


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts of ``docs`` can be imported."""
    monkeypatch.syspath_prepend(str(ROOT))


# --- code ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda path: path.name)
def test_examples_run(page: Path) -> None:
    code = "\n".join(block for block in blocks(page, "python") if block.startswith(">>>"))
    if "import torch" in code:
        pytest.importorskip("torch", reason="make test-peers runs it")
    if "import jax" in code:
        pytest.importorskip("jax", reason="make test-peers runs it")
    if "sklearn" in code:
        pytest.importorskip("sklearn")
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
    assert test.examples, "a page without an example"
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert not report, "".join(report)


README = ROOT / "README.md"


@pytest.mark.parametrize("block", blocks(README, "python"))
def test_each_snippet_of_readme_runs_alone(block: str) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, "README.md", str(README), 0)
    report: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert test.examples
    assert not report, "".join(report)


def test_readme_begins_with_a_picture_a_program_and_how_to_install() -> None:
    lines = README.read_text("utf-8").splitlines()
    assert len(lines) <= 180
    screen = "\n".join(lines[:28])
    assert screen.count("![") == 1
    assert len(blocks(README, "python")[0].splitlines()) <= 6
    assert blocks(README, "python")[0] in screen
    assert "make demo" in screen
    assert "pip install" in screen
    doors = [line for line in lines if re.match(r"## (Learn|Use|Trust): ", line)]
    assert len(doors) == 3


def test_quoted_rows_stand_in_the_table() -> None:
    def squeezed(text: str) -> str:
        return " ".join(text.split())

    table = squeezed("".join(path.read_text("utf-8") for path in (SOURCE / "ops").glob("*.py")))
    quoted = [b for page in PAGES for b in blocks(page, "python") if not b.startswith(">>>")]
    assert len(quoted) >= 2
    assert all(squeezed(block) in table for block in quoted)


LANGUAGES = {"python", "py", "console", "sh", "c", "text", ""}
"""Of the blocks of the pages. The tests run ``python`` and ``console``, and read ``py``."""
ELSEWHERE = {"arrays.md": "needs PyTorch", "parallel.md": "needs a cluster, or MPI"}
ELSEWHERE |= {"pytorch-loss-is-nan.md": "needs PyTorch"}
"""The pages with programs that no test can run, as ``py``."""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_no_program_escapes_the_tests(page: Path) -> None:
    """A block that looks like Python is of Python: run, quoted, or of another machine."""
    for language, code in fences(page.read_text("utf-8")):
        assert language in LANGUAGES, code
        assert ">>> " not in code or language == "python", code
        if language == "py":
            assert page.name in ELSEWHERE, code
            assert_its_imports_exist(code)


def assert_its_imports_exist(code: str) -> None:
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("gradwalk"):
            for alias in node.names:
                assert exists(f"{node.module}.{alias.name}"), alias.name


def test_an_import_that_does_not_exist_is_found() -> None:
    assert_its_imports_exist("from gradwalk.parallel import map_grad")
    with pytest.raises(AssertionError):
        assert_its_imports_exist("from gradwalk.parallel import map_gradient")


CONSOLE = [(page, block) for page in PAGES for block in blocks(page, "console")]


@pytest.mark.parametrize(("page", "block"), CONSOLE, ids=lambda part: getattr(part, "name", ""))
def test_commands_print_what_the_page_shows(page: Path, block: str) -> None:
    pytest.importorskip("typer")
    command, _, expected = block.removeprefix("$ ").partition("\n")
    program, *arguments = shlex.split(command)
    assert program == "gradwalk"
    done = subprocess.run(
        [sys.executable, "-m", "gradwalk", *arguments],
        env=os.environ | {"COLUMNS": "100", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert lines_of(done.stdout) == lines_of(expected)


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    pages = "".join(path.read_text("utf-8") for path in (*ALL_PAGES, *WORKFLOWS))
    named = set(re.findall(r"(?:`|^|run: )make ([a-z-]+)", pages, re.MULTILINE))
    assert {"demo", "test", "bench", "docs", "test-peers"} <= named <= targets


# --- names and links ----------------------------------------------------------------------------


@by_name
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
    local = [link for link in links if not link.startswith("https://")]
    missing = [link for link in local if not (page.parent / link).exists()]
    assert [Path(link).name for link in missing if Path(link).name not in MADE] == []


def files() -> list[str]:
    """Every file and folder of the project, as a path from its root; folders end with a slash."""
    parts = ("src", "tests", "docs", "examples", "benchmarks", "web", ".github", ".ci")
    tops = [path for part in parts for path in (ROOT / part).iterdir() if path.name not in BUILT]
    found = tops + [path for top in tops for path in top.rglob("*")]
    found += [ROOT / part for part in parts] + [path for path in ROOT.iterdir() if path.is_file()]
    return [f"{path.relative_to(ROOT).as_posix()}{'/' * path.is_dir()}" for path in found]


FILE = re.compile(
    r"[\w.-]+/([\w.-]+/)*[\w.-]*|[\w-]+\.(py|c|h|md|json|toml|yml|svg|png|csv|ts|tsx|js|css|html)"
)


@by_name
def test_files_that_a_page_names_exist(page: Path) -> None:
    known = [f"/{path}" for path in files()]
    assert [span for span in spans(page) if not names_what_exists(span, known)] == []


def names_what_exists(span: str, known: list[str]) -> bool:
    """Whether a code span is a file or a test that exists, or neither."""
    path, _, test = span.partition("::")
    ends = (f"/{path.rstrip('/')}/", f"/{path}/")
    if FILE.fullmatch(path) and path not in MADE and not any(f"{n}/".endswith(ends) for n in known):
        return False
    return not test or f"def {test}(" in (ROOT / path).read_text("utf-8")


def test_a_file_that_does_not_exist_is_found() -> None:
    known = ["/src/gradwalk/ops", "/src/gradwalk/ops/sums.py", "/tests/house/test_docs.py"]
    for span in ("src/gradwalk/ops/", "ops/sums.py", "test_docs.py", "y.backward()"):
        assert names_what_exists(span, known)
    assert names_what_exists("tests/house/test_docs.py::names_what_exists", known)
    for span in ("src/gradwalk/opps/", "sum.py", "tests/house/test_docs.py::test_nothing"):
        assert not names_what_exists(span, known)


def attributes(page: Path) -> Iterator[str]:
    """The dotted names of gradwalk in code spans, calls without their arguments."""
    for span in spans(page):
        if name := re.match(r"gradwalk(\.\w+)+", span):
            yield name[0]


def exists(name: str) -> bool:
    """Whether a dotted name is a module of gradwalk, or an attribute of one."""
    thing, path = gradwalk, "gradwalk"
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        if not hasattr(thing, part):
            try:
                importlib.import_module(path)
            except ModuleNotFoundError:
                return False
        thing = getattr(thing, part)
    return True


NAMING = [page for page in ALL_PAGES if any(attributes(page))]


@pytest.mark.parametrize("page", NAMING, ids=lambda path: path.name)
def test_names_of_gradwalk_that_a_page_names_exist(page: Path) -> None:
    assert [name for name in attributes(page) if not exists(name)] == []


def test_the_reader_of_names_sees_them() -> None:
    page = ROOT / "docs" / "manual" / "accuracy.md"
    assert {"gradwalk.log", "gradwalk.check.kinks"} <= {*attributes(page)}
    assert exists("gradwalk.nn.init.he_uniform_")
    assert exists("gradwalk.check")
    assert not exists("gradwalk.nn.init.hi_uniform_")
    assert not exists("gradwalk.checks")
    assert FILE.fullmatch("src/gradwalk/ops/")
    assert FILE.fullmatch("pure.py")
    assert not FILE.fullmatch("y.backward()")


def test_the_map_shows_every_room() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(text.splitlines()) <= 250
    for path in SOURCE.iterdir():
        if not path.name.startswith("_") and (path.suffix == ".py" or path.is_dir()):
            name = path.name + "/" * path.is_dir()
            assert f"| `src/gradwalk/{name}` |" in text, name


MIDDLE = ("program/__init__.py", "program/builder.py", "program/program.py")
READS = {"Program", "evaluate", "reverse", "run_of", "run_of_nodes"}


def imported(path: Path, modules: set[str]) -> set[str]:
    """The names that a file imports from files of these names."""
    nodes = [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if type(n) is ast.ImportFrom]
    named = [n for n in nodes if (n.module or "").rpartition(".")[2] in modules]
    return {alias.name for node in named for alias in node.names}


def test_the_picture_of_programs_is_that_of_the_code() -> None:
    """Above Builder is what writes a program; below are the files and folders that read one."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    above, below = text.partition("## One program")[2].split("```")[1].split("Builder", 1)
    ways_in = set(re.findall(r"\S+/\S+", above))
    ways_out = set(re.findall(r"\S+/\S*", below.partition("loop")[2]))
    files = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    writers = {name for name, path in files.items() if "Builder" in imported(path, {"builder"})}
    readers = {n for n, p in files.items() if imported(p, {"program", "run", "runs"}) & READS}
    readers -= {*writers, *MIDDLE}
    assert ways_in == writers
    covers = {way: {n for n in readers if n.startswith(way)} for way in ways_out}
    assert {name for names in covers.values() for name in names} == readers
    assert [way for way, names in covers.items() if not names] == []


def test_the_list_of_tests_is_complete() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "tests").rglob("test_*.py")}
    missing = [path.as_posix() for path in folders if f"`{path.as_posix()}/`" not in text]
    assert not missing


def test_the_manual_has_every_page() -> None:
    navigation = (ROOT / "docs" / "index.md").read_text("utf-8")
    start = (ROOT / "docs" / "manual" / "start.md").read_text("utf-8")
    for page in [*MANUAL, *HOWTO]:
        name = page.relative_to(ROOT / "docs" / "manual").as_posix()
        assert navigation.count(f" <docs/manual/{name.removesuffix('.md')}>\n") == 1, name
        assert name == "start.md" or f"({name})" in start, name


# Named on the page of another: a helper of it, a step to it.
BESIDE = {"checkpoint_chain": "checkpoint", "debug": "custom_rule", "register_pytree": "grad"}
BESIDE |= dict.fromkeys(("coloring", "sparsity"), "sparse_jacobian")


def test_the_manual_has_every_transform() -> None:
    overview = (ROOT / "docs" / "manual" / "transforms.md").read_text("utf-8")
    for name in {*gradwalk.transforms.__all__, "minimize", "curve_fit"}:
        page = ROOT / "docs" / "manual" / "transforms" / f"{BESIDE.get(name, name)}.md"
        text = page.read_text("utf-8")
        assert f"{name}(" in text, name
        assert f"(../../pictures/transforms/{page.stem}.svg)" in text
        assert f"(transforms/{page.name})" in overview
        for part in ("$", ">>>", "**Options", "**Cost", "**Elsewhere", "**See also", "rrors"):
            assert part in text, f"{page.name}: {part}"


def test_the_changelog_knows_the_version() -> None:
    assert f"## [{gradwalk.__version__}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


# --- what is made from other things -------------------------------------------------------------


def test_generated_tables_are_current(house: None) -> None:
    for page, fill in importlib.import_module("docs.tables").FILLED.items():
        text = page.read_text("utf-8")
        assert fill(text) == text, "run: python -m docs.tables"


def test_the_manual_has_the_conventions_at_every_kink() -> None:
    page = (ROOT / "docs" / "manual" / "accuracy.md").read_text("utf-8")
    assert all(
        f"| `{primitive.name}` | {primitive.kinks} |" in page
        for primitive in TABLE.values()
        if primitive.kinks
    )


def test_the_table_of_programs_is_current(house: None) -> None:
    page = (ROOT / "docs" / "manual" / "compile.md").read_text("utf-8")
    tables = importlib.import_module("docs.tables")
    assert tables.filled_manual(page) == page, "run: python -m docs.tables"
    assert "microgpt by replay" in page


def test_ratios_come_from_the_results(house: None) -> None:
    tables = importlib.import_module("docs.tables")
    facts = {"processor": "a chip", "cores": 2, "system": "Linux 6", "python": "CPython 3.13.0"}
    facts |= {"compiler": "GCC 14", "engine": "native", "versions": {"gradwalk": "0.1.0"}}
    bar = {"title": "moons", "unit": "x faster", "must": 100.0, "aim": None}
    bar |= {"more_is_better": True, "median": 123.4, "min": 99.96, "max": 1.25}
    text = tables.ratios({"machine": facts, "bars": [bar]})
    assert "| moons | 123 x faster | 100 to 1.25 | ≥ 100 |  |" in text
    assert text.endswith("a chip, 2 cores, Linux 6; CPython 3.13.0 (GCC 14); gradwalk 0.1.0.")
    assert "make bench" in tables.ratios(None)


def test_times_of_gradbench_come_from_the_results(house: None) -> None:
    tables = importlib.import_module("docs.tables")
    facts = {"processor": "a chip", "cores": 2, "system": "Linux 6", "python": "CPython 3.13.0"}
    facts |= {"compiler": "GCC 14", "versions": {"gradwalk": "0.1.0"}}
    own = {"primal": {"first": 9.0, "call": 0.5}, "gradient": {"first": 70.0, "call": 1.5}}
    peer = {"primal": {"first": 8.0, "call": 0.25}, "gradient": {"first": 6.0, "call": 2.0}}
    llsq = {"name": "llsq", "sizes": {"n": 16, "m": 4}, "ms": {"gradwalk": own, "torch": peer}}
    nested = {"name": "saddle", "sizes": {}, "ms": {"gradwalk": {"ff": own["primal"]}}}
    text = tables.gradbench({"machine": facts, "evals": [llsq | {"over_function": 3.0}, nested]})
    assert "| llsq n 16 m 4 | 0.5 | 1.5 | 3 | 70 |  | 2 |" in text
    assert "| saddle ff |  | 0.5 |  | 9 |  |  |" in text
    assert text.endswith("CPython 3.13.0 (GCC 14); gradwalk 0.1.0.")


def test_a_page_without_its_marks_is_an_error(house: None) -> None:
    with pytest.raises(SystemExit, match="the marks of the block bench are missing"):
        importlib.import_module("docs.tables").filled_benchmarks("nothing")


def test_the_helper_of_tables_has_an_example(house: None) -> None:
    results = doctest.testmod(importlib.import_module("docs.tables"))
    assert results.attempted
    assert not results.failed


@pytest.mark.parametrize("name", ["walk.svg", "network.svg"])
def test_the_pictures_are_current(name: str, house: None, tmp_path: Path) -> None:
    pictures = importlib.import_module("docs.pictures")
    assert set(pictures.GRAPHS) == {"walk.svg", "network.svg"}
    pictures.GRAPHS[name]().save(tmp_path / name)
    drawn = (ROOT / "docs" / "pictures" / name).read_text("utf-8")
    assert (tmp_path / name).read_text("utf-8") == drawn, "run: python -m docs.pictures"


def names_and_places(svg: str) -> tuple[list[str], list[float]]:
    """What is in a picture, and where: numbers are apart, for the last digit may differ."""
    number = r"-?\d+\.?\d*"
    return re.split(number, svg), [float(x) for x in re.findall(number, svg)]


def test_the_pictures_of_transforms_are_current(house: None) -> None:
    pytest.importorskip("scipy")
    pictures = importlib.import_module("docs.pictures_of_transforms")
    folder = ROOT / "docs" / "pictures" / "transforms"
    assert {path.name for path in folder.iterdir()} == set(pictures.PICTURES)
    assert set(pictures.PICTURES) == {f"{page.stem}.svg" for page in TRANSFORMS}
    for name, draw in pictures.PICTURES.items():
        there, places = names_and_places((folder / name).read_text("utf-8"))
        if name in pictures.MEASURED:
            continue
        here, found = names_and_places(str(draw()))
        assert here == there, f"{name}: run python docs/pictures_of_transforms.py"
        assert found == pytest.approx(places, abs=0.2), name


def test_the_pictures_of_transforms_say_what_is_in_them() -> None:
    for path in (ROOT / "docs" / "pictures" / "transforms").iterdir():
        picture = ElementTree.fromstring(path.read_text("utf-8"))
        space = "{http://www.w3.org/2000/svg}"
        assert len(picture.findtext(f"{space}title") or "") > 20, path.name
        width, height = (float(picture.get(side, "")) for side in ("width", "height"))
        for text in picture.iter(f"{space}text"):
            length = (6.7 if "small" in text.get("class", "") else 7.9) * len(text.text or "")
            shift = {"middle": 0.5, "end": 1.0}.get(text.get("text-anchor", ""), 0.0)
            left = float(text.get("x", "")) - shift * length
            assert 0.0 <= left <= width - length, (path.name, text.text)
            assert 10.0 <= float(text.get("y", "")) <= height - 3.0, (path.name, text.text)


def test_the_pictures_of_the_studio_are_those_that_the_script_takes(house: None) -> None:
    screens = importlib.import_module("docs.screenshots").SCREENS
    folder = ROOT / "docs" / "pictures"
    assert {path.name for path in folder.glob("studio-*")} == set(screens)
    page = (ROOT / "docs" / "manual" / "studio.md").read_text("utf-8")
    assert set(re.findall(r"\(\.\./pictures/(studio-[^)]+)\)", page)) == set(screens)
    assert all(screen.show.__doc__ for screen in screens.values())


def test_the_pictures_of_the_studio_are_of_their_sizes(house: None) -> None:
    script = importlib.import_module("docs.screenshots")
    for name, screen in script.SCREENS.items():
        picture = (ROOT / "docs" / "pictures" / name).read_bytes()
        assert picture[:8] == b"\x89PNG\r\n\x1a\n", name
        assert struct.unpack(">II", picture[16:24]) == (script.WIDTH, screen.height), name
        assert 5_000 < len(picture) < script.LARGEST, name


def test_pictures_of_pages_say_what_is_in_them() -> None:
    for page in ALL_PAGES:
        for words in re.findall(r"!\[([^\]]*)\]", page.read_text("utf-8")):
            assert len(words) > 10, page.name


def test_the_page_of_the_table_has_every_row(house: None) -> None:
    page = importlib.import_module("docs.rows").page(2)
    for primitive in TABLE.values():
        call = f"{primitive.name}({', '.join(primitive.params)})"
        assert f"| `{call}` | ${primitive.tex}$ | {primitive.summary} |" in page
    (line,) = [line for line in page.splitlines() if line.startswith("| `log1p(x)`")]
    assert "x in (-1, ∞)" in line
    value, slope = re.findall(r"\| (\d\.\d)", line)
    assert 0.0 < float(value) <= 4.0
    assert 0.0 < float(slope) <= 4.0


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("docs") / "site"
    subprocess.run([sys.executable, str(ROOT / "docs" / "build.py"), str(folder)], check=True)
    return folder


def test_the_site_is_built_and_needs_no_network(site: Path, house: None) -> None:
    manual = site / "docs" / "manual"
    formulas = importlib.import_module("docs.rows").page(2).count("$") // 2
    assert (manual / "rows.html").read_text("utf-8").count("<math") == formulas > len(TABLE)
    for page in TRANSFORMS:
        assert "<math" in (manual / "transforms" / f"{page.stem}.html").read_text("utf-8")
    for page in [*site.rglob("*.html"), *site.rglob("*.css")]:
        text = page.read_text("utf-8")
        assert not re.search(r'(src=|@import|url\(|<link[^>]*href=)["(]?(https?:)?//', text), page
        for link in re.findall(r'(?:href|src)="([^"#:?]+)["#?]', text):
            assert (page.parent / unquote(link)).exists(), (page, link)


def test_the_reference_has_every_public_name(site: Path, house: None) -> None:
    """The build ends if a name is missing; here a page that is taken away is noticed."""
    reference = importlib.import_module("docs.reference")
    assert reference.missing(site) == []
    full = (site / "objects.inv").read_bytes()
    head, mark, packed = full.partition(b"zlib.\n")
    lines = zlib.decompress(packed).decode().splitlines()
    names = ("gradwalk.hvp", "gradwalk.Tensor.sum", "gradwalk.Value.relu", "gradwalk.nn.LSTM")
    names += ("gradwalk.stats.norm.ppf", "gradwalk.errors.SizeError", "gradwalk.linalg.svd")
    kept = [line for line in lines if line.split(" ")[0] not in names]
    assert len(lines) - len(kept) == len(names)
    (site / "objects.inv").write_bytes(head + mark + zlib.compress("\n".join(kept).encode()))
    assert reference.missing(site) == sorted(names)
    (site / "objects.inv").write_bytes(full)


SEARCHES = {
    "learning rate": r"(?i)learning rate|\blr\b|optim",
    "hessian": r"^(gradwalk\.)?hessian$",
    "Adam": r"Adam$",
    "cross_entropy": r"cross_entropy$",
    "limits": r"^Limits",
    "checkpoint": r"^(gradwalk\.)?checkpoint$",
}
"""What users search for, and what the title of the first result is."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Print nothing."""


def test_the_search_finds_names_and_titles_first(site: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("NOT TESTED: the search of the site, which needs a browser")
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with sync_api.sync_playwright() as playwright:
            opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page, first = opened.new_page(), {}
            for query in SEARCHES:
                page.goto(f"http://127.0.0.1:{server.server_port}/search.html?q={query}")
                page.wait_for_selector("#search-results p.search-summary:has-text('finished')")
                first[query] = page.locator("#search-results li a").first.inner_text()
            opened.close()
        server.shutdown()
    assert {q: t for q, t in first.items() if not re.search(SEARCHES[q], t)} == {}


def test_the_gallery_shows_every_picture_of_a_transform() -> None:
    shown = re.findall(
        r"\(\.\./pictures/(\S+?)\)", (ROOT / "docs/manual/gallery.md").read_text("utf-8")
    )
    pictures = ROOT / "docs" / "pictures"
    drawn = {f"transforms/{path.name}" for path in (pictures / "transforms").glob("*.svg")}
    assert {*shown} == drawn | {"walk.svg"}
    assert len(shown) >= 20
