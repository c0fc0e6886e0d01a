"""The training room, used as people use it: on the real server, with a real mouse and keyboard."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from gradwalk import Value
from gradwalk.nn import MLP, binary_cross_entropy_with_logits

pytestmark = pytest.mark.filterwarnings("error")

expect = pytest.importorskip("playwright.sync_api").expect

Page = Any

SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); window.sockets.push(this); }
};
"""


def enter(page: Page, studio: Any) -> None:
    page.goto(studio.at("#/training"))
    connected(page)


def connected(page: Page) -> None:
    page.get_by_role("status", name="Connection").get_by_text("connected", exact=True).wait_for(
        state="attached"
    )
    page.wait_for_function("() => document.querySelector('output').textContent !== '–'")


def figure(page: Page, name: str) -> str:
    return str(page.get_by_label(name, exact=True).inner_text())


def updates(page: Page) -> int:
    return int(figure(page, "Update").replace(",", ""))


def exact_loss(page: Page) -> str:
    """All digits of the loss, which stand in the hint of its figure."""
    return str(page.get_by_label("Training loss", exact=True).first.get_attribute("title"))


def wait_for(page: Page, name: str, text: str) -> None:
    page.wait_for_function(
        "([name, text]) => [...document.querySelectorAll('output')]"
        ".some((o) => o.getAttribute('aria-label') === name && o.textContent === text)",
        arg=[name, text],
    )


def last_of_curve(count: int) -> str:
    """What the last number of the curve is, after so many updates.

    A curve of more than 4,000 has means of neighbours, and the updates after the last such group
    have no number yet.
    """
    every = 1
    while count // every > 4_000:
        every *= 2
    last = count - count % every
    return f"update {last}" if every == 1 else f"updates {last - every + 1} to {last}, mean"


def beyond(page: Page, count: int) -> None:
    """Wait until there have been more updates."""
    page.wait_for_function(
        "n => Number(document.querySelector('output').textContent.replaceAll(',', '')) > n",
        arg=count,
    )


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def steps(page: Page, count: int) -> None:
    """Single updates, by the button; the count goes up by exactly one each time."""
    for _ in range(count):
        before = updates(page)
        press(page, "Step one update")
        wait_for(page, "Update", f"{before + 1:,}")


def setting(page: Page, name: str, value: object) -> None:
    field = page.get_by_role("spinbutton", name=name, exact=True)
    field.fill(str(value))
    field.press("Enter")


