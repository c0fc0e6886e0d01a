/** A walk as text in a link: compressed JSON with a checksum, in letters that are allowed in links.
 *
 * `1<checksum><body>`: the version, eight hexadecimal digits (FNV-1a of the JSON), and base64url of
 * the deflated JSON. The checksum detects links that were cut off or changed. */

import type { JsonNumber, WalkDocument } from "../../document";
import type { WalkState } from "./options";

/** The content of a link: a graph, or the formula that makes it. */
export interface Shared {
  document?: WalkDocument;
  source?: string;
  values?: Record<string, JsonNumber>;
  state?: WalkState;
}

/** A link that cannot be opened. The message is for the user. */
export class LinkError extends Error {}

const VERSION = "1";
const PREFIX = "#walk=";
const MOST_BYTES = 8_000_000; // a link of a few bytes could unpack to gigabytes
const DAMAGED =
  "This link is damaged: part of it is missing or was changed. Copy the whole link, or ask for a new one.";

/** Returns the fragment of a link, "#walk=…", that reproduces `shared`. */
export async function toFragment(shared: Shared): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(shared));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  return PREFIX + VERSION + checksum(bytes) + toBase64(packed);
}

/** Returns the content of a link's fragment; null if it contains no walk. Throws `LinkError` if it is damaged. */
export async function fromFragment(fragment: string): Promise<Shared | null> {
  if (!fragment.startsWith(PREFIX)) return null;
  const text = fragment.slice(PREFIX.length);
  if (text[0] !== VERSION) {
    throw new LinkError("This link was made by another version of gradwalk. This page cannot read it.");
  }
  const bytes = await unpacked(text.slice(9));
  if (checksum(bytes) !== text.slice(1, 9)) throw new LinkError(DAMAGED);
  return parsed(new TextDecoder().decode(bytes));
}

function parsed(text: string): Shared {
  try {
    return JSON.parse(text) as Shared;
  } catch (cause) {
    throw new LinkError(DAMAGED, { cause });
  }
}

async function unpacked(body: string): Promise<Uint8Array> {
  try {
    return await through(fromBase64(body), new DecompressionStream("deflate-raw"));
  } catch (cause) {
    if (cause instanceof LinkError) throw cause;
    throw new LinkError(DAMAGED, { cause });
  }
}

async function through(bytes: Uint8Array, stream: TransformStream): Promise<Uint8Array> {
  const source = new Blob([bytes as BlobPart]).stream().pipeThrough(stream);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const reader = source.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST_BYTES)
      throw new LinkError("This link unpacks to more than 8 MB, more than a walk needs.");
    parts.push(value);
  }
  return joined(parts, size);
}

function joined(parts: Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(text: string): Uint8Array {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function checksum(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
