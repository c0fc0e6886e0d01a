/** The list of lessons, with the progress of the user. */

import type { Lesson } from "./content";
import { answers, score } from "./progress";
import { StartOver } from "./StartOver";

export function LessonList({ lessons }: { lessons: Lesson[] }) {
  const next = lessons.find((lesson) => score(lesson).right < score(lesson).all);
  return (
    <>
      <header class="lessons-head">
        <h1 tabIndex={-1}>Lessons</h1>
        <p class="lead">
          Six short lessons on the backward pass. Step through the graphs and answer the questions. The engine
          checks your answers. The accepted tolerance is shown beside each question.
        </p>
      </header>
      <ol class="lesson-list">
        {lessons.map((lesson) => (
          <Entry key={lesson.number} lesson={lesson} current={lesson === next} />
        ))}
      </ol>
      <StartOver begun={Object.keys(answers.value).length > 0} />
      <p class="note">Your answers are stored only in this browser.</p>
    </>
  );
}

function Entry({ lesson, current }: { lesson: Lesson; current: boolean }) {
  const { right, all } = score(lesson);
  const done = right === all;
  return (
    <li class={`lesson-entry ${done ? "done" : current ? "current" : ""}`}>
      <a href={`#/lessons/${lesson.number}`}>
        <span class="lesson-number" aria-hidden="true">
          {done ? "✓" : lesson.number}
        </span>
        <span class="lesson-title">{lesson.title}</span>
        <span class="lesson-summary">{lesson.summary}</span>
        <Score right={right} all={all} />
      </a>
    </li>
  );
}

/** "2 of 3 questions", also as a bar. */
export function Score({ right, all }: { right: number; all: number }) {
  return (
    <span class="score">
      <span class="score-bar" aria-hidden="true">
        <span style={{ width: `${(100 * right) / (all || 1)}%` }} />
      </span>
      <span class="score-words">
        {right} of {all} {all === 1 ? "question" : "questions"}
      </span>
    </span>
  );
}
