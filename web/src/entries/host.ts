/** The page around the walk, a notebook mostly: its theme, its keys, its scrolling. */

/** Lives with the page around until the result is called. `alone`: the walk is all of the page. */
export function liveIn(root: HTMLElement, alone: boolean): () => void {
  const ends = [followTheme(root), keepFocus(root)];
  if (!alone) ends.push(handOnKeys(root), handOnWheel(root));
  return () => ends.forEach((end) => end());
}

// --- theme --------------------------------------------------------------------------------------

/** A notebook may be dark while the system is light. */
function followTheme(root: HTMLElement): () => void {
  const { documentElement, body } = root.ownerDocument;
  const follow = () => {
    if (!root.isConnected) return; // JupyterLab takes cells that are out of sight out of the page
    const theme = named(body) ?? seen(around(root));
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const observer = new MutationObserver(follow);
  for (const element of [documentElement, body]) observer.observe(element, { attributes: true });
  const shown = new ResizeObserver(follow); // it is in the page, or in it again
  shown.observe(root);
  // colours that change slowly have only arrived when their transition is over
  body.addEventListener("transitionend", follow);
  follow();
  return () => {
    observer.disconnect();
    shown.disconnect();
    body.removeEventListener("transitionend", follow);
  };
}

type Theme = "light" | "dark";

/** VS Code says it; behind widgets it paints white, even where it is dark. */
function named(body: HTMLElement): Theme | null {
  const kind = body.dataset.vscodeThemeKind;
  return kind ? (kind.endsWith("light") ? "light" : "dark") : null;
}

/** By the first background that is not transparent, or else by the scheme; null where there is neither. */
function seen(element: Element | null): Theme | null {
  for (let at = element; at; at = around(at)) {
    const [r, g, b, alpha] = channels(getComputedStyle(at).backgroundColor);
    if (alpha > 127) return 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
  }
  const scheme = element && getComputedStyle(element).colorScheme;
  return scheme === "dark" || scheme === "light" ? scheme : null;
}

/** The element around; around a shadow tree, its host: marimo gives every widget one. */
function around(element: Element): Element | null {
  const { parentNode } = element;
  return parentNode instanceof ShadowRoot ? parentNode.host : element.parentElement;
}

/** Red, green, blue and opacity, 0 to 255. A canvas reads every way in which a colour can be written. */
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
 * The walk keeps every key for itself, for a notebook takes letters as commands: "d d" deletes a cell.
 * Ctrl or Cmd with a letter is meant for the notebook, save with those that edit text.
 */
function handOnKeys(root: HTMLElement): () => void {
  const onKey = (event: KeyboardEvent) => {
    const command = (event.ctrlKey || event.metaKey) && event.key.length === 1;
    if (command && !OF_TEXT.includes(event.key.toLowerCase())) {
      handOn(root, event, new KeyboardEvent(event.type, event));
    }
  };
  root.addEventListener("focusin", guard);
  root.addEventListener("keydown", onKey, true);
  return () => {
    root.removeEventListener("focusin", guard);
    root.removeEventListener("keydown", onKey, true);
  };
}

/** Notebook 7 sees keys before the walk does. It leaves those alone whose very target says so. */
function guard({ target }: FocusEvent): void {
  (target as HTMLElement | SVGElement).dataset.lmSuppressShortcuts = "true";
}

const OF_TEXT = "acvxyz";

/** Who scrolls through a notebook must not get stuck on a picture that zooms. With Ctrl it does. */
function handOnWheel(root: HTMLElement): () => void {
  const onWheel = (event: WheelEvent) => {
    const zooms = event.target instanceof Element && event.target.closest(".walk-stage svg");
    if (zooms && !event.ctrlKey) handOn(root, event, new WheelEvent(event.type, event));
  };
  root.addEventListener("wheel", onWheel, { capture: true, passive: false });
  return () => root.removeEventListener("wheel", onWheel, { capture: true });
}

/** The page around is told, the walk is not. */
function handOn(root: HTMLElement, event: Event, copy: Event): void {
  event.stopImmediatePropagation();
  if (root.parentNode?.dispatchEvent(copy) === false) event.preventDefault();
}

// --- focus --------------------------------------------------------------------------------------

/** A button that has the focus and is disabled by its own press loses it, and with it all keys are lost. */
function keepFocus(root: HTMLElement): () => void {
  let last: Element | null = null;
  const onFocus = (event: FocusEvent) => {
    last = event.target as Element;
  };
  const onBlur = () => {
    const left = last; // by a person, unless it turns out to be gone
    queueMicrotask(() => {
      if (left && last === left && canHave(left)) last = null;
    });
  };
  const observer = new MutationObserver(() => {
    if (!last || canHave(last)) return;
    const { activeElement: now } = root.getRootNode() as Document | ShadowRoot;
    const lost = !now || now === last || now === root.ownerDocument.body; // browsers differ in when
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
