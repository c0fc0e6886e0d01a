/** The picture as a file: SVG text that stands alone, or PNG. */

import { type VNode, h } from "preact";
import { arrange } from "./layout/arrange";
import type { Folding } from "./fold/fold";
import { escaped, markup } from "./shared/markup";
import { Scene, type SceneProps } from "./drawing/Scene";
import type { Showing } from "./look/look";
import css from "./drawing/scene.css?raw";
import tokens from "../styles/tokens.css?raw";
import { MOST_BOXES } from "./interaction/visible";

export type Theme = "light" | "dark";

const MARGIN = 24;
/** Browsers refuse larger bitmaps. */
const MOST_PIXELS = 16000;

const scenes = new WeakMap<SVGSVGElement, SceneProps>();

/** Store what a picture shows, so that all of it can be exported and not only the part in the frame. */
export function remember(svg: SVGSVGElement, scene: SceneProps): void {
  scenes.set(svg, scene);
}

/** SVG text of what a picture shows: all of it at its folding, styles inlined, no scripts. */
export function exportSvg(svg: SVGSVGElement, theme: Theme = themeOf(svg)): string {
  const scene = scenes.get(svg);
  if (!scene) throw new TypeError("exportSvg expects the <svg> of a <Picture>");
  return svgText(scene, theme, svg.getAttribute("aria-label") ?? "");
}

/** SVG text of a graph that is not on the page. */
export function drawSvg(showing: Showing, folding: Folding, theme: Theme = "light", label = "Graph"): string {
  const arrangement = arrange(showing.graph, folding);
  const marked = { selected: null, cursor: -1, hovered: "" };
  return svgText(
    { showing, arrangement, marked, boxes: [], links: [], far: false, editable: false },
    theme,
    label,
  );
}

/** PNG of what a picture shows, `scale` pixels per unit. */
export async function exportPng(svg: SVGSVGElement, scale = 2, theme: Theme = themeOf(svg)): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([exportSvg(svg, theme)], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    return await bitmap(image, scale);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function bitmap(image: HTMLImageElement, scale: number): Promise<Blob> {
  const fitting = Math.min(scale, MOST_PIXELS / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(image.width * fitting);
  canvas.height = Math.ceil(image.height * fitting);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the browser could not write the bitmap"))),
      "image/png",
    );
  });
}

function themeOf(svg: Element): Theme {
  return getComputedStyle(svg).colorScheme.trim() === "dark" || darkAnyway(svg) ? "dark" : "light";
}

/** Whether the colour scheme is "light dark", which leaves the choice to the system, and that is dark. */
function darkAnyway(svg: Element): boolean {
  const both = getComputedStyle(svg).colorScheme.includes("dark");
  return both && typeof matchMedia === "function" && matchMedia("(prefers-color-scheme: dark)").matches;
}

function svgText(scene: SceneProps, theme: Theme, label: string): string {
  const { plan, boxes, links } = scene.arrangement;
  const [width, height] = [Math.ceil(plan.width) + 2 * MARGIN, Math.ceil(plan.height) + 2 * MARGIN];
  const far = boxes.length > 20 * MOST_BOXES;
  const marked = { ...scene.marked, cursor: -1, found: undefined, hovered: "" };
  const all = {
    ...scene,
    marked,
    far,
    through: [],
    boxes: far ? [] : boxes.map((_, k) => k),
    links: far ? [] : links.map((_, k) => k),
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="picture" width="${width}" height="${height}"`,
    ` viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(label)}</title>`,
    `<style>${styles(theme)}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    `<g transform="translate(${MARGIN} ${MARGIN})">${markup(h(Scene, all) as VNode)}</g>`,
    "</svg>\n",
  ].join("\n");
}

/** The style sheet with plain colours and flat rules: converters to PNG and PDF support neither variables
 * nor nesting. */
export function styles(theme: Theme): string {
  const found = new Map(
    [...`${tokens}\n${css}`.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map((match) => [match[1]!, match[2]!]),
  );
  const chosen = (value: string): string =>
    value
      .replace(
        /light-dark\(\s*((?:[^(),]|\([^()]*\))+),\s*((?:[^(),]|\([^()]*\))+)\)/g,
        theme === "light" ? "$1" : "$2",
      )
      .replace(/var\((--[\w-]+)\)/g, (whole, name: string) =>
        found.has(name) ? chosen(found.get(name)!) : whole,
      );
  const rules = css.replace(/\/\*[\s\S]*?\*\//g, "").matchAll(/^ {2}([^\s{-][^{]*)(\{[^}]*\})$/gm);
  return chosen(Array.from(rules, ([, selectors, body]) => inPicture(selectors!) + body).join("\n"));
}

/** "text, .box" → ".picture text, .picture .box" */
function inPicture(selectors: string): string {
  return selectors.replace(/^|(?<=, )/g, ".picture ");
}
