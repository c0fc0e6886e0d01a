"""The channel of the training room: pressed back, kept apart, resumed; nothing breaks it."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from socket import SHUT_RDWR
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from gradwalk.studio.training import channel as room
from gradwalk.studio.training.configuration import Configuration
from gradwalk.studio.training.run import Run
from gradwalk.studio.training.session import Session
from gradwalk.studio.training.sessions import KEPT, MOST, Sessions

SMALL = {"count": 12, "hidden": [3], "batch": 5}


def app_of(sessions: Sessions) -> Starlette:
    async def train(socket: WebSocket) -> None:
        await room.channel(socket, sessions)

    return Starlette(routes=[WebSocketRoute("/ws", train)])


class Page:
    """The other end: what it sends and what it gets, frame by frame."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.send_text = socket, socket.send
        self.hello = self.get("hello")

    def get(self, kind: str) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=60))
        assert message["type"] == kind, message
        return message

    def send(self, type_: str, **members: Any) -> None:
        self.send_text(json.dumps({"type": type_, **members}))

    def frame(self) -> dict[str, Any]:
        """The next frame, which is shown at once."""
        made = self.get("frame")
        self.send("shown", frame=made["frame"])
        return made

    def until(self, fits: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """The frames up to the first one that fits."""
        seen = [self.frame()]
        while not fits(seen[-1]):
            seen.append(self.frame())
        return seen

    def refused(self) -> str:
        parts = self.get("refused")
        assert all(parts[part] for part in ("where", "expected", "got", "fix"))
        return str(parts["where"])

    def small(self) -> dict[str, Any]:
        """A small run instead of the first one."""
        self.frame()
        self.send("watch", gradients=False, resolution=2)
        self.send("configure", configuration=SMALL)
        return self.until(lambda f: len(f["points"]) == 12 and bool(f["boundary"]))[-1]


class Room:
    """A real server, and pages that come to it over real sockets."""

    def __init__(self, sessions: Sessions, address: str) -> None:
        self.sessions, self.address = sessions, address

    @contextmanager
    def page(self, query: str = "") -> Iterator[Page]:
        with connect(self.address + query, max_size=None) as socket:
            yield Page(socket)

    def notice_that_it_left(self, name: str) -> None:
        """Wait until the server has seen the end of the connection that held a session."""
        deadline = time.monotonic() + 10.0
        while self.sessions._places[name].holder is not None and time.monotonic() < deadline:
            time.sleep(0.005)


@pytest.fixture
def here() -> Iterator[Room]:
    sessions = Sessions()
    config = uvicorn.Config(app_of(sessions), port=0, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield Room(sessions, f"ws://127.0.0.1:{port}/ws")
    server.should_exit = True
    thread.join()


def losses_of(configuration: dict[str, Any], updates: int) -> list[float]:
    run = Run(Configuration.of(configuration))
    for _ in range(updates):
        run.step()
    return list(run.curve.losses)


def curve_of(frames: list[dict[str, Any]]) -> list[float]:
    """What a page has that puts the pieces together."""
    losses: list[float] = []
    for frame in frames:
        curve = frame["curve"]
        kept = losses[: curve["from"] // curve["every"]] if curve["from"] else []
        losses = kept + curve["losses"]
    return losses


# --- one page -------------------------------------------------------------------------------------


def test_a_page_is_greeted_and_sees_the_first_frame(here: Room) -> None:
    with here.page() as page:
        assert not page.hello["resumed"]
        assert page.hello["configuration"]["data"] == "xor"
        assert page.hello["limits"]["points"] == 2_000
        assert "tanh" in page.hello["choices"]["activations"]
        first = page.frame()
        assert (first["step"], first["running"], first["stopped"]) == (0, False, "")
        assert len(first["boundary"]["values"]) == 1_600


def test_steps_are_the_updates_of_the_run(here: Room) -> None:
    with here.page() as page:
        page.small()
        page.send("step", count=7)
        frames = page.until(lambda f: not f["running"] and f["step"] == 7)
        assert curve_of(frames) == losses_of(SMALL, 7)
        page.send("rewind")
        assert page.until(lambda f: f["step"] == 0)[-1]["curve"]["losses"] == []


def test_a_training_goes_on_from_frame_to_frame_until_it_is_paused(here: Room) -> None:
    with here.page() as page:
        page.small()
        page.send("start")
        frames = page.until(lambda f: f["step"] > 0)
        frames += page.until(lambda f: f["step"] > frames[-1]["step"])
        assert frames[-1]["running"]
        page.send("pause")
        frames += page.until(lambda f: not f["running"])
        steps = frames[-1]["step"]
        assert [f["frame"] for f in frames] == list(
            range(frames[0]["frame"], frames[0]["frame"] + len(frames))
        )
        # All of them: a quick machine passes the length at which a curve is thinned.
        assert curve_of(frames) == losses_of(SMALL, steps)
        page.send("start", perFrame=2)
        frames = page.until(lambda f: f["step"] >= steps + 6)
        made = {b["step"] - a["step"] for a, b in pairwise(frames)}
        assert made <= {0, 1, 2}, "at most two; on a busy machine there may be time for one only"


def test_no_frame_is_sent_while_one_is_on_its_way(here: Room) -> None:
    with here.page() as page:
        first = page.get("frame")
        page.send("step", count=3)
        page.send("shown", frame=first["frame"] + 1)  # not the one that is on its way
        page.send("step", count=0)
        assert page.refused() == "step.count", "nothing else has come in between"
        page.send("shown", frame=first["frame"])
        assert page.frame()["frame"] == first["frame"] + 1


def test_a_page_that_does_not_look_does_not_train(
    here: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "PATIENCE", -1.0)
    with here.page() as page:
        last = page.small()
        page.send("start")
        last = page.get("frame")
        assert last["running"]
        (place,) = here.sessions._places.values()
        steps = place.session.run.steps
        for _ in range(3):
            page.send("nonsense")
            page.refused()
        assert place.session.run.steps == steps
        page.send("shown", frame=last["frame"])
        assert page.get("frame")["step"] > steps


def test_points_tables_and_walks(here: Room) -> None:
    with here.page() as page:
        page.small()
        page.send("step", count=2)
        page.until(lambda f: f["step"] == 2 and not f["running"])
        page.send("csv", text="1,2,a\n3,4,b\n")
        table = page.get("csv")
        page.send("points", points=table["points"])
        last = page.until(lambda f: len(f["points"]) == 2)[-1]
        assert last["step"] == 2, "the weights stay"
        page.send("walk", example=1)
        answer = page.get("document")
        assert (answer["example"], answer["step"]) == (1, 2)
        labels = {node["label"]: node["data"] for node in answer["document"]["nodes"]}
        assert labels["w[0,1,1]"] == last["layers"][0]["weights"][1][1]
        page.send("walk", example=2)
        assert page.refused() == "walk.example"


def test_gradients_come_if_they_are_watched(here: Room) -> None:
    with here.page() as page:
        page.small()
        page.send("step", count=1)
        assert page.until(lambda f: f["step"] == 1)[-1]["layers"][0]["gradients"] is None
        page.send("watch", gradients=True, resolution=0)
        last = page.until(lambda f: f["boundary"] is None)[-1]
        assert len(last["layers"][0]["gradients"]["weights"]) == 3


# --- nothing breaks it ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("{", "message"),
        ("[" * 50_000, "message"),
        ('{"type": "points", "points": [[NaN, 0, 0]]}', "message"),
        ('{"type": "points", "points": "' + "0" * 300_000 + '"}', "message"),
        ('{"type": "fly"}', "message.type"),
        ('{"type": "configure", "configuration": {"hidden": [1000]}}', "configuration.hidden[0]"),
        ('{"type": "points", "points": [[1e7, 0, 0]]}', "points.points[0][0]"),
        ('{"type": "csv", "text": "1,2,0\\n1,b,1"}', "line 2, column 2 (y)"),
    ],
)
def test_a_refusal_leaves_the_connection_and_the_run_alone(
    here: Room, text: str, where: str
) -> None:
    with here.page() as page:
        before = page.small()
        page.send_text(text)
        assert page.refused() == where
        page.send("step", count=1)
        after = page.until(lambda f: f["step"] == 1)[-1]
        assert after["points"] == before["points"]


def test_bytes_are_refused(here: Room) -> None:
    with here.page() as page:
        page.frame()
        page.send_text(b'{"type": "start"}')
        assert page.refused() == "message"


@pytest.mark.parametrize("method", ["frame", "advance", "obey"])
def test_a_mistake_of_ours_is_said_and_logged_and_is_not_the_end(
    here: Room, method: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("a mistake")

    with here.page() as page:
        page.small()
        right = getattr(Session, method)
        with caplog.at_level(logging.ERROR), monkeypatch.context() as patch:
            patch.setattr(Session, method, fail)
            page.send("step", count=5)
            assert page.refused() == "training"
        assert "ZeroDivisionError: a mistake" in caplog.text
        assert getattr(Session, method) is right
        page.send("rewind")
        page.send("step", count=2)
        last = page.until(lambda f: f["step"] == 2)[-1]
        assert last["curve"]["losses"][-1:] == losses_of(SMALL, 2)[-1:]


def test_a_mistake_in_the_reader_is_an_answer_too(
    here: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(text: str | None) -> None:
        raise ZeroDivisionError

    with here.page() as page:
        first = page.get("frame")
        with monkeypatch.context() as patch:
            patch.setattr(room, "read", fail)
            page.send("start")
            assert page.refused() == "training"
        page.send("shown", frame=first["frame"])
        page.send("step", count=1)
        page.until(lambda f: f["step"] == 1)


# --- several pages, and those that come back ------------------------------------------------------


def test_two_pages_do_not_disturb_each_other(here: Room) -> None:
    with here.page() as one, here.page() as two:
        assert one.hello["session"] != two.hello["session"]
        one.small()
        two.small()
        one.send("start")
        one.until(lambda f: f["step"] > 0)
        two.send("step", count=6)
        frames = two.until(lambda f: f["step"] == 6 and not f["running"])
        assert curve_of(frames) == losses_of(SMALL, 6)
        two.send("nonsense")
        two.refused()
        one.until(lambda f: f["step"] > 10)


def test_a_page_that_comes_back_finds_its_training(here: Room) -> None:
    with here.page() as page:
        name = page.hello["session"]
        page.small()
        page.send("start", perFrame=3)
        steps = page.until(lambda f: f["step"] >= 9)[-1]["step"]
    here.notice_that_it_left(name)
    with here.page(f"?session={name}") as page:
        assert (page.hello["session"], page.hello["resumed"]) == (name, True)
        assert page.hello["configuration"]["hidden"] == [3]
        back = page.frame()
        assert back["running"], "it goes on"
        assert back["step"] >= steps
        assert back["curve"]["from"] == 0
        assert back["curve"]["losses"] == losses_of(SMALL, back["step"])
        frames = [back, *page.until(lambda f: f["step"] >= back["step"] + 6)]
        assert curve_of(frames) == losses_of(SMALL, frames[-1]["step"])


def test_a_duplicated_tab_gets_a_session_of_its_own(here: Room) -> None:
    with here.page("?tab=a") as page:
        page.small()
        name = page.hello["session"]
        for query in (f"?session={name}&tab=b", f"?session={name}"):
            with here.page(query) as other:
                assert not other.hello["resumed"]
                assert other.hello["session"] != name
                assert other.hello["configuration"]["hidden"] == [3], "the same to begin with"
                other.send("points", points=[])
                other.until(lambda f: f["points"] == [])
        page.send("step", count=1)
        assert len(page.until(lambda f: f["step"] == 1)[-1]["points"]) == 12


def test_the_same_tab_takes_over_a_connection_that_seems_to_live(here: Room) -> None:
    with here.page("?tab=a") as old:
        old.small()
        old.send("start")
        old.until(lambda f: f["step"] > 0)
        name = old.hello["session"]
        with here.page(f"?session={name}&tab=a") as new:
            assert new.hello["resumed"]
            while old.socket.close_code is None:
                with suppress(ConnectionClosed):
                    old.socket.recv(timeout=60)
            assert old.socket.close_code == room.TAKEN_OVER
            new.until(lambda f: f["step"] > 100)
    with here.page(f"?session={name}&tab=a") as new:
        assert new.hello["resumed"], "the end of the old one has not ended the session"


class Nobody:
    """A connection that does nothing."""

    left = 0

    def leave(self) -> None:
        self.left += 1


def test_sessions_wait_for_ten_minutes() -> None:
    now = 0.0
    sessions, nobody = Sessions(clock=lambda: now), Nobody()
    session, _ = sessions.enter("", "", nobody)
    now = 10 * KEPT
    assert sessions.enter(session.name, "", nobody)[0] is not session, "it is connected"
    sessions.leave(session, nobody)
    now += KEPT
    assert sessions.enter(session.name, "", nobody) == (session, True)
    sessions.leave(session, nobody)
    now += KEPT + 1
    found, resumed = sessions.enter(session.name, "", nobody)
    assert not resumed
    assert found.name != session.name
    assert len(sessions) == 2


def test_there_are_so_many_sessions_and_no_more(here: Room) -> None:
    nobody, sessions = Nobody(), here.sessions
    first, second, *_ = [sessions.enter("", "", nobody)[0] for _ in range(MOST)]
    with connect(here.address) as socket:
        assert json.loads(socket.recv(timeout=60))["where"] == "training"
        with pytest.raises(ConnectionClosed):
            socket.recv(timeout=60)
        assert socket.close_code == room.FULL
    sessions.leave(second, nobody)
    sessions.leave(first, nobody)
    with here.page():
        assert len(sessions) == MOST
        assert sessions.enter(first.name, "", nobody) == (first, True)
        sessions.leave(second, nobody)  # which has made room, and is not known any more
        assert len(sessions) == MOST


def test_a_name_from_elsewhere_opens_nothing() -> None:
    sessions, nobody = Sessions(), Nobody()
    session, resumed = sessions.enter("guessed", "a", nobody)
    assert not resumed
    assert session.name != "guessed"
    sessions.leave(session, Nobody())
    assert sessions.enter(session.name, "a", nobody) == (session, True), "taken over"
    assert nobody.left == 1


# --- pressed back ---------------------------------------------------------------------------------


def test_frames_do_not_pile_up_before_a_slow_page(here: Room) -> None:
    with here.page() as page:
        page.small()
        page.send("start")
        before = page.until(lambda f: f["step"] > 0)[-1]
        time.sleep(0.3)  # ten frames could come in this time
        waiting = page.get("frame")
        assert waiting["frame"] == before["frame"] + 1
        with pytest.raises(TimeoutError):
            page.socket.recv(timeout=0.2)
        page.send("shown", frame=waiting["frame"])
        news = page.get("frame")
        assert news["frame"] == waiting["frame"] + 1
        assert news["step"] > waiting["step"], "of the run as it is now, not as it was"


def test_thirty_frames_come_in_a_second_at_most(here: Room) -> None:
    with here.page() as page:
        page.small()
        page.send("start", perFrame=1)
        page.until(lambda f: f["step"] > 0)
        began = time.perf_counter()
        for _ in range(16):
            page.frame()
        assert time.perf_counter() - began > 15 * room.FRAME - room.LATE


def test_two_visitors_at_once_train_the_same_run(here: Room) -> None:
    with here.page() as one, here.page() as two:
        one.small()
        two.small()
        one.send("start")
        two.send("start", perFrame=2)
        slow = two.until(lambda f: f["step"] >= 20)
        fast = one.until(lambda f: f["step"] >= 20)
        assert curve_of(slow) == losses_of(SMALL, slow[-1]["step"])
        assert curve_of(fast) == losses_of(SMALL, fast[-1]["step"])


def test_a_connection_that_is_cut_resumes(here: Room) -> None:
    with here.page("?tab=a") as page:
        page.small()
        page.send("start", perFrame=2)
        steps = page.until(lambda f: f["step"] > 4)[-1]["step"]
        name = page.hello["session"]
        page.socket.socket.shutdown(SHUT_RDWR)  # without a word of farewell
    with here.page(f"?session={name}&tab=a") as page:
        assert page.hello["resumed"]
        back = page.frame()
        assert back["step"] >= steps
        assert back["curve"]["losses"] == losses_of(SMALL, back["step"])
        assert page.until(lambda f: f["step"] > back["step"])
