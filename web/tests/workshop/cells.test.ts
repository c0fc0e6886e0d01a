import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CellRunner, PATIENCE } from "../../src/workshop/run/cells";
import { Stopped } from "../../src/workshop/run/runner";
import type { CellJob, Word } from "../../src/workshop/run/words";

/** A worker that answers each job with these words, and "ready" at first. */
class Fake {
  onmessage: ((event: { data: Word }) => void) | null = null;
  onerror: ((event: { preventDefault: () => void }) => void) | null = null;
  terminate = vi.fn();

  constructor(private readonly answers: (job: CellJob) => Word[], first: Word | null = { kind: "ready" }) {
    if (first) setTimeout(() => this.say(first));
  }

  postMessage(job: CellJob): void {
    setTimeout(() => this.answers(job).forEach((word) => this.say(word)));
  }

  private say(data: Word): void {
    this.onmessage?.({ data });
  }
}

const JOB = { code: "x", before: ["y"] };
const DONE: Word = { kind: "done", error: null };

function running(answers: (job: CellJob) => Word[], first?: Word | null) {
  const made: Fake[] = [];
  const start = () => {
    made.push(new Fake(answers, first));
    return made.at(-1) as unknown as Worker;
  };
  const [said, printed]: [string[], string[]] = [[], []];
  const runner = new CellRunner("14.1", start);
  const run = (job = JOB) => runner.run(job, (words) => said.push(words), (text) => printed.push(text));
  return { made, said, printed, runner, run };
}

describe("a cell", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is run by one worker, again and again", async () => {
    const jobs: CellJob[] = [];
    const { made, said, printed, runner, run } = running((job) => {
      jobs.push(job);
      return [{ kind: "printed", text: "a" }, { kind: "printed", text: "b\n" }, DONE];
    });
    const first = run();
    expect([runner.busy.value, runner.loaded.value]).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(10);
    expect(await first).toBeNull();
    const second = run();
    await vi.advanceTimersByTimeAsync(10);
    expect(await second).toBeNull();
    expect([runner.busy.value, runner.loaded.value]).toEqual([false, true]);
    expect(jobs).toEqual([JOB, JOB]);
    expect(printed.join("")).toBe("ab\nab\n");
    expect(said).toEqual(["Loading Python (14.1 MB) …", "Running …", "Running …"]);
    expect([made.length, made[0]!.terminate.mock.calls.length]).toEqual([1, 0]);
  });

  it("tells its error, and Python goes on", async () => {
    const { run, runner } = running(() => [{ kind: "done", error: { line: 2, message: "ValueError: no" } }]);
    const ran = run();
    await vi.advanceTimersByTimeAsync(10);
    expect(await ran).toEqual({ line: 2, message: "ValueError: no" });
    expect(runner.loaded.value).toBe(true);
  });

  it("is ended after its time, and the next run begins with a new worker", async () => {
    let hangs = true;
    const { made, run } = running(() => (hangs ? [] : [DONE]));
    const ran = run();
    await vi.advanceTimersByTimeAsync(PATIENCE - 100);
    expect(made[0]!.terminate).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect((await ran)!.message).toContain("Stopped after 10 seconds");
    hangs = false;
    const again = run();
    await vi.advanceTimersByTimeAsync(10);
    expect(await again).toBeNull();
    expect([made.length, made[0]!.terminate.mock.calls.length]).toEqual([2, 1]);
  });

  it("is stopped, while it runs and while Python is loaded", async () => {
    for (const first of [undefined, null]) {
      const { made, run, runner } = running(() => [], first);
      const ended = expect(run()).rejects.toBeInstanceOf(Stopped);
      await vi.advanceTimersByTimeAsync(100);
      runner.stop();
      await ended;
      expect([made[0]!.terminate.mock.calls.length, runner.busy.value]).toEqual([1, false]);
    }
  });

  it.each<[Word, string]>([
    [{ kind: "failed", message: "Python could not be loaded: no." }, "could not be loaded: no"],
    [{ kind: "died", message: "stack" }, "The cell has ended Python"],
  ])("says so if there is no Python: %j", async (word, message) => {
    const { made, run } = running(() => [word]);
    const ran = run();
    await vi.advanceTimersByTimeAsync(10);
    expect((await ran)!.message).toContain(message);
    expect(made[0]!.terminate).toHaveBeenCalled();
  });

  it("says so if the worker cannot be started", async () => {
    const { made, run } = running(() => [], null);
    const ran = run();
    const prevented = vi.fn();
    made[0]!.onerror!({ preventDefault: prevented });
    expect((await ran)!.message).toBe("Python could not be loaded. Reload the page.");
    expect(prevented).toHaveBeenCalled();
  });
});
