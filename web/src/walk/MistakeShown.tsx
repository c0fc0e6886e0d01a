/** A mistake in what was typed: in words, and pointed at where that is more than the whole of it. */

import type { Mistake } from "./formula";

interface Props {
  mistake: Mistake | null;
  /** What stands before its words. */
  before?: string;
  look?: string;
}

export function MistakeShown({ mistake, before = "", look = "alert" }: Props) {
  if (!mistake) return null;
  return (
    <div class={look} role="alert">
      <p>
        {before}
        {mistake.words}
      </p>
      {mistake.excerpt && <pre class="caret">{mistake.excerpt}</pre>}
    </div>
  );
}
