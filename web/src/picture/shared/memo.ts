/** Components that are drawn again only when a prop changed. */

import { Component } from "preact";
import type { FunctionComponent, VNode } from "preact";

/** Wrap a component without hooks: it is drawn again only when a prop differs. Props that are plain
 * objects are compared by their fields. The export reads the component itself as `.plain`. */
export function memo<P extends object>(
  component: (props: P) => VNode | null,
): FunctionComponent<P> & { plain: typeof component } {
  class Memo extends Component<P> {
    static plain = component;
    override shouldComponentUpdate(next: P): boolean {
      return !alike(this.props as P, next);
    }
    override render(props: P) {
      return component(props); // without hooks, it needs no component of its own
    }
  }
  return Memo as unknown as FunctionComponent<P> & { plain: typeof component };
}

function alike(a: object, b: object): boolean {
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key in right) {
    if (left[key] !== right[key] && !alikeFields(left[key], right[key])) return false;
  }
  for (const key in left) if (!(key in right)) return false;
  return true;
}

function alikeFields(a: unknown, b: unknown): boolean {
  if (!plain(a) || !plain(b)) return false;
  for (const key in b) if (a[key] !== b[key]) return false;
  return true;
}

function plain(x: unknown): x is Record<string, unknown> {
  return typeof x === "object" && x !== null && Object.getPrototypeOf(x) === Object.prototype;
}
