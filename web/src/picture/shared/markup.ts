/** The markup of components without state. */

import { type ComponentChildren, Fragment, type VNode } from "preact";

/** Attributes that only the page needs. */
const LEFT_OUT = new Set(["tabindex", "role", "key", "ref", "children"]);

/** Text as XML; characters that XML cannot contain become the replacement character. */
export function escaped(text: string): string {
  const allowed = text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
  return allowed.replace(
    /[&<>"]/g,
    (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]!,
  );
}

/** Shapes that receive clicks and touches, and animated shapes. */
const FOR_POINTERS = new Set(["target", "hit", "grip", "traveller"]);

type Drawn = ((props: object) => ComponentChildren) & { plain?: (props: object) => ComponentChildren };

/** The markup of a tree of elements and of components that use no hooks. */
export function markup(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (Array.isArray(node)) return node.map(markup).join("");
  if (typeof node !== "object") return escaped(String(node));
  const { type, props } = node as VNode<{ children?: ComponentChildren }>;
  if (typeof type === "string") return element(type, props);
  const drawn = type as Drawn;
  if (drawn.plain) return markup(drawn.plain(props));
  return type === Fragment ? markup(props.children) : markup(drawn(props));
}

function element(type: string, props: Record<string, unknown> & { children?: ComponentChildren }): string {
  const attributes = Object.entries(props)
    .filter(
      ([name, value]) =>
        !LEFT_OUT.has(name) &&
        !/^(aria-|data-|on)/.test(name) &&
        value !== undefined &&
        value !== null &&
        value !== false,
    )
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`);
  if (FOR_POINTERS.has(String(props.class))) return "";
  const inside = markup(props.children);
  return inside ? `<${type}${attributes.join("")}>${inside}</${type}>` : `<${type}${attributes.join("")}/>`;
}
