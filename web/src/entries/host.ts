/** The theme of the page around the walk: a notebook may be dark while the system is light. */

/** Follows the host's theme until the result is called. */
export function followHost(root: HTMLElement): () => void {
  const { documentElement, body } = root.ownerDocument;
  const follow = () => {
    const theme = themeOf(root.parentElement);
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const observer = new MutationObserver(follow);
  for (const element of [documentElement, body]) observer.observe(element, { attributes: true });
  follow();
  return () => observer.disconnect();
}

/** Light or dark by the first background that is not transparent; null where there is none. */
function themeOf(element: HTMLElement | null): "light" | "dark" | null {
  for (let at = element; at; at = at.parentElement) {
    const [r, g, b, alpha] = channels(getComputedStyle(at).backgroundColor);
    if (alpha > 0.5) return 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
  }
  return null;
}

function channels(color: string): [number, number, number, number] {
  const inside = color.match(/^rgba?\((.*)\)$/)?.[1] ?? "0 0 0 0";
  const [r = 0, g = 0, b = 0, alpha = 1] = inside.match(/[\d.]+/g)?.map(Number) ?? [];
  return [r, g, b, alpha];
}
