import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Link } from "../../src/training/run/connection";
import { added, moved } from "../../src/training/run/points";
import type { Refusal, Reply, Request } from "../../src/training/run/protocol";
import { TrainingRoom } from "../../src/training/run/room";
import { CONFIGURATION, frame, HELLO, POINTS } from "./frames";

/** A room whose server and screen are played by the test. */
function stage() {
  const sent: Request[] = [];
  const paints: (() => void)[] = [];
  let say: (reply: Reply) => void = () => undefined;
  const link = signal<Link>({ state: "connected" });
  const connection = {
    link,
    open: vi.fn(),
    close: vi.fn(),
    again: vi.fn(),
    send: (request: Request) => link.value.state === "connected" && (sent.push(request), true),
  };
  const room = new TrainingRoom({
    connect: (receive) => ((say = receive), connection),
    beforePaint: (callback) => void paints.push(callback),
  });
  const paint = () => paints.splice(0).forEach((callback) => callback());
  const of = (type: Request["type"]) => sent.filter((request) => request.type === type);
  const show = (one: Reply) => (say(one), paint());
  say(HELLO);
  return { room, sent, of, say: (reply: Reply) => say(reply), paint, paints, show, connection, link };
}

const refusal = (where: string): Refusal => ({ type: "refused", where, expected: "a", got: "b", fix: "c" });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("frames", () => {
  it("are acknowledged when they are shown, not before", () => {
    const { room, say, paint, of } = stage();
    say(frame(1));
    expect(of("shown")).toEqual([]);
    expect(room.frame.value).toBeNull();
    paint();
    expect(of("shown")).toEqual([{ type: "shown", frame: 1 }]);
    expect(room.frame.value?.frame).toBe(1);
  });

  it("never queue up: one paint shows the latest", () => {
    const { say, paints, paint, of, room } = stage();
    say(frame(1, { curve: { from: 0, every: 1, losses: [3] } }));
    say(frame(2, { curve: { from: 1, every: 1, losses: [2] } }));
    expect(paints.length).toBe(1);
    paint();
    expect(of("shown")).toEqual([{ type: "shown", frame: 2 }]);
    expect(room.curve.losses).toEqual([3, 2]); // no part of the curve is lost
  });

  it("with a hole in the curve lead to a resume, which brings all of it", () => {
    const { show, connection } = stage();
    show(frame(1, { curve: { from: 0, every: 1, losses: [3] } }));
    show(frame(2, { curve: { from: 5, every: 1, losses: [2] } }));
    expect(connection.open).toHaveBeenCalledTimes(1);
  });
});

describe("a run", () => {
  it("is started at the speed that was chosen, and paused", () => {
    const { room, of, show } = stage();
    room.toggle();
    room.setSpeed(5);
    show(frame(1, { running: true }));
    room.setSpeed(1); // takes effect at once while it runs
    room.toggle();
    expect(of("start")).toEqual([{ type: "start" }, { type: "start", perFrame: 1 }]);
    expect(of("pause").length).toBe(1);
  });

  it("is a new one after a change, with everything else as it was", () => {
    const { room, of } = stage();
    room.configure({ lr: 0.5 });
    room.configure({ seed: 7 });
    expect(of("configure").at(-1)).toEqual({
      type: "configure",
      configuration: { ...CONFIGURATION, lr: 0.5, seed: 7 },
    });
  });

  it("on points of one's own begins with those that are shown", () => {
    const { room, of, show } = stage();
    show(frame(1));
    room.configure({ data: "points" });
    expect(of("configure")[0]).toMatchObject({ configuration: { data: "points", points: POINTS } });
    room.configure({ data: "xor" });
    expect(of("configure")[1]).toMatchObject({ configuration: { data: "xor", points: [] } });
  });

  it("is begun again with the same settings if the server has lost it", () => {
    const { room, say, of, show } = stage();
    show(frame(1));
    room.configure({ seed: 3 });
    say({ ...HELLO, resumed: true, configuration: { ...CONFIGURATION, seed: 3 } });
    expect(of("configure").length).toBe(1);
    say({ ...HELLO, session: "new" });
    expect(of("configure").at(-1)).toMatchObject({ configuration: { seed: 3 } });
    expect(room.notice.value).toContain("lost");
  });

  it("says that nothing was done while there is no connection", () => {
    const { room, link } = stage();
    link.value = { state: "reconnecting", attempt: 1 };
    room.step();
    expect(room.refusal.value?.got).toContain("no connection");
    room.configure({ seed: 9 });
    expect(room.configuration.value?.seed).toBe(0);
  });
});

describe("a run that cannot go on", () => {
  it("is not asked to: the page says why already", () => {
    const { room, of, show } = stage();
    show(frame(1, { stopped: "There are no points to learn from: add some." }));
    room.step();
    room.toggle();
    expect([of("step"), of("start")]).toEqual([[], []]);
    room.rewind();
    expect(of("rewind").length).toBe(1);
    show(frame(2));
    room.toggle();
    expect(of("start").length).toBe(1);
  });

  it("can be paused all the same", () => {
    const { room, of, show } = stage();
    show(frame(1, { running: true, stopped: "The training has diverged." }));
    room.toggle();
    expect(of("pause").length).toBe(1);
  });
});

