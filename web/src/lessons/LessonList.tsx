/** The list of lessons, course by course, with the progress of the user. */

import type { Course, Lesson } from "./content";
import { answers, score } from "./progress";
import { StartOver } from "./StartOver";

export function LessonList({ courses }: { courses: Course[] }) {
  return (
    <>
      <header class="lessons-head">
        <h1 tabIndex={-1}>Lessons</h1>
      </header>
      {courses.map((course) => (
        <OneCourse key={course.name} course={course} />
      ))}
      <StartOver begun={Object.keys(answers.value).length > 0} />
      <p class="note">Your answers are stored only in this browser.</p>
    </>
  );
}

function OneCourse({ course: { name, title, lead, lessons } }: { course: Course }) {
  const next = lessons.find((lesson) => score(lesson).right < score(lesson).all);
  const cells = lessons.some(({ blocks }) => blocks.some(({ kind }) => kind === "cell"));
  return (
    <section class="course" aria-labelledby={`course-${name}`}>
      <h2 id={`course-${name}`}>{title}</h2>
      <p class="lead">{lead}</p>
      {cells && (
        <p class="to-room">
          <a href="#/workshop">Write it without the chapters, in the workshop</a>
        </p>
      )}
      <ol class="lesson-list">
        {lessons.map((lesson) => (
          <Entry key={lesson.id} lesson={lesson} current={lesson === next} />
        ))}
      </ol>
    </section>
  );
}

function Entry({ lesson, current }: { lesson: Lesson; current: boolean }) {
  const { right, all } = score(lesson);
  const done = right === all;
  return (
    <li class={`lesson-entry ${done ? "done" : current ? "current" : ""}`}>
      <a href={`#/lessons/${lesson.id}`}>
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
