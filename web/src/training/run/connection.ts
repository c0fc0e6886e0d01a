/** The WebSocket of the training page. It reconnects to the same session. */

import { signal } from "@preact/signals";
import { statusOf } from "../../ui/studio";
import type { Reply, Request } from "./protocol";

/** The state of the connection; `lost` does not reconnect by itself. */
export type Link =
  | { state: "connecting" | "connected" }
  | { state: "reconnecting"; attempt: number }
  | { state: "lost"; words: string };

/** What the connection needs from the browser. Tests pass their own. */
export interface Surroundings {
  open: (url: string) => WebSocket;
  /** Returns the HTTP status of the page; null without an answer. */
  status: () => Promise<number | null>;
  /** The address of the page. */
  base: string;
  storage: Pick<Storage, "getItem" | "setItem"> | null;
}

const KEY = "gradwalk-training-session";
const TAKEN_OVER = 4001;
const FULL = 1013;
/** Attempts before it gives up: about 40 seconds. */
const MOST_ATTEMPTS = 12;
/** Milliseconds without an answer after which the connection counts as dropped. */
const PATIENCE = 20_000;

const WORDS = {
  takenOver: "This run was opened in another tab and continues there.",
  full: "The studio has no free training session. Close other tabs that show the training page, then reconnect.",
  silent:
    "The studio does not answer. Check in its terminal that it is running. If it was restarted, open the " +
    "address that it printed.",
  restarted:
    "The studio was restarted, and this run is lost. Open the new address, which is printed in its terminal.",
};

/** Returns the milliseconds before attempt n: short at first, then five seconds. */
export function delay(attempt: number): number {
  return Math.min(5_000, 200 * 2 ** (attempt - 1));
}

/** A session belongs to a tab. Its name survives a reload, the name of the tab does not. */
export class Connection {
  readonly link = signal<Link>({ state: "connecting" });
  private socket: WebSocket | null = null;
  private attempt = 0;
  /** Whether the server has answered on this connection. */
  private heard = false;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private session = "";
  private readonly tab = randomName();

  constructor(
    private readonly receive: (reply: Reply) => void,
    private readonly around: Surroundings = inBrowser(),
  ) {
    this.session = stored(around.storage);
  }

  /** Connects, or reconnects at once. */
  open(): void {
    this.close();
    this.link.value = this.attempt
      ? { state: "reconnecting", attempt: this.attempt }
      : { state: "connecting" };
    const socket = this.around.open(this.address());
    this.socket = socket;
    this.heard = false;
    socket.onmessage = (event) => this.take(socket, String(event.data));
    socket.onclose = (event) => this.dropped(socket, event.code);
    this.watch();
  }

  /** Closes the connection. The server keeps the run for a while. */
  close(): void {
    clearTimeout(this.retry);
    clearTimeout(this.watchdog);
    this.watchdog = undefined;
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  /** Connects again after the connection was lost. */
  again(): void {
    this.attempt = 0;
    this.open();
  }

  /** Sends a request. Returns false without a connection: requests are not kept for later. */
  send(request: Request): boolean {
    if (this.socket?.readyState !== 1 || this.link.value.state !== "connected") return false;
    this.socket.send(JSON.stringify(request));
    if (request.type !== "shown") this.watch();
    return true;
  }

  private watch(): void {
    const socket = this.socket!;
    this.watchdog ??= setTimeout(() => this.dropped(socket, 1006), PATIENCE);
  }

  private take(socket: WebSocket, text: string): void {
    if (socket !== this.socket) return;
    clearTimeout(this.watchdog);
    this.watchdog = undefined;
    this.heard = true;
    const reply = JSON.parse(text) as Reply;
    if (reply.type === "hello") this.met(reply.session);
    this.receive(reply);
  }

  private met(session: string): void {
    this.session = session;
    this.attempt = 0;
    this.link.value = { state: "connected" };
    try {
      this.around.storage?.setItem(KEY, session);
    } catch {
      // a reload starts a new run; everything else works
    }
  }

  private dropped(socket: WebSocket, code: number): void {
    if (socket !== this.socket) return;
    this.close();
    if (code === TAKEN_OVER) return this.lost(WORDS.takenOver);
    if (code === FULL) return this.lost(WORDS.full);
    this.attempt += 1;
    if (this.attempt > MOST_ATTEMPTS) return this.lost(WORDS.silent);
    this.link.value = { state: "reconnecting", attempt: this.attempt };
    this.retry = setTimeout(() => this.open(), delay(this.attempt));
    if (!this.heard) void this.findReason();
  }

  /** Finds out why a socket was refused. After a restart the studio has another token, and no attempt can
   * succeed. */
  private async findReason(): Promise<void> {
    const status = await this.around.status();
    if (status !== 403 || this.link.value.state !== "reconnecting") return;
    this.close();
    this.lost(WORDS.restarted);
  }

  private lost(words: string): void {
    this.link.value = { state: "lost", words };
  }

  private address(): string {
    const url = new URL("ws/train", this.around.base);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    url.search = new URLSearchParams({ session: this.session, tab: this.tab }).toString();
    return url.href;
  }
}

function inBrowser(): Surroundings {
  return { open: (url) => new WebSocket(url), status: statusOf, base: location.href, storage: storageOf() };
}

/** Returns the storage; null where the browser blocks it, in private windows and in some frames. */
function storageOf(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

function stored(storage: Surroundings["storage"]): string {
  try {
    return storage?.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

/** Returns a random name. randomUUID exists only on secure pages, and the studio may be opened by its IP address. */
function randomName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (x) => x.toString(36)).join("");
}
