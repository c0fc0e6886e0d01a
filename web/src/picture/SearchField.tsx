interface SearchFieldProps {
  words: string;
  count: number;
  /** Which of the found nodes is shown, from 0; -1: none yet. */
  at: number;
  onWords(words: string): void;
  onJump(step: number): void;
}

/** Search by name, operation or index; Enter goes to the next node found. */
export function SearchField({ words, count, at, onWords, onJump }: SearchFieldProps) {
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault();
      onJump(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape" && words) {
      event.stopPropagation();
      onWords("");
    }
  };
  const result = !words.trim()
    ? ""
    : count === 0
      ? "nothing found"
      : at < 0
        ? `${count} found`
        : `${at + 1} of ${count}`;
  return (
    <div class="picture-search" role="search">
      <input
        type="search"
        class="field"
        value={words}
        placeholder="Find a node"
        aria-label="Find a node by name, operation or index"
        onInput={(event) => onWords(event.currentTarget.value)}
        onKeyDown={key}
      />
      <output aria-live="polite">{result}</output>
    </div>
  );
}
