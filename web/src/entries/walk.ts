/** The walk alone, as one module: the notebook widget and the offline file. */

import { effect, signal, type Signal } from "@preact/signals";
import { h, render as draw } from "preact";
import type { WalkDocument } from "../document";
import { messageOf } from "../ui/messages";
import { fromFragment, Walk, WalkStore, type WalkOptions, type WalkState } from "../walk";
import { opened } from "../walk/source/opened";
import { remember, remembered } from "../walk/source/remembered";
import { liveIn } from "./host";
import type { WidgetModel } from "./model";
import { Program } from "./program";
import "../styles/tokens.css";
import "../styles/ui.css";
import "../styles/picture.css";
import "../styles/walk.css";
import "../styles/debug.css";
import "../styles/forced.css";
import "./notebook.css";

export type { WidgetModel } from "./model";

/** Shows the walk of a graph in an element. The returned function removes it. */
export function mount(element: HTMLElement, graph: WalkDocument, options: WalkOptions = {}): () => void {
  const walk = new WalkStore(graph, options.state, options.stopAt ?? null);
  return show(element, graph, walk, options);
}

function show(element: HTMLElement, graph: WalkDocument, walk: WalkStore, options: WalkOptions): () => void {
  const root = element.ownerDocument.createElement("div");
  root.className = "gradwalk";
  element.append(root);
  const leave = liveIn(root, options.keys === "page");
  draw(h(Walk, { document: graph, walk, options }), root);
  return () => {
    leave();
    draw(null, root);
    root.remove();
  };
}

function render({ model, el }: { model: WidgetModel; el: HTMLElement }): () => void {
  let unmount = mountModel(el, model, model.get("state"));
  const again = () => {
    unmount();
    unmount = mountModel(el, model, null); // the state belongs to another graph
  };
  model.on("change:document", again);
  return () => {
    model.off?.("change:document", again);
    unmount();
  };
}

function mountModel(el: HTMLElement, model: WidgetModel, kept: WalkState | null | undefined): () => void {
  const graph = model.get("document");
  const options: WalkOptions = { presets: false, share: "files", ...model.get("options") };
  const { state = {}, stopAt = null } = options;
  const walk = new WalkStore(graph, kept && Object.keys(kept).length ? kept : state, stopAt);
  const program = model.get("live") ? new Program(model) : null;
  walk.ask = program && ((what, node) => program.ask(what, node));
  const unmount = show(el, graph, walk, options);
  const forget = keep(walk, model);
  return () => {
    program?.end();
    forget();
    unmount();
  };
}

const OFTEN = 300;

/** Stores the state in the kernel, so that it survives a reload of the notebook. */
function keep(walk: WalkStore, model: WidgetModel): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let first = true;
  const write = () => {
    timer = undefined;
    model.set("state", walk.state());
    model.save_changes();
  };
  const stop = effect(() => {
    walk.state(); // subscribes to every signal of the state
    if (!first) timer ??= setTimeout(write, OFTEN);
    first = false;
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}

/** anywidget's entry. */
export default { render };

// --- the offline file ---------------------------------------------------------------------------

function read<T>(id: string): T | null {
  const text = document.getElementById(id)?.textContent;
  return text ? (JSON.parse(text) as T) : null;
}

/** Lets the browser show what is being read before a large graph occupies the page. */
function readPage(): void {
  const begin = () => {
    const graph = read<WalkDocument>("gradwalk-document");
    document.getElementById("gradwalk-reading")?.remove();
    if (graph) mountPage(graph);
  };
  if (document.getElementById("gradwalk-reading")) requestAnimationFrame(() => setTimeout(begin));
  else begin();
}

function mountPage(graph: WalkDocument): void {
  document.documentElement.classList.add("gradwalk-page");
  const kept = remembered();
  const walk = new WalkStore(graph, kept?.own ? kept.state : (read<WalkState>("gradwalk-state") ?? {}));
  remember(walk, () => walk.document.value === graph);
  const place: Signal<WalkStore | null> = signal(walk);
  const main = document.createElement("main");
  const trouble = document.createElement("p");
  trouble.className = "gradwalk gradwalk-trouble";
  trouble.setAttribute("role", "alert");
  document.body.append(trouble, main);
  const follow = () => {
    trouble.textContent = "";
    fromFragment(location.hash)
      .then((shared) => shared && opened(place, shared))
      .catch((error: unknown) => {
        trouble.textContent = messageOf(error);
      });
  };
  addEventListener("hashchange", follow);
  follow();
  show(main, graph, walk, { keys: "page" });
}

if (typeof document !== "undefined") readPage();
