/** Titles for touch screens: a long press shows the `title` of an element. */

const LONG = 500;
const STAYS = 4000;

/** Shows the title of an element that is pressed for long, until the returned function is called. */
export function tellTitles(root: HTMLElement): () => void {
  const { ownerDocument } = root;
  const note = ownerDocument.createElement("div");
  note.className = "title-note";
  note.setAttribute("role", "status");
  note.hidden = true;
  root.append(note);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let shown = false;

  const start = (event: PointerEvent) => {
    clearTimeout(timer);
    note.hidden = true;
    shown = false;
    if (event.pointerType === "mouse") return;
    const target = event.composedPath().find((one) => one instanceof Element && titleOf(one) !== "") as Element | undefined;
    if (target) timer = setTimeout(() => show(target, event), LONG);
  };
  const show = (target: Element, { clientX, clientY }: PointerEvent) => {
    shown = true;
    note.textContent = titleOf(target);
    note.hidden = false;
    const { innerWidth = 0 } = ownerDocument.defaultView ?? {};
    note.style.left = `${Math.max(8, Math.min(clientX - 110, innerWidth - 248))}px`;
    note.style.top = `${Math.max(8, clientY - 72)}px`;
    timer = setTimeout(() => (note.hidden = true), STAYS);
  };
  const end = () => {
    if (!shown) clearTimeout(timer);
  };
  /** A press that showed the title must not trigger the button as well. */
  const click = (event: MouseEvent) => {
    if (!shown) return;
    shown = false;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const listened = [
    ["pointerdown", start], ["pointerup", end], ["pointercancel", end], ["click", click],
  ] as const;
  for (const [name, act] of listened) root.addEventListener(name, act as EventListener, true);
  return () => {
    clearTimeout(timer);
    note.remove();
    for (const [name, act] of listened) root.removeEventListener(name, act as EventListener, true);
  };
}

/** The title of an element; in a picture it is a child. */
function titleOf(element: Element): string {
  const inside = element instanceof SVGElement ? element.querySelector(":scope > title")?.textContent : "";
  return element.getAttribute("title") || inside || "";
}
