/** One HTML file that contains the walk, its style and the graph. It needs no server. */

import type { WalkDocument } from "../../document";
import type { WalkState } from "../state/options";

/** The text of the walk's script and style. */
export interface Bundle {
  script: string;
  style: string;
}

/** Returns the bundle: from the studio, or from this page if it is an offline file. */
export async function bundle(): Promise<Bundle> {
  const inside = ofThisPage();
  if (inside) return inside;
  const [script, style] = await Promise.all([fetched("walk.js"), fetched("walk.css")]);
  return { script, style };
}

/** Returns whether this page can make an offline file. Notebooks cannot reach the built files. */
export function canBundle(): boolean {
  return ofThisPage() !== null || document.getElementById("studio") !== null;
}

function ofThisPage(): Bundle | null {
  if (!document.getElementById("gradwalk-document")) return null;
  const script = document.querySelector('script[type="module"]:not([src])')?.textContent;
  const style = document.head.querySelector("style")?.textContent;
  return script && style ? { script, style } : null;
}

async function fetched(name: string): Promise<string> {
  const answer = await fetch(new URL(name, document.baseURI.split(/[?#]/)[0]));
  if (!answer.ok) throw new Error(`the studio has no ${name} (${answer.status})`);
  return answer.text();
}

/** What the page shows while it reads a large graph. */
function reading(nodes: number): string {
  if (nodes < 5000) return "";
  return `\n<p id="gradwalk-reading" class="gradwalk">Reading ${nodes.toLocaleString("en-US")} nodes …</p>`;
}

/** Returns the text of the offline file, the same page that `studio/offline.py` writes. */
export async function offlineFile(bundle: Bundle, graph: WalkDocument, state: WalkState): Promise<string> {
  const [script, style] = [inline(bundle.script, "script"), inline(bundle.style, "style")];
  const title = graph.title || (graph.source ?? "graph").split(/\s+/).join(" ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${await policy(script, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · gradwalk</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<noscript>This page needs JavaScript.</noscript>${reading(graph.nodes.length)}
<script type="application/json" id="gradwalk-document">${json(graph)}</script>
<script type="application/json" id="gradwalk-state">${json(state)}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

/** Forbids the page to run or load anything else. */
async function policy(script: string, style: string): Promise<string> {
  const [scripts, styles] = await Promise.all([allowed(script), allowed(style)]);
  const rest = "img-src data: blob:; base-uri 'none'; form-action 'none'";
  return `default-src 'none'; script-src ${scripts}; style-src ${styles}; ${rest}`;
}

/** Returns the hash of a text. Browsers compute hashes only on secure pages. */
async function allowed(text: string): Promise<string> {
  if (!globalThis.crypto?.subtle) return "'unsafe-inline'";
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`;
}

/** Escapes a script or a style so that it cannot end its element. */
function inline(text: string, element: string): string {
  const unix = text.replaceAll("\r\n", "\n");
  return unix.replaceAll(`</${element}`, `<\\/${element}`).replaceAll("<!--", "<\\!--");
}

/** Returns JSON that can neither end its element nor open a comment. */
function json(data: unknown): string {
  const escape = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, escape);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
