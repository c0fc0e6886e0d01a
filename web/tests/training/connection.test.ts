import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection, delay } from "../../src/training/run/connection";
import type { Reply } from "../../src/training/run/protocol";

class FakeSocket {
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: string[] = [];
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }

  send(text: string) {
    this.sent.push(text);
  }

  close() {
    this.readyState = 3;
  }

  hello(session: string) {
    this.readyState = 1;
    this.say({ type: "hello", session, resumed: true } as Reply);
  }

  say(reply: Reply) {
    this.onmessage!({ data: JSON.stringify(reply) });
  }

  drop(code = 1006) {
    this.readyState = 3;
    this.onclose!({ code });
  }
}

/** What the server says to a look at its page; null: there is none. */
type Answer = () => Promise<number | null>;

function made(stored: Record<string, string> = {}, status: Answer = () => Promise.resolve(null)) {
  const received: Reply[] = [];
  const storage = {
    getItem: (key: string) => stored[key] ?? null,
    setItem: (key: string, value: string) => void (stored[key] = value),
  };
  const open = (url: string) => new FakeSocket(url) as unknown as WebSocket;
  const around = { open, status, base: "http://127.0.0.1:8421/#/training", storage };
  return { connection: new Connection((reply) => received.push(reply), around), received, stored };
}

const last = () => FakeSocket.all.at(-1)!;
const session = (socket: FakeSocket) => new URL(socket.url).searchParams.get("session");
const tab = (socket: FakeSocket) => new URL(socket.url).searchParams.get("tab");

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
});
afterEach(() => vi.useRealTimers());

describe("connection", () => {
  it("asks beside the page, whatever room the address names", () => {
    const { connection } = made();
    connection.open();
    expect(last().url).toMatch(/^ws:\/\/127\.0\.0\.1:8421\/ws\/train\?/);
    expect(connection.link.value).toEqual({ state: "connecting" });
  });

  it("keeps the session for a reload, and the name of the tab for itself", () => {
    const stored = {};
    const first = made(stored).connection;
    first.open();
    last().hello("abc");
    const before = tab(last());
    const second = made(stored).connection;
    second.open();
    expect(session(last())).toBe("abc");
    expect(tab(last())).not.toBe(before);
  });

  it("comes back to its session after a drop, later each time", () => {
    const { connection } = made();
    connection.open();
    last().hello("abc");
    const before = tab(last());
    for (let attempt = 1; attempt <= 3; attempt++) {
      last().drop();
      expect(connection.link.value).toEqual({ state: "reconnecting", attempt });
      vi.advanceTimersByTime(delay(attempt) - 1);
      expect(FakeSocket.all.length).toBe(attempt);
      vi.advanceTimersByTime(1);
      expect([session(last()), tab(last())]).toEqual(["abc", before]);
    }
    last().hello("abc");
    expect(connection.link.value).toEqual({ state: "connected" });
    last().drop();
    expect(connection.link.value).toEqual({ state: "reconnecting", attempt: 1 });
  });

  it("gives up with words, and begins anew when asked", () => {
    const { connection } = made();
    connection.open();
    for (let i = 0; i < 20 && connection.link.value.state !== "lost"; i++) {
      last().drop();
      vi.advanceTimersByTime(5_000);
    }
    const link = connection.link.value;
    expect(link.state === "lost" && link.words).toContain("does not answer");
    const count = FakeSocket.all.length;
    vi.advanceTimersByTime(600_000);
    expect(FakeSocket.all.length).toBe(count);
    connection.again();
    last().hello("abc");
    expect(connection.link.value.state).toBe("connected");
  });

  it("says at once that the studio was restarted", async () => {
    const answers = [null, 403];
    const { connection } = made({}, () => Promise.resolve(answers.shift() ?? null));
    connection.open();
    last().hello("abc");
    last().drop(); // the server is gone: nothing is asked, for the line was good
    expect(answers.length).toBe(2);
    await vi.advanceTimersByTimeAsync(delay(1));
    last().drop();
    await vi.advanceTimersByTimeAsync(0);
    expect(connection.link.value).toEqual({ state: "reconnecting", attempt: 2 });
    await vi.advanceTimersByTimeAsync(delay(2));
    last().drop(); // now another one is there, which does not know this page
    await vi.advanceTimersByTimeAsync(0);
    const link = connection.link.value;
    expect(link.state === "lost" && link.words).toContain("restarted");
    const count = FakeSocket.all.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all.length).toBe(count);
  });

  it("tries on while the page is let in, and takes no late answer for a new drop", async () => {
    let answer: (status: number) => void = () => undefined;
    const { connection } = made({}, () => new Promise((done) => (answer = done)));
    connection.open();
    last().drop();
    answer(200);
    await vi.advanceTimersByTimeAsync(delay(1));
    expect(connection.link.value).toEqual({ state: "reconnecting", attempt: 1 });
    last().drop();
    const late = answer;
    await vi.advanceTimersByTimeAsync(delay(2));
    last().hello("abc");
    late(403);
    await vi.advanceTimersByTimeAsync(0);
    expect(connection.link.value).toEqual({ state: "connected" });
  });

  it.each([4001, 1013])("does not fight for a place it was refused (%i)", (code) => {
    const { connection } = made();
    connection.open();
    last().drop(code);
    vi.advanceTimersByTime(60_000);
    expect(connection.link.value.state).toBe("lost");
    expect(FakeSocket.all.length).toBe(1);
  });

  it("sends nothing while it is away, and says so", () => {
    const { connection } = made();
    connection.open();
    expect(connection.send({ type: "pause" })).toBe(false);
    last().hello("abc");
    expect(connection.send({ type: "pause" })).toBe(true);
    expect(last().sent).toEqual(['{"type":"pause"}']);
    last().drop();
    expect(connection.send({ type: "pause" })).toBe(false);
  });

  it("takes a line on which nothing answers for dead", () => {
    const { connection } = made();
    connection.open();
    last().hello("abc");
    connection.send({ type: "shown", frame: 1 }); // a paused run has nothing to say to it
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all.length).toBe(1);
    connection.send({ type: "pause" });
    vi.advanceTimersByTime(20_000 + delay(1));
    expect(FakeSocket.all.length).toBe(2);
    expect(session(last())).toBe("abc");
    vi.advanceTimersByTime(20_000 + delay(2)); // it opens, and nothing comes
    expect(FakeSocket.all.length).toBe(3);
    expect(connection.link.value).toEqual({ state: "reconnecting", attempt: 2 });
  });

  it("hears nothing more from a socket it has left", () => {
    const { connection, received } = made();
    connection.open();
    const old = last();
    old.hello("abc");
    connection.open();
    old.say({ type: "csv", points: [], words: "" });
    old.drop();
    expect(received.length).toBe(1);
    expect(connection.link.value.state).toBe("connecting");
  });

  it("works where nothing may be stored", () => {
    const shut = {
      getItem: () => {
        throw new Error("shut");
      },
      setItem: () => {
        throw new Error("shut");
      },
    };
    const open = (url: string) => new FakeSocket(url) as unknown as WebSocket;
    const status: Answer = () => Promise.resolve(null);
    const around = { open, status, base: "https://a/b/", storage: shut };
    const connection = new Connection(() => undefined, around);
    connection.open();
    expect(last().url).toMatch(/^wss:\/\/a\/b\/ws\/train/);
    last().hello("abc");
    expect(connection.link.value.state).toBe("connected");
  });
});
