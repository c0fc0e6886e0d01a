/** Text in a link: compressed, with a checksum, in letters that are allowed in links.
 *
 * `1<checksum><body>`: the version, eight hexadecimal digits (FNV-1a of the text), and base64url of
 * the deflated text. The checksum detects links that were cut off or changed. */

/** A link that cannot be opened. The message is for the user. */
export class LinkError extends Error {}

const VERSION = "1";
const DAMAGED =
  "This link is damaged: part of it is missing or was changed. Copy the whole link, or ask for a new one.";

/** What a link may contain. */
export interface Limit {
  /** The most bytes: a link of a few bytes could unpack to gigabytes. */
  bytes: number;
  /** The message for a link that unpacks to more. */
  words: string;
}

/** Returns a text in the letters of a link. */
export async function packed(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return VERSION + checksum(bytes) + toBase64(await through(bytes, new CompressionStream("deflate-raw")));
}

/** Returns the text of a link. Throws `LinkError` if it is damaged or too long. */
export async function unpacked(text: string, limit: Limit): Promise<string> {
  if (text[0] !== VERSION) {
    throw new LinkError("This link was made by another version of gradwalk. This page cannot read it.");
  }
  const bytes = await inflated(text.slice(9), limit);
  if (checksum(bytes) !== text.slice(1, 9)) throw damaged();
  return new TextDecoder().decode(bytes);
}

/** Returns the error of a link that is not complete, or was changed. */
export function damaged(cause?: unknown): LinkError {
  return new LinkError(DAMAGED, { cause });
}

async function inflated(body: string, limit: Limit): Promise<Uint8Array> {
  try {
    return await through(fromBase64(body), new DecompressionStream("deflate-raw"), limit);
  } catch (cause) {
    throw cause instanceof LinkError ? cause : damaged(cause);
  }
}

async function through(bytes: Uint8Array, stream: TransformStream, limit?: Limit): Promise<Uint8Array> {
  const source = new Blob([bytes as BlobPart]).stream().pipeThrough(stream);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (const reader = source.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (limit && size > limit.bytes) throw new LinkError(limit.words);
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
