/** The page Misconceptions: five mistakes, each beside the correct run. */

import { useEffect, useRef } from "preact/hooks";
import { useNewPage } from "../ui/hooks";
import { STORIES, storyOf } from "./stories";
import { StoryView } from "./StoryView";

export interface PageProps {
  /** The name of a misconception; anything else selects the first one. */
  rest: string;
}

export function Page({ rest }: PageProps) {
  const story = storyOf(rest);
  const place = useRef<HTMLDivElement>(null);
  useNewPage(place, story.kind, "h2");
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

/** Scrolls the list, which is a strip on phones, to the current story. */
function showCurrent(strip: HTMLElement): void {
  const link = strip.querySelector<HTMLElement>("[aria-current]");
  if (link) strip.scrollLeft += link.getBoundingClientRect().left - strip.getBoundingClientRect().left - 24;
}
