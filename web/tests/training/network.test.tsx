// @vitest-environment jsdom
import { render } from "preact";
import { act } from "preact/test-utils";
import { describe, expect, it } from "vitest";
import {
  diagramOf,
  HEIGHT,
  nameOf,
  partAt,
  SHOWN,
  WIDTH,
  wordsOf,
  type Part,
} from "../../src/training/network/diagram";
import { rangeOf, sparkOf } from "../../src/training/Flow";
import { SHORTCUTS } from "../../src/training/keys";
import { shortcutIn } from "../../src/ui/keys";
import { Network, nextPart } from "../../src/training/network/Network";
import { TrainingRoom } from "../../src/training/run/room";
import { frame, HELLO, layer } from "./frames";
import type { Reply } from "../../src/training/run/protocol";
import { signal } from "@preact/signals";

describe("the diagram", () => {
  it("has a line for each weight and a disc for each neuron, inside the picture", () => {
    const { neurons, links, radius } = diagramOf([2, 3, 1], 0);
    expect(neurons.length).toBe(6);
    expect(links.length).toBe(2 * 3 + 3 * 1);
    for (const { x, y } of neurons) {
      expect(x - radius >= 0 && x + radius <= WIDTH && y - radius >= 0 && y + radius <= HEIGHT).toBe(true);
    }
    expect(new Set(links.map(({ part }) => nameOf(part))).size).toBe(9);
  });

  it("shows a window of wide layers, so that the page never grows without bound", () => {
    const { neurons, links } = diagramOf([2, 64, 64, 1], 60);
    expect(links.length).toBe(2 * SHOWN + SHOWN * SHOWN + SHOWN);
    const shown = neurons.filter(({ part }) => part.layer === 0).map(({ part }) => part.index);
    expect([shown[0], shown.at(-1)]).toEqual([52, 63]);
  });

  it("tells what is under the mouse", () => {
    const diagram = diagramOf([2, 2, 1], 0);
    for (const { part, x, y } of diagram.neurons) expect(partAt(diagram, x + 3, y)).toEqual(part);
    for (const { part, x0, y0, x1, y1 } of diagram.links) {
      expect(partAt(diagram, x0 + 0.3 * (x1 - x0), y0 + 0.3 * (y1 - y0))).toEqual(part);
    }
    expect(partAt(diagram, 2, 2)).toBeNull();
  });

  it("calls its parts as the walk does", () => {
    expect(nameOf({ kind: "link", layer: 1, index: 0, input: 2 })).toBe("w[1, 0, 2]");
    expect(wordsOf({ kind: "link", layer: 1, index: 0, input: 2 }, 2)).toBe(
      "weight from neuron 2 of layers.0 to the output",
    );
    expect(wordsOf({ kind: "link", layer: 0, index: 1, input: 0 }, 2)).toBe(
      "weight from input x to neuron 1 of layers.0",
    );
    expect(nameOf({ kind: "neuron", layer: -1, index: 1 })).toBe("x1");
  });


  it("is walked with the arrow keys and brackets", () => {
    const diagram = diagramOf([2, 3, 1], 0);
    let at: Part = { kind: "neuron", layer: -1, index: 0 };
    const press = (...keys: string[]) => keys.forEach((key) => (at = nextPart(key, at, diagram) ?? at));
    press("ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown");
    expect(nameOf(at)).toBe("a[0, 2]");
    press("]", "]");
    expect(nameOf(at)).toBe("w[0, 2, 1]");
    press("]");
    expect(nameOf(at)).toBe("w[0, 2, 0]");
    press("ArrowRight");
    expect(nameOf(at)).toBe("a[1, 0]");
    press("ArrowRight", "q");
    expect(nameOf(at)).toBe("a[1, 0]");
  });
});

function shown() {
  let say: (reply: Reply) => void = () => undefined;
  const room = new TrainingRoom({
    connect: (receive) => {
      say = receive;
      return { link: signal({ state: "connected" }), open() {}, close() {}, again() {}, send: () => true };
    },
    beforePaint: (callback) => callback(),
  });
  say(HELLO);
  const place = document.createElement("div");
  document.body.append(place);
  act(() => say(frame(1)));
  act(() => render(<Network room={room} />, place));
  return { room, place, say: (reply: Reply) => act(() => say(reply)) };
}

const line = (place: Element, name: string) => place.querySelector(`[data-part="${name}"]`)!;

