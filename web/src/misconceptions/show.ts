/** Scrolling to the runs. */

/** Scrolls to the two runs of the story around `from`, unless they are visible. */
export function showRuns(from: Element): void {
  const runs = from.closest(".story")?.querySelector(".runs");
  const top = runs?.getBoundingClientRect().top ?? 0;
  if (top < 0 || top > innerHeight / 2) runs?.scrollIntoView?.({ block: "start" });
}
