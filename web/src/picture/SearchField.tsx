import type { PictureState } from "./state";

/** Search by name, operation or index; Enter goes to the next node found. */
export function SearchField({ state }: { state: PictureState }) {
  const { words, found, at } = state.finder;
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      event.preventDefault();
      state.jump(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape" && words) {
      event.stopPropagation();
      state.search("");
    }
  };
  const which = at < 0 ? `${found.size} found` : `${at + 1} of ${found.size}`;
  const result = found.size ? which : words.trim() && "Nothing found";
  return (
    <div class="picture-search" role="search">
      <input
        type="search"
        class="field"
        value={words}
        placeholder="Find: name, grad > 1"
        aria-label="Find nodes by name, operation or index, or by a condition such as grad > 1"
        onInput={(event) => state.search(event.currentTarget.value)}
        onKeyDown={key}
      />
      <output aria-live="polite">{result}</output>
    </div>
  );
}