class Plane:
    """The plane on the screen: where its coordinates are, and how many points the room has."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.field = page.get_by_role("application", name="Plane of the points")

    def at(self, x: float, y: float, extent: float) -> dict[str, float]:
        """The pixel of a place, in a square from -extent to extent."""
        box = self.field.bounding_box()
        size = min(box["width"] - 46, box["height"] - 30)
        half = (1 + x / extent) / 2, (1 - y / extent) / 2
        return {"x": 38 + half[0] * size, "y": 6 + half[1] * size}

    def count(self) -> int:
        words = self.page.get_by_text(re.compile(r"^of \d+$")).inner_text()
        return int(words.split()[1])

    def has(self, count: int) -> None:
        self.page.get_by_text(f"of {count}", exact=True).wait_for()


@pytest.fixture
def frames(page: Page) -> list[dict[str, Any]]:
    """Every frame that the server sends to the page from now on."""
    seen: list[dict[str, Any]] = []

    def listen(socket: Any) -> None:
        socket.on("framereceived", lambda text: keep(json.loads(text)))

    def keep(reply: dict[str, Any]) -> None:
        if reply["type"] in ("frame", "document"):
            seen.append(reply)

    page.on("websocket", listen)
    return seen


# --- training -------------------------------------------------------------------------------------


def test_it_learns_xor_while_one_looks_on(page: Page, studio: Any) -> None:
    enter(page, studio)
    assert updates(page) == 0
    press(page, "Start")
    wait_for(page, "Training accuracy", "100 %")
    press(page, "Pause")
    page.get_by_role("button", name="Start", exact=True).wait_for()
    before = updates(page)
    assert before > 10
    page.wait_for_timeout(300)
    assert updates(page) == before  # paused is paused
    reading = page.get_by_test_id("curve-reading").inner_text()
    assert reading.startswith(f"{last_of_curve(before)}: loss ")


def test_one_update_at_a_time(page: Page, studio: Any) -> None:
    enter(page, studio)
    steps(page, 3)
    assert updates(page) == 3
    assert figure(page, "Epoch") == "0"
    page.keyboard.press("ArrowRight")
    wait_for(page, "Update", "4")


def test_rewind_and_the_same_run_again(page: Page, studio: Any) -> None:
    enter(page, studio)
    untrained = exact_loss(page)
    steps(page, 5)
    first = exact_loss(page)
    press(page, "Rewind")
    wait_for(page, "Update", "0")
    assert exact_loss(page) == untrained != first
    steps(page, 5)
    assert exact_loss(page) == first
    setting(page, "Seed", 1)
    wait_for(page, "Update", "0")
    steps(page, 5)
    assert exact_loss(page) != first


def test_by_keyboard_alone(page: Page, studio: Any) -> None:
    enter(page, studio)
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Start", exact=True).wait_for()
    page.keyboard.press("r")
    wait_for(page, "Update", "0")
    page.get_by_role("button", name="Keyboard help").focus()
    page.keyboard.press("Enter")
    help_ = page.get_by_role("dialog", name="Keyboard")
    help_.get_by_text("Step one update").wait_for()
    page.keyboard.press("Escape")
    help_.wait_for(state="hidden")


def test_as_many_updates_per_frame_as_one_can_follow(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    page.get_by_role("combobox", name="Speed").select_option("5 per frame")
    press(page, "Start")
    beyond(page, 40)
    press(page, "Pause")
    going = [frame["step"] for frame in frames if frame.get("running")]
    assert len(going) > 5
    assert max(b - a for a, b in pairwise(going)) <= 5


# --- settings -------------------------------------------------------------------------------------


def test_every_setting_begins_the_run_that_it_names(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    page.get_by_role("combobox", name="Points").select_option("Circles")
    setting(page, "Count", 30)
    setting(page, "Noise", 0.05)
    page.get_by_role("button", name="Remove hidden layer 2").click()
    setting(page, "Neurons in hidden layer 1", 5)
    page.get_by_role("button", name="Add a neuron to hidden layer 1").click()
    page.get_by_role("button", name="Add a layer").click()
    page.get_by_role("button", name="Remove a neuron from hidden layer 2").click()
    page.get_by_role("combobox", name="Activation").select_option("relu")
    page.get_by_role("combobox", name="Loss").select_option("Hinge")
    page.get_by_role("combobox", name="Optimizer").select_option("SGD")
    setting(page, "Learning rate", 0.1)
    setting(page, "Batch", 30)
    setting(page, "Seed", 12)
    page.wait_for_timeout(300)
    last = frames[-1]
    assert len(last["points"]) == 30
    assert [len(layer["biases"]) for layer in last["layers"]] == [6, 5, 1]
    assert [layer["activation"] for layer in last["layers"]] == ["relu", "relu", "linear"]
    steps(page, 2)
    assert figure(page, "Epoch") == "2"  # a batch of all points
    assert "This loss gives no probability" in page.locator(".readout").inner_text()


def test_the_learning_rate_is_logarithmic_on_its_slider(page: Page, studio: Any) -> None:
    enter(page, studio)
    slider = page.get_by_role("slider", name="Learning rate, logarithmic")
    slider.focus()
    page.keyboard.press("Home")
    field = page.get_by_role("spinbutton", name="Learning rate", exact=True)
    assert float(field.input_value()) == 1e-5
    page.keyboard.press("End")
    assert float(field.input_value()) == 10


def test_a_wrong_number_is_answered_at_its_control(page: Page, studio: Any) -> None:
    enter(page, studio)
    setting(page, "Count", 1_000_000)
    wrong = page.get_by_role("spinbutton", name="Count", exact=True)
    assert wrong.get_attribute("aria-invalid") == "true"
    assert wrong.input_value() == "1000000"  # nothing that was typed is taken away
    told = page.get_by_role("alert").inner_text()
    for part in ("where", "expected", "between 2 and 2,000", "got", "1000000", "fix"):
        assert part in told
    setting(page, "Count", 50)
    assert page.get_by_role("alert").count() == 0
    Plane(page).has(50)


def test_what_the_server_refuses_is_told_in_four_parts(page: Page, studio: Any) -> None:
    enter(page, studio)
    setting(page, "Batch", 2000)
    setting(page, "Neurons in hidden layer 1", 64)
    setting(page, "Neurons in hidden layer 2", 64)
    told = page.get_by_role("alert")
    told.get_by_text("weights × rows").wait_for()
    assert "Take a smaller batch" in told.inner_text()


def test_a_training_that_diverges_says_so(page: Page, studio: Any) -> None:
    enter(page, studio)
    page.get_by_role("combobox", name="Loss").select_option("Squared error (mse)")
    page.get_by_role("combobox", name="Optimizer").select_option("SGD")
    page.get_by_role("combobox", name="Activation").select_option("relu")
    setting(page, "Learning rate", 1000)
    press(page, "Start")
    page.get_by_test_id("stopped").get_by_text("diverged").wait_for()
    start = page.get_by_role("button", name="Start", exact=True)
    expect(start).to_be_disabled()
    press(page, "Rewind")
    wait_for(page, "Update", "0")
    expect(start).to_be_enabled()


# --- the points -----------------------------------------------------------------------------------


def test_points_are_added_dragged_and_deleted(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    plane = Plane(page)
    page.get_by_role("button", name="Add 1").click()
    plane.field.click(position=plane.at(0, 0, 2))
    plane.has(101)
    plane.field.click(position=plane.at(0.5, 0, 2), button="right")
    plane.has(102)
    plane.field.click(position=plane.at(-0.5, 0, 2), modifiers=["Shift"])
    plane.has(103)
    page.wait_for_timeout(300)
    assert [point[2] for point in frames[-1]["points"][100:]] == [1, 0, 0]
    assert frames[-1]["points"][101][:2] == pytest.approx([0.5, 0], abs=0.02)

    page.get_by_role("button", name="Choose").click()
    box, a, b = plane.field.bounding_box(), plane.at(0, 0, 2), plane.at(0.2, 0.4, 2)
    page.mouse.move(box["x"] + a["x"], box["y"] + a["y"])
    page.mouse.down()
    page.mouse.move(box["x"] + b["x"], box["y"] + b["y"], steps=6)
    page.mouse.up()
    page.wait_for_timeout(300)
    assert frames[-1]["points"][100] == pytest.approx([0.2, 0.4, 1], abs=0.02)

    plane.field.dblclick(position=plane.at(0.2, 0.4, 2))
    plane.has(102)
    page.get_by_role("button", name="Erase").click()
    plane.field.click(position=plane.at(0.5, 0, 2))
    plane.has(101)
    page.get_by_role("button", name="Undo").click()
    plane.has(102)
    page.get_by_role("button", name="Clear").click()
    plane.has(0)
    page.get_by_test_id("stopped").get_by_text("add some").wait_for()


def test_without_points_nothing_can_be_started(page: Page, studio: Any) -> None:
    enter(page, studio)
    steps(page, 1)
    page.get_by_role("button", name="Clear").click()
    alert = page.get_by_test_id("stopped")
    for name in ("Start", "Step one update", "Rewind"):
        button = page.get_by_role("button", name=name, exact=True)
        expect(button).to_be_disabled()
        expect(button).to_have_accessible_description(alert.inner_text())
        button.click(force=True)
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    assert page.get_by_role("alert").count() == 1
    assert updates(page) == 1
    page.get_by_role("button", name="Undo").click()
    steps(page, 1)


def test_points_by_keyboard_alone(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    plane = Plane(page)
    page.get_by_role("checkbox", name="Smooth").focus()
    page.keyboard.press("Tab")
    assert plane.field.evaluate("e => e === document.activeElement")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    plane.has(101)
    page.wait_for_timeout(300)
    assert frames[-1]["points"][100] == pytest.approx([0.4, 0.1, 1])
    page.keyboard.press("l")
    page.keyboard.press("m")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("m")
    page.wait_for_timeout(300)
    assert frames[-1]["points"][100] == pytest.approx([0.4, 0.0, 0])
    page.keyboard.press("Delete")
    plane.has(100)
    page.keyboard.press("n")
    assert page.get_by_role("spinbutton", name="Example", exact=True).input_value() == "0"
    page.keyboard.press("p")
    assert page.get_by_role("spinbutton", name="Example", exact=True).input_value() == "99"
    assert updates(page) == 0  # the arrows were the plane's


def test_a_table_of_ones_own(page: Page, studio: Any, tmp_path: Path) -> None:
    enter(page, studio)
    page.get_by_text("Your own table (CSV)").click()
    text = page.get_by_label("or paste the lines")
    text.fill("x,y,label\n1,2,pear\n3,four,apple\n")
    press(page, "Read the table")
    told = page.get_by_role("alert")
    told.wait_for()
    assert "line 3, column 2 (y)" in told.inner_text()
    assert "'four'" in told.inner_text()
    file = tmp_path / "fruit.csv"
    file.write_text("label;x;y\npear;1,5;2\napple;3;4\npear;2;9\n")
    page.get_by_label("Open a file").set_input_files(file)
    page.get_by_text("3 points. apple is label 0, pear is label 1.").wait_for()
    assert page.get_by_role("alert").count() == 0
    press(page, "Use these points")
    Plane(page).has(3)
    assert page.get_by_role("combobox", name="Points").input_value() == "points"
    steps(page, 1)


def test_a_table_that_is_too_long_is_not_sent(page: Page, studio: Any, tmp_path: Path) -> None:
    enter(page, studio)
    page.get_by_text("Your own table (CSV)").click()
    file = tmp_path / "long.csv"
    file.write_text("0.25,0.5,1\n" * 100_000)
    page.get_by_label("Open a file").set_input_files(file)
    told = page.get_by_role("alert")
    told.wait_for()
    assert "1,100,000 bytes" in told.inner_text()


def test_words_of_a_table_are_text(page: Page, studio: Any) -> None:
    enter(page, studio)
    page.get_by_text("Your own table (CSV)").click()
    page.get_by_label("or paste the lines").fill("0,0,<script>alert(1)</script>\n1,1,b\n")
    press(page, "Read the table")
    page.get_by_text("<script>alert(1)</script> is label 0").wait_for()


def test_the_points_can_be_saved(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    setting(page, "Count", 4)
    Plane(page).has(4)
    with page.expect_download() as download:
        press(page, "Save CSV")
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0] == "x,y,label"
    saved = [[float(cell) for cell in line.split(",")] for line in lines[1:]]
    assert saved == frames[-1]["points"]


# --- what is shown --------------------------------------------------------------------------------


def test_the_plane_tells_coordinates_and_answer(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    plane = Plane(page)
    plane.field.hover(position=plane.at(1, -0.5, 2))
    words = page.get_by_test_id("readout").inner_text()
    found = re.match(r"x (\S+) +y (\S+) +P\(1\) (\S+)", words)
    assert found
    x, y, probability = (float(part) for part in found.groups())
    assert (x, y) == pytest.approx((1, -0.5), abs=0.02)
    assert probability == pytest.approx(answer(frames[-1], x, y), abs=0.01)


def answer(frame: dict[str, Any], x: float, y: float) -> float:
    score = network(frame)([x, y])
    return 1 / (1 + math.exp(-score.data))


def network(frame: dict[str, Any]) -> MLP:
    """The network of a frame, in Values."""
    model = MLP(2, [len(layer["biases"]) for layer in frame["layers"]], "tanh", init="zeros")
    for layer, numbers in zip(model.layers, frame["layers"], strict=True):
        for neuron, weights, bias in zip(
            layer.neurons, numbers["weights"], numbers["biases"], strict=True
        ):
            neuron.bias.data = bias
            for weight, data in zip(neuron.weights, weights, strict=True):
                weight.data = data
    return model


def test_every_number_of_the_network_live(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    steps(page, 1)
    neuron = page.get_by_role("img", name="neuron 2 of layers.0", exact=True)
    details = page.get_by_test_id("part")
    neuron.focus()
    page.keyboard.press("]")
    page.keyboard.press("]")
    assert neuron.evaluate("e => e === document.activeElement"), "weights take no focus"
    assert "weight from input y to neuron 2 of layers.0" in details.inner_text()
    told = details.get_by_role("definition")
    assert told.count() == 1
    assert float(told.first.get_attribute("title")) == frames[-1]["layers"][0]["weights"][2][1]
    page.get_by_role("checkbox", name="Gradients").check()
    told.nth(1).wait_for()
    gradient = frames[-1]["layers"][0]["gradients"]["weights"][2][1]
    assert float(told.nth(1).get_attribute("title")) == gradient != 0
    before = told.first.inner_text()
    steps(page, 1)
    assert told.first.inner_text() != before
    assert float(told.first.get_attribute("title")) == frames[-1]["layers"][0]["weights"][2][1]
    neuron.hover()
    assert "mean output (tanh)" in details.inner_text()


def test_the_loss_of_every_update(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    steps(page, 4)
    losses = [loss for frame in frames for loss in frame["curve"]["losses"]]
    assert len(losses) == 4
    curve = page.get_by_role("slider", name="Loss curve")
    curve.focus()
    page.keyboard.press("Home")
    reading = page.get_by_test_id("curve-reading")
    assert reading.inner_text().startswith("update 1: loss ")
    assert float(reading.inner_text().split()[-1]) == pytest.approx(losses[0], rel=1e-3)
    page.keyboard.press("ArrowRight")
    assert float(reading.inner_text().split()[-1]) == pytest.approx(losses[1], rel=1e-3)
    page.get_by_role("checkbox", name="Logarithmic").check()
    box = curve.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 40)
    assert reading.inner_text().startswith("update 4: loss ")


def test_the_flow_of_the_gradient_in_plain_words(page: Page, studio: Any) -> None:
    enter(page, studio)
    flow = page.get_by_role("region", name="Gradient flow")
    assert flow.get_by_text("No update yet").count() == 3
    assert flow.get_by_text("not yet", exact=True).count() == 3
    assert flow.get_by_text("healthy").count() == 0
    page.get_by_role("combobox", name="Activation").select_option("sigmoid")
    for _ in range(4):
        page.get_by_role("button", name="Add a layer").click()
    page.keyboard.press("Escape")
    page.locator("body").click(position={"x": 5, "y": 300})
    press(page, "Start")
    flow.get_by_text("vanishing").first.wait_for()
    assert "times the norm of the last layer: below 0.01" in flow.inner_text()
    assert flow.get_by_text("last update", exact=True).count() == 7
    assert "(median of the last" in flow.inner_text()
    assert flow.get_by_text("healthy").count() >= 1
    press(page, "Pause")


# --- the walk of one example's loss ---------------------------------------------------------------


def test_the_walk_of_one_example(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    press(page, "Start")
    beyond(page, 5)
    field = page.get_by_role("spinbutton", name="Example", exact=True)
    field.fill("12")
    page.wait_for_timeout(200)
    assert field.input_value() == "12"  # frames do not write over what is typed
    setting(page, "Example", 3)
    press(page, "Step through its loss")
    title = page.get_by_role(
        "heading", name=re.compile(r"^Loss of example 3 after [\d,]+ updates?$")
    )
    title.wait_for()
    made = next(reply for reply in reversed(frames) if reply["type"] == "document")
    assert f"after {made['step']:,} update" in title.inner_text()
    root = made["document"]["nodes"][-1]
    frame = next(one for one in reversed(frames) if one.get("step") == made["step"])
    x, y, label = frame["points"][3]
    expected = binary_cross_entropy_with_logits(network(frame)([x, y]), Value(float(label)))
    assert root["data"] == expected.data
    assert page.get_by_role("region", name="Walk", exact=True).is_visible()
    page.keyboard.press("Tab")
    press(page, "← Back to training")
    assert updates(page) == made["step"]  # it waited
    setting(page, "Count", 2)
    Plane(page).has(2)
    assert page.get_by_role("spinbutton", name="Example", exact=True).input_value() == ""


def test_a_point_is_chosen_by_a_click(page: Page, studio: Any, frames: Any) -> None:
    enter(page, studio)
    plane = Plane(page)
    x, y, _ = frames[-1]["points"][7]
    plane.field.click(position=plane.at(x, y, 2))
    index = int(page.get_by_role("spinbutton", name="Example", exact=True).input_value())
    assert frames[-1]["points"][index][:2] == pytest.approx([x, y], abs=0.1)
    press(page, "Flip label")
    page.wait_for_timeout(300)
    assert len(frames[-1]["points"]) == 100


# --- connections ----------------------------------------------------------------------------------

SERVE = """
import sys
from functools import partial
from pathlib import Path
from gradwalk.studio.launch import serve
port, static = int(sys.argv[1]), Path(sys.argv[2])
serve(port=port, browser=False, say=partial(print, flush=True), static=static)
"""


@contextmanager
def serving(port: int, static: Path) -> Iterator[str]:
    """A studio of its own; the address that lets a browser in."""
    command = [sys.executable, "-c", SERVE, str(port), str(static)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.kill()


def test_a_studio_that_was_started_anew_is_told_at_once(
    page: Page, static: Path, problems: list[str]
) -> None:
    with serving(0, static) as url:
        page.goto(url + "#/training")
        connected(page)
        steps(page, 1)
    port = urlsplit(url).port
    assert port is not None
    page.get_by_text("continues when the connection is back").wait_for()
    with serving(port, static) as again:
        page.get_by_text("The studio was restarted").wait_for()
        assert page.get_by_role("status", name="Connection").inner_text() == "not connected"
        page.goto(again + "#/training")
        connected(page)
    assert any("403" in problem for problem in problems)
    problems.clear()


def test_a_dropped_connection_resumes(page: Page, studio: Any) -> None:
    page.add_init_script(SOCKETS)
    enter(page, studio)
    steps(page, 3)
    loss, reading = exact_loss(page), page.get_by_test_id("curve-reading").inner_text()
    page.evaluate("window.sockets.at(-1).close()")
    page.wait_for_function("() => window.sockets.length === 2")
    connected(page)
    assert updates(page) == 3
    assert exact_loss(page) == loss
    assert page.get_by_test_id("curve-reading").inner_text() == reading
    press(page, "Start")
    beyond(page, 8)
    before = updates(page)
    page.evaluate("window.sockets.at(-1).close()")
    beyond(page, before + 5)  # it goes on by itself
    press(page, "Pause")


def test_a_reload_and_another_room_keep_the_run(page: Page, studio: Any) -> None:
    enter(page, studio)
    steps(page, 2)
    loss = exact_loss(page)
    page.reload()
    connected(page)
    assert (updates(page), exact_loss(page)) == (2, loss)
    page.get_by_role("link", name="Walk", exact=True).click()
    page.get_by_role("heading", name="Training", level=1).wait_for(state="detached")
    page.get_by_role("link", name="Training", exact=True).click()
    connected(page)
    assert (updates(page), exact_loss(page)) == (2, loss)


def test_two_tabs_do_not_disturb_each_other(page: Page, studio: Any) -> None:
    enter(page, studio)
    other = page.context.new_page()
    enter(other, studio)
    setting(other, "Seed", 5)
    steps(other, 3)
    assert updates(page) == 0
    steps(page, 1)
    assert updates(other) == 3
    assert page.get_by_role("spinbutton", name="Seed").input_value() == "0"


# --- how it looks ---------------------------------------------------------------------------------


def prepared(page: Page, studio: Any) -> None:
    enter(page, studio)
    press(page, "Start")
    wait_for(page, "Training accuracy", "100 %")
    press(page, "Pause")
    page.get_by_role("button", name="Start", exact=True).wait_for()


def test_screens(page: Page, studio: Any, screenshot: Callable[..., Any], axe: Any) -> None:
    prepared(page, studio)
    axe(page)
    screenshot("training")
    page.emulate_media(color_scheme="dark")
    axe(page)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    steps(page, 1)
    setting(page, "Example", 0)
    press(page, "Step through its loss")
    page.get_by_role("heading", name=re.compile("^Loss of example 0")).wait_for()
    axe(page)
    screenshot("training-walk")
    press(page, "Open in Walk")
    page.wait_for_url("**/#/walk")
    page.get_by_role("region", name="Walk", exact=True).wait_for()


def test_screens_of_a_phone(
    phone: Page, studio: Any, screenshot: Callable[..., Any], axe: Any
) -> None:
    prepared(phone, studio)
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    axe(phone)
    screenshot("training")
    phone.get_by_role("button", name="Add 1").tap()
    plane = Plane(phone)
    plane.field.tap(position=plane.at(0, 0, 2))
    plane.has(101)
    phone.get_by_role("heading", name="Gradient flow").scroll_into_view_if_needed()
    screenshot("training-flow")
    phone.get_by_role("button", name="Add a layer").scroll_into_view_if_needed()
    screenshot("training-settings")


def test_back_from_the_walk_of_an_example_stays_in_the_room(studio: Any, page: Any) -> None:
    page.goto(studio.at("#/lessons"))
    page.goto(studio.at("#/training"))
    page.get_by_role("button", name="Next example").click()
    for leave in (page.go_back, page.get_by_role("button", name="Back to training").click):
        page.get_by_role("button", name="Step through its loss").click()
        page.get_by_role("button", name="Back to training").wait_for()
        leave()
        page.get_by_role("button", name="Step through its loss").wait_for()
        assert page.url.endswith("#/training")


def test_a_rewound_run_comes_back(page: Page, studio: Any) -> None:
    enter(page, studio)
    steps(page, 3)
    before = page.get_by_label("Training loss", exact=True).inner_text()
    page.keyboard.press("r")
    restore = page.get_by_role("button", name="Bring back the run of 3 updates")
    restore.click()
    wait_for(page, "Training loss", before)
    wait_for(page, "Update", "3")


def test_all_in_one_view_on_a_large_screen(page: Page, studio: Any, axe: Any) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    enter(page, studio)
    steps(page, 3)
    assert page.evaluate("document.documentElement.scrollHeight") <= 1080
    sizes = [
        page.locator(f".training {part}").first.bounding_box()
        for part in (".plane-field canvas", ".network-field", ".curve-field", ".part")
    ]
    areas = [size["width"] * size["height"] for size in sizes if size]
    assert areas[0] == max(areas) > 2 * sorted(areas)[-2]
    page.get_by_text("Weights as a table").click()
    table = page.get_by_role("region", name="Weights of layers.0")
    assert table.get_by_role("row").count() == 9
    assert page.locator(".weights [role]").count() == 0
    axe(page)


def test_letters_can_be_switched_off(page: Page, studio: Any) -> None:
    enter(page, studio)
    steps(page, 2)
    page.get_by_role("button", name="Keyboard help").click()
    page.get_by_role("checkbox", name="Use single-character shortcuts").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.keyboard.press("ArrowRight")
    wait_for(page, "Update", "3")
    page.reload()
    page.get_by_role("button", name="Keyboard help").click()
    assert not page.get_by_role("checkbox", name="Use single-character shortcuts").is_checked()


def test_test_points_are_shown_on_the_plane(page: Page, studio: Any) -> None:
    enter(page, studio)
    plane = page.locator(".plane-field canvas")
    box, legend = page.get_by_role("checkbox", name="Test points"), page.locator(".plane .legend")
    before = plane.evaluate("c => c.toDataURL()")
    assert "not learned from" not in legend.inner_text()
    box.check()
    expect(legend).to_contain_text("test points: not learned from")
    page.wait_for_function(
        "before => document.querySelector('.plane-field canvas').toDataURL() !== before", arg=before
    )
    box.uncheck()
    expect(legend).not_to_contain_text("not learned from")
