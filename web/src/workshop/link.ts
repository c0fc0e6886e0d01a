/** The code in a link. Only the page reads it: browsers do not send the fragment of an address to a server. */

import { LinkError, packed, unpacked } from "../ui/packed";

const PREFIX = "code=";
const MOST = 8192;
const LIMIT = { bytes: 100_000, words: "This link unpacks to more than 100 kB, more than a file of the workshop needs." };

/** Returns the part of an address after "#/workshop/" that carries a file. Throws `LinkError` if it would be too long. */
export async function linkOf(source: string): Promise<string> {
  const text = PREFIX + (await packed(source));
  if (text.length > MOST) throw new LinkError("This file is too long for a link. Save it, and send the file.");
  return text;
}

/** Returns the file of a link; null if the address carries none. Throws `LinkError` if it is damaged. */
export async function codeOf(rest: string): Promise<string | null> {
  if (!rest.startsWith(PREFIX)) return null;
  if (rest.length > MOST) throw new LinkError(LIMIT.words);
  return unpacked(rest.slice(PREFIX.length), LIMIT);
}