describe("the network on the page", () => {
  it("shows size and sign of each weight", () => {
    const { place } = shown();
    const width = (name: string) => Number(line(place, name).getAttribute("stroke-width"));
    expect(width("w[1, 0, 2]")).toBe(6); // -8 is the largest
    expect(width("w[0, 2, 1]")).toBeCloseTo(0.4 + 5.6 / 2, 1);
    expect(line(place, "w[1, 0, 2]").getAttribute("class")).toContain("negative");
    expect(line(place, "w[0, 0, 0]").getAttribute("class")).toContain("positive");
    expect(line(place, "x0").textContent).toBe("x");
    expect(line(place, "a[1, 0]").textContent).toBe("score");
    expect(line(place, "w[1, 0, 2]").hasAttribute("role")).toBe(false); // one picture, not hundreds
  });

  it("follows the frames with the very same elements", () => {
    const { place, say } = shown();
    const before = line(place, "w[1, 0, 2]");
    say(
      frame(2, {
        layers: [
          layer(
            0,
            [
              [1, 1],
              [1, 1],
              [1, 1],
            ],
            { dead: [1] },
          ),
          layer(1, [[1, 1, 0]]),
        ],
      }),
    );
    expect(line(place, "w[1, 0, 2]")).toBe(before);
    expect(before.getAttribute("stroke-width")).toBe("0.4");
    expect(line(place, "a[0, 1]").getAttribute("class")).toContain("dead");
  });

  it("shows gradients when asked, and the numbers of what has the focus", () => {
    const { room, place, say } = shown();
    const gradients = (n: number[][]) => ({ weights: n, biases: n.map(() => 0.25) });
    act(() => room.watchGradients(true));
    expect(place.textContent).toContain("No gradients before the first update");
    const layers = [
      layer(
        0,
        [
          [1, -2],
          [0.5, 0],
          [0, 4],
        ],
        {
          gradients: gradients([
            [-3, 0],
            [0, 0],
            [0, 0],
          ]),
        },
      ),
      layer(1, [[1, 2, -8]], { gradients: gradients([[0, 0, 0.001]]) }),
    ];
    say(frame(2, { layers }));
    expect(line(place, "w[0, 0, 0]").getAttribute("class")).toContain("negative");
    expect(line(place, "w[0, 0, 0]").getAttribute("stroke-width")).toBe("6.0");
    act(() => void line(place, "a[0, 0]").dispatchEvent(new FocusEvent("focus")));
    const words = place.querySelector("[data-testid=part]")!.textContent!;
    for (const part of [
      "a[0, 0]",
      "mean output (tanh)-0.5",
      "bias b[0, 0]0.0",
      "gradient of the bias0.25",
      "gradient of w[0, 0, 0]-3.0",
    ]) {
      expect(words).toContain(part);
    }
  });

  it("is built anew for another network", () => {
    const { place, say } = shown();
    say(frame(2, { layers: [layer(0, [[5, -5]])] }));
    expect(place.querySelectorAll("line").length).toBe(2);
    expect(line(place, "w[0, 0, 1]").getAttribute("class")).toContain("negative");
  });
});

describe("gradient flow", () => {
  it("has one range for all layers, in whole powers of ten", () => {
    expect(rangeOf([layer(0, [], { norms: [0.02, 0] }), layer(1, [], { norms: [3] })])).toEqual([0.01, 10]);
    expect(rangeOf([layer(0, [], { norms: [] })])).toBeNull();
    expect(rangeOf([layer(0, [], { norms: [0] })])).toBeNull();
  });

  it("draws equal factors equally high, and 0 at the bottom", () => {
    const heights = [...sparkOf([1, 0.1, 0.01, 0], [0.01, 1]).matchAll(/ ([\d.]+)/g)].map((m) =>
      Number(m[1]),
    );
    expect(heights[1]! - heights[0]!).toBeCloseTo(heights[2]! - heights[1]!, 5);
    expect(heights[3]).toBe(heights[2]);
  });
});

describe("keys", () => {
  const pressed = (key: string, html = "<p></p>", more: KeyboardEventInit = {}) => {
    document.body.innerHTML = html;
    let found: (typeof SHORTCUTS)[number] | null = null;
    document.addEventListener("keydown", (event) => void (found = shortcutIn(SHORTCUTS, event)), { once: true });
    document.body.firstElementChild!.dispatchEvent(
      new KeyboardEvent("keydown", { key, bubbles: true, ...more }),
    );
    return found as (typeof SHORTCUTS)[number] | null;
  };

  it("start, step and rewind from anywhere", () => {
    expect(pressed(" ")?.words).toContain("Start");
    expect(pressed("ArrowRight")?.words).toContain("Step");
    expect(pressed("r")?.words).toContain("Rewind");
  });

  it("are left to what has a use for them", () => {
    expect(pressed(" ", "<button></button>")).toBeNull();
    expect(pressed("r", "<input>")).toBeNull();
    expect(pressed("ArrowRight", "<select></select>")).toBeNull();
    expect(pressed("r", "<button></button>")?.keys).toEqual(["r"]);
    expect(pressed("r", "<p></p>", { ctrlKey: true })).toBeNull();
  });
});
