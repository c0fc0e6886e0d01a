/** The room of the misconceptions: five of them, each wrong and right side by side. */

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { STORIES, storyOf } from "./stories";
import { StoryView } from "./StoryView";

export interface PageProps {
  /** The name of a misconception; anything else is the first one. */
  rest: string;
}

export function Page({ rest }: PageProps) {
  const story = storyOf(rest);
  const place = useRef<HTMLDivElement>(null);
  useNewStory(place, story.kind);
  useEffect(() => showCurrent(place.current!.querySelector("ol")!), [story.kind]);
  return (
    <div ref={place} class="misconceptions">
      <h1 class="visually-hidden">Misconceptions</h1>
      <nav class="stories" aria-label="Misconceptions">
        <ol>
          {STORIES.map(({ kind, title, short }) => (
            <li key={kind}>
              <a href={`#/misconceptions/${kind}`} aria-current={kind === story.kind ? "page" : undefined}>
                <span class="story-title">{title}</span>
                <span class="story-short">{short}</span>
              </a>
            </li>
          ))}
        </ol>
      </nav>
      <StoryView key={story.kind} story={story} />
    </div>
  );
}

/** On a phone the list is a strip, which may hide the story that is told. */
function showCurrent(strip: HTMLElement): void {
  const link = strip.querySelector<HTMLElement>("[aria-current]");
  if (link) strip.scrollLeft += link.getBoundingClientRect().left - strip.getBoundingClientRect().left - 24;
}

/** A screen reader begins a new story with its title. */
function useNewStory(place: { current: HTMLElement | null }, kind: string): void {
  const shown = useRef(kind);
  useLayoutEffect(() => {
    if (shown.current === kind) return;
    shown.current = kind;
    scrollTo(0, 0);
    place.current?.querySelector("h2")?.focus({ preventScroll: true });
  }, [kind]);
}
