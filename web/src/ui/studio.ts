/** The server behind the page: whether it answers, and what to do if it does not. */

/** Returns whether the page belongs to a site of plain files, without a server that computes. */
export function ofSite(): boolean {
  return document.querySelector('meta[name="gradwalk-site"]') !== null;
}

/** Returns the HTTP status of the page; null without an answer. */
export async function statusOf(): Promise<number | null> {
  try {
    const { status } = await fetch(new URL("./", location.href), { method: "HEAD", cache: "no-store" });
    return status;
  } catch {
    return null;
  }
}

/** Returns what has happened and what to do, after a request with this status; null: no answer. */
export function adviceOn(status: number | null): string {
  if (status === null) return "The studio does not answer. Check in its terminal that it is running.";
  if (status === 403) return "The studio was restarted. Open the new address, which is printed in its terminal.";
  if (status === 429) return "Other files are running in this studio. Stop one of them, or wait.";
  return `The studio refused: ${status}. Reload the page.`;
}
