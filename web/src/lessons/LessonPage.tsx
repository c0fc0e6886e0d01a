/** One lesson. */

import { Blocks } from "./Blocks";
import type { Lesson } from "./content";
import { Score } from "./LessonList";
import { answers, score } from "./progress";
import { StartOver } from "./StartOver";

interface Props {
  lesson: Lesson;
  lessons: Lesson[];
}

export function LessonPage({ lesson, lessons }: Props) {
  const { right, all } = score(lesson);
  const begun = Object.keys(answers.value).some((key) => key.startsWith(`${lesson.number}/`));
  return (
    <article class="lesson">
      <header class="lessons-head">
        <p class="lesson-place">
          <a href="#/lessons">Lessons</a>
          <span>
            {lesson.number} of {lessons.length}
          </span>
        </p>
        <h1 tabIndex={-1}>{lesson.title}</h1>
        <p class="lead">{lesson.summary}</p>
        <Score right={right} all={all} />
      </header>
      <Blocks key={lesson.number} lesson={lesson.number} blocks={lesson.blocks} />
      <footer class="lesson-foot">
        <p class="note">
          {right === all
            ? "You have answered all questions of this lesson."
            : `${all - right} left to answer.`}
        </p>
        <StartOver lesson={lesson.number} begun={begun} />
        <Neighbours lesson={lesson} lessons={lessons} />
      </footer>
    </article>
  );
}

function Neighbours({ lesson, lessons }: Props) {
  const at = lessons.indexOf(lesson);
  const [before, after] = [lessons[at - 1], lessons[at + 1]];
  return (
    <nav class="lesson-neighbours" aria-label="Other lessons">
      {before && (
        <a class="before" href={`#/lessons/${before.number}`}>
          <span class="note">Previous lesson</span>
          {before.title}
        </a>
      )}
      {after ? (
        <a class="after" href={`#/lessons/${after.number}`}>
          <span class="note">Next lesson</span>
          {after.title}
        </a>
      ) : (
        <a class="after" href="#/lessons">
          <span class="note">The end</span>
          All lessons
        </a>
      )}
    </nav>
  );
}
