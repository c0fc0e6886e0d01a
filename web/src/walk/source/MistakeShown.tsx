/** A mistake in what was typed: its message, and its place unless that is the whole text. */

import type { Mistake } from "./formula";

interface Props {
  mistake: Mistake | null;
  /** Put before its message. */
  before?: string;
  look?: string;
  /** For `aria-describedby` of its field. */
  id?: string;
}

export function MistakeShown({ mistake, before = "", look = "alert", id }: Props) {
  if (!mistake) return null;
  return (
    <div class={look} role="alert" id={id}>
      <p>
        {before}
        {mistake.words}
      </p>
      {mistake.excerpt && <pre class="caret">{mistake.excerpt}</pre>}
    </div>
  );
}
