/** What has just begun is brought into sight. */

/** Scrolls to the two runs of the story that `from` is in, unless they are well in sight. */
export function showRuns(from: Element): void {
  const runs = from.closest(".story")?.querySelector(".runs");
  const top = runs?.getBoundingClientRect().top ?? 0;
  if (top < 0 || top > innerHeight / 2) runs?.scrollIntoView?.({ block: "start" });
}
