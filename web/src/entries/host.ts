/** Adapts the walk to the page around it, usually a notebook: theme, keys, scrolling. */

import { tellTitles } from "../ui/titles";

/** Adapts `root` to the page around it until the returned function is called. `alone` means that there is
 * nothing else on the page. */
export function liveIn(root: HTMLElement, alone: boolean): () => void {
  const ends = [followTheme(root), keepFocus(root), tellTitles(root)];
  if (!alone) ends.push(forwardKeys(root), forwardWheel(root));
  return () => ends.forEach((end) => end());
}

// --- theme --------------------------------------------------------------------------------------

/** Follows the theme of the notebook, which may differ from the theme of the system. */
function followTheme(root: HTMLElement): () => void {
  const { documentElement, body } = root.ownerDocument;
  const follow = () => {
    if (!root.isConnected) return; // JupyterLab removes cells that are out of sight from the page
    const theme = named(body) ?? seen(around(root));
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const observer = new MutationObserver(follow);
  for (const element of [documentElement, body]) observer.observe(element, { attributes: true });
  const shown = new ResizeObserver(follow); // called when root is added to the page, also again
  shown.observe(root);
  // a colour is final only after its transition
  body.addEventListener("transitionend", follow);
  follow();
  return () => {
    observer.disconnect();
    shown.disconnect();
    body.removeEventListener("transitionend", follow);
  };
}

type Theme = "light" | "dark";

/** Returns the theme that VS Code names. Its background cannot be used: it is white even in dark themes. */
function named(body: HTMLElement): Theme | null {
  const kind = body.dataset.vscodeThemeKind;
  return kind ? (kind.endsWith("light") ? "light" : "dark") : null;
}

/** Returns the theme by the first background that is not transparent, or by the colour scheme; null without
 * either. */
function seen(element: Element | null): Theme | null {
  for (let at = element; at; at = around(at)) {
    const [r, g, b, alpha] = channels(getComputedStyle(at).backgroundColor);
    if (alpha > 127) return 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
  }
  const scheme = element && getComputedStyle(element).colorScheme;
  return scheme === "dark" || scheme === "light" ? scheme : null;
}

/** Returns the parent, or the host of a shadow tree: marimo creates one for every widget. */
function around(element: Element): Element | null {
  const { parentNode } = element;
  return parentNode instanceof ShadowRoot ? parentNode.host : element.parentElement;
}

/** Returns red, green, blue and opacity, 0 to 255. A canvas parses every notation of colours. */
function channels(color: string): [number, number, number, number] {
  if (TRANSPARENT.has(color)) return [0, 0, 0, 0];
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const context = canvas.getContext("2d", { colorSpace: "srgb" })!;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
  return [r, g, b, alpha];
}

const TRANSPARENT = new Set(["rgba(0, 0, 0, 0)", "transparent"]);

// --- keys and wheel -----------------------------------------------------------------------------

/**
 * Keys stay inside the walk, because notebooks treat letters as commands: "d d" deletes a cell. Ctrl or
 * Cmd with a letter goes to the notebook, except for letters that edit text.
 */
function forwardKeys(root: HTMLElement): () => void {
  const onKey = (event: KeyboardEvent) => {
    const command = (event.ctrlKey || event.metaKey) && event.key.length === 1;
    if (command && !OF_TEXT.includes(event.key.toLowerCase())) {
      forward(root, event, new KeyboardEvent(event.type, event));
    }
  };
  root.addEventListener("focusin", guard);
  root.addEventListener("keydown", onKey, true);
  return () => {
    root.removeEventListener("focusin", guard);
    root.removeEventListener("keydown", onKey, true);
  };
}

/** Notebook 7 handles keys before the walk does, unless their target has this attribute. */
function guard({ target }: FocusEvent): void {
  (target as HTMLElement | SVGElement).dataset.lmSuppressShortcuts = "true";
}

const OF_TEXT = "acvxyz";

/** The wheel scrolls the notebook, also over a picture. With Ctrl it zooms the picture. */
function forwardWheel(root: HTMLElement): () => void {
  const onWheel = (event: WheelEvent) => {
    const zooms = event.target instanceof Element && event.target.closest(".walk-stage svg");
    if (zooms && !event.ctrlKey) forward(root, event, new WheelEvent(event.type, event));
  };
  root.addEventListener("wheel", onWheel, { capture: true, passive: false });
  return () => root.removeEventListener("wheel", onWheel, { capture: true });
}

/** Sends an event to the page around instead of the walk. */
function forward(root: HTMLElement, event: Event, copy: Event): void {
  event.stopImmediatePropagation();
  if (root.parentNode?.dispatchEvent(copy) === false) event.preventDefault();
}

// --- focus --------------------------------------------------------------------------------------

/** Moves the focus to the walk when a focused button is disabled or removed. Otherwise keys would be lost. */
function keepFocus(root: HTMLElement): () => void {
  let last: Element | null = null;
  const onFocus = (event: FocusEvent) => {
    last = event.target as Element;
  };
  const onBlur = () => {
    const left = last; // by the user, unless the element is gone
    queueMicrotask(() => {
      if (left && last === left && canHave(left)) last = null;
    });
  };
  const observer = new MutationObserver(() => {
    if (!last || canHave(last)) return;
    const { activeElement: now } = root.getRootNode() as Document | ShadowRoot;
    const lost = !now || now === last || now === root.ownerDocument.body; // browsers differ in when this happens
    last = null;
    if (lost) root.querySelector<HTMLElement>(".walk")?.focus({ preventScroll: true });
  });
  root.addEventListener("focusin", onFocus);
  root.addEventListener("focusout", onBlur);
  observer.observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled"] });
  return () => {
    observer.disconnect();
    root.removeEventListener("focusin", onFocus);
    root.removeEventListener("focusout", onBlur);
  };
}

function canHave(element: Element): boolean {
  return element.isConnected && !element.matches(":disabled");
}
