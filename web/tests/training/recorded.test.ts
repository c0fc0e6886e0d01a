import { expect, it } from "vitest";
import type { Frame, Refusal, Reply, Request } from "../../src/training/run/protocol";
import { Recorded, type Recording } from "../../src/training/recorded";
import { CONFIGURATION, frame, HELLO, POINTS } from "./frames";

const STEPS = [0, 1, 2, 5, 300];

function recording(data: string): Recording {
  const hello = { ...HELLO, configuration: { ...CONFIGURATION, data } } as Recording["hello"];
  hello.choices = { ...hello.choices, data: ["xor", "moons"] };
  const frames = STEPS.map((step) => ({ ...(frame(1) as Frame), step }));
  const every = Array.from({ length: 300 }, (_, k) => k);
  return { hello, points: POINTS, losses: every, norms: every.map((k) => [k, k, k]), frames };
}

/** A room of a site; `run` lets all that was planned happen. */
async function site() {
  const replies: Reply[] = [];
  const loaded: string[] = [];
  const planned: (() => void)[] = [];
  const room = new Recorded((reply) => replies.push(reply), {
    load: async (data) => (loaded.push(data), recording(data)),
    later: (callback) => (planned.push(callback), 0 as never),
  });
  const run = async () => {
    for (let k = 0; k < 50; k++) {
      planned.splice(0).forEach((callback) => callback());
      await Promise.resolve();
    }
  };
  const ask = (request: Request) => (room.send(request), run());
  const last = () => replies.filter((reply) => reply.type === "frame").at(-1) as Frame;
  const refused = () => replies.filter((reply) => reply.type === "refused") as Refusal[];
  expect(room.send({ type: "pause" })).toBe(false); // nothing is loaded yet
  room.open();
  await run();
  return { room, ask, last, refused, replies, loaded };
}

it("says hello and shows the weights at the start", async () => {
  const { replies, last } = await site();
  expect(replies[0]!.type).toBe("hello");
  expect(last()).toMatchObject({ step: 0, running: false, points: POINTS, curve: { from: 0, losses: [] } });
});

it("runs to the end of the record, with the losses and norms of each moment", async () => {
  const { ask, last } = await site();
  await ask({ type: "start" });
  expect(last()).toMatchObject({ step: 300, running: false });
  expect(last().curve.losses.length).toBe(300);
  expect(last().layers[0]!.norms.length).toBe(200);
  expect(last().layers[0]!.norms.at(-1)).toBe(299);
  expect(last().stopped).not.toBe("");
  await ask({ type: "rewind" });
  expect(last()).toMatchObject({ step: 0, stopped: "" });
});

it("steps to the first frame that is far enough", async () => {
  const { ask, last } = await site();
  await ask({ type: "step", count: 1 });
  expect(last().step).toBe(1);
  await ask({ type: "step", count: 2 });
  expect(last().step).toBe(5);
  expect(last().curve.losses).toEqual([0, 1, 2, 3, 4]);
});

it("another data set is another file, anything else is refused with a remedy", async () => {
  const { ask, refused, loaded, replies } = await site();
  await ask({ type: "configure", configuration: { ...CONFIGURATION, data: "moons" } });
  expect(loaded).toEqual(["xor", "moons"]);
  expect(refused()).toEqual([]);
  await ask({ type: "configure", configuration: { ...CONFIGURATION, data: "moons", lr: 0.9 } });
  expect(refused()[0]!.fix).toContain("gradwalk studio");
  expect(replies.at(-1)!.type).toBe("hello"); // the settings are again those of the run
  await ask({ type: "walk", example: 1 });
  await ask({ type: "csv", text: "" });
  expect(refused().map((one) => one.where)).toEqual(["settings", "walk", "csv"]);
});

it("a file that is missing is reported", async () => {
  const room = new Recorded(() => undefined, {
    load: () => Promise.reject(new Error("404")),
    later: () => 0 as never,
  });
  room.open();
  await new Promise((done) => setTimeout(done));
  expect(room.link.value).toMatchObject({ state: "lost" });
});
