/** The colours of the theme as numbers, for canvases. They are read again when the theme changes. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

type Rgb = [number, number, number];

export interface Palette {
  ink: string;
  faint: string;
  line: string;
  panel: string;
  accent: string;
  labels: [zero: string, one: string];
  /** RGBA for 256 values from 0 to 1, packed as in the pixels of a canvas. */
  field: Uint32Array;
}

export const palette = signal<Palette | null>(null);

/** The strength of a label's colour where the network is certain. */
const STRENGTH = 0.46;

/** Keeps `palette` up to date while the element is on the page. */
export function usePalette(root: { current: HTMLElement | null }): void {
  useEffect(() => {
    const read = () => {
      if (root.current) palette.value = paletteOf(root.current);
    };
    const system = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((one) => matchMedia(one));
    const observer = new MutationObserver(read);
    observer.observe(document.documentElement, {
      attributes: true,
      attributeFilter: ["data-theme", "class"],
    });
    for (const one of system) one.addEventListener("change", read);
    read();
    return () => {
      observer.disconnect();
      for (const one of system) one.removeEventListener("change", read);
    };
  }, []);
}

function paletteOf(root: HTMLElement): Palette {
  const probe = document.createElement("span");
  probe.className = "colour-probe"; // otherwise forced colours would replace every answer
  root.append(probe);
  const colour = (name: string): Rgb => {
    probe.style.color = `var(--${name})`;
    const [r = 0, g = 0, b = 0] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
    return [r, g, b];
  };
  const [zero, one, panel] = [colour("label-zero"), colour("label-one"), colour("panel")];
  const made = {
    ink: css(colour("ink")),
    faint: css(colour("ink-faint")),
    line: css(colour("line")),
    panel: css(panel),
    accent: css(colour("forward")),
    labels: [css(zero), css(one)] as [string, string],
    field: fieldOf(zero, panel, one),
  };
  probe.remove();
  return made;
}

function css([r, g, b]: Rgb): string {
  return `rgb(${r} ${g} ${b})`;
}

/** Returns the colours from label 0 over the paper to label 1. */
export function fieldOf(zero: Rgb, paper: Rgb, one: Rgb): Uint32Array {
  const bytes = new Uint8ClampedArray(256 * 4);
  for (let i = 0; i < 256; i++) {
    const sure = (2 * i) / 255 - 1;
    const end = sure < 0 ? zero : one;
    const part = Math.abs(sure) * STRENGTH;
    for (let k = 0; k < 3; k++) bytes[4 * i + k] = paper[k]! + (end[k]! - paper[k]!) * part;
    bytes[4 * i + 3] = 255;
  }
  return new Uint32Array(bytes.buffer);
}
