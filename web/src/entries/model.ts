/** What a notebook passes to the page. */

import type { WalkDocument } from "../document";
import type { WalkOptions, WalkState } from "../walk";

/** The traits of the Python object, from anywidget. */
export interface WidgetModel {
  get(name: "document"): WalkDocument;
  get(name: "options"): WalkOptions | null | undefined;
  get(name: "state"): WalkState | null | undefined;
  /** Whether the running program answers questions about nodes. */
  get(name: "live"): boolean | undefined;
  set(name: "state", state: WalkState): void;
  save_changes(): void;
  on(event: string, callback: (content: unknown) => void): void;
  off?(event: string, callback: (content: unknown) => void): void;
  send?(content: unknown): void;
}