describe("points", () => {
  it("are shown at once, and stay while older frames come in", () => {
    const { room, show } = stage();
    show(frame(1));
    const next = added(POINTS, 0.5, 0.5, 1);
    room.setPoints(next);
    show(frame(2));
    expect(room.points.value).toEqual(next);
    show(frame(3, { points: next }));
    show(frame(4, { points: POINTS })); // now the server counts again
    expect(room.points.value).toEqual(POINTS);
    expect(room.configuration.value?.data).toBe("points");
  });

  it("are sent now and then while one is dragged, and at the end", () => {
    const { room, of, show } = stage();
    show(frame(1));
    for (let i = 1; i <= 20; i++) {
      vi.advanceTimersByTime(16);
      room.setPoints(moved(POINTS, 0, i / 10, 0), i === 20);
    }
    const sent = of("points");
    expect(sent.length).toBeLessThanOrEqual(6);
    expect(sent.length).toBeGreaterThanOrEqual(3);
    vi.advanceTimersByTime(1_000);
    expect(of("points").at(-1)).toMatchObject({ points: moved(POINTS, 0, 2, 0) });
    expect(of("points").length).toBe(sent.length);
  });

  it("can be taken back, step by step, and the history is bounded", () => {
    const { room, show } = stage();
    show(frame(1));
    for (let i = 0; i < 80; i++) {
      room.keep();
      room.setPoints(moved(POINTS, 0, i, 0));
    }
    expect(room.undoable.value).toBe(50);
    room.undo();
    expect(room.points.value[0]).toEqual([78, 0, 0]);
    while (room.undoable.value) room.undo();
    expect(room.points.value[0]).toEqual([29, 0, 0]);
  });

  it("are not more than the server takes", () => {
    const { room, of, show } = stage();
    show(frame(1));
    room.setPoints([...POINTS, ...POINTS]);
    expect(room.refusal.value?.expected).toBe("at most 6 points");
    expect(of("points")).toEqual([]);
  });

  it("are those of the server again after a refusal", () => {
    const { room, say, show } = stage();
    show(frame(1));
    room.setPoints([]);
    say(refusal("points.points"));
    expect(room.points.value).toEqual(POINTS);
    expect(room.refusal.value?.where).toBe("points.points");
  });

  it("that are gone are not chosen any more", () => {
    const { room, show } = stage();
    show(frame(1));
    room.chosen.value = 3;
    room.setPoints(POINTS.slice(0, 2));
    expect(room.chosen.value).toBeNull();
  });
});

describe("a table", () => {
  it("is read by the server and used when people say so", () => {
    const { room, say, of } = stage();
    room.read("x,y,label\n1,2,0");
    expect(of("csv").length).toBe(1);
    say({ type: "csv", points: POINTS, words: "4 points." });
    expect(of("configure")).toEqual([]);
    room.useTable();
    expect(of("configure")[0]).toMatchObject({ configuration: { data: "points", points: POINTS } });
    expect(room.table.value).toBeNull();
  });

  it("that cannot be read is refused at its place, and other refusals are not taken for it", () => {
    const { room, say } = stage();
    room.read("nonsense");
    say(refusal("line 1"));
    expect(room.tableRefusal.value?.where).toBe("line 1");
    expect(room.refusal.value).toBeNull();
    say(refusal("walk.example"));
    expect(room.refusal.value?.where).toBe("walk.example");
  });

  it("that is too long is not sent, nor even opened", async () => {
    const { room, of } = stage();
    room.read("1,2,0\n".repeat(50));
    expect(room.tableRefusal.value?.got).toMatch(/bytes$/);
    const text = vi.fn();
    expect(await room.readFile({ size: 1e9, text } as unknown as Blob)).toBeNull();
    expect(text).not.toHaveBeenCalled();
    expect(room.tableRefusal.value?.got).toBe("1,000,000,000 bytes");
    expect(of("csv")).toEqual([]);
  });

  it("is read from a file that is short enough", async () => {
    const { room, of } = stage();
    await room.readFile(new Blob(["1,2,0"]));
    expect(of("csv")).toEqual([{ type: "csv", text: "1,2,0" }]);
  });
});

describe("a walk", () => {
  it("is opened at the step where the training is paused for it", () => {
    const { room, show, sent, say } = stage();
    show(frame(1, { running: true }));
    room.openWalk(2);
    expect(sent.slice(-2)).toEqual([{ type: "pause" }, { type: "walk", example: 2 }]);
    const document = { format: "gradwalk-walk", version: 1, title: "", nodes: [] } as const;
    say({ type: "document", example: 2, step: 1, document: { ...document, nodes: [] } });
    expect(room.walk.value?.step).toBe(1);
    room.closeWalk();
    expect(room.walk.value).toBeNull();
  });
});
