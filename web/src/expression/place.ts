import { CLOSING, OPENING } from "./pieces";
import type { Piece } from "./pieces";
import { shortened } from "./pointing";

const NOTHING: Piece = { kind: "line", text: "", start: 0, end: 0, opening: -1 };

/** A piece of a text, and the operands that stand beside it. */
export class Place {
  protected readonly piece: Piece;

  constructor(
    protected readonly source: string,
    protected readonly pieces: readonly Piece[],
    protected readonly at: number,
  ) {
    this.piece = this.near(0);
  }

  /** The piece so many steps on; beyond the ends there is an empty line. */
  protected near(steps: number): Piece {
    return this.pieces[this.at + steps] ?? NOTHING;
  }

  /** The operand that ends here: a name, a number, brackets, a call; or "". */
  protected before(): string {
    const last = this.near(-1);
    let first = last;
    if (CLOSING.includes(last.text) && last.opening >= 0) {
      const caller = this.pieces[last.opening - 1];
      first = caller?.kind === "name" ? caller : this.pieces[last.opening]!;
    } else if (last.kind !== "number" && last.kind !== "name") return "";
    return brief(this.source.slice(first.start, last.end));
  }

  /** The operand that begins so many pieces on, with its sign; or "". */
  protected operand(steps: number): string {
    const first = this.at + steps;
    let at = first;
    while (["+", "-", "−"].includes(this.pieces[at]?.text ?? "")) at += 1;
    const [start, next] = [this.pieces[at] ?? NOTHING, this.pieces[at + 1] ?? NOTHING];
    let last = at;
    if (start.kind === "name" && next.text === "(") last = this.closing(at + 1);
    else if (OPENING.includes(start.text)) last = this.closing(at);
    else if (start.kind !== "number" && start.kind !== "name") return "";
    const text = this.source.slice(this.pieces[first]!.start, this.pieces[last]!.end).replaceAll("−", "-");
    return brief("[{".includes(text[0]!) ? `(${text.slice(1, -1)})` : text);
  }

  /** The piece that closes a bracket; the bracket itself if nothing does. */
  protected closing(bracket: number): number {
    const found = this.pieces.findIndex((one) => one.opening === bracket && CLOSING.includes(one.text));
    return found < 0 ? bracket : found;
  }
}

function brief(code: string): string {
  const text = shortened(code);
  return Array.from(text).length <= 24 ? text : "(...)";
}
