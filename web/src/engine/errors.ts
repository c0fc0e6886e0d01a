/** A graph that cannot be read, in words for people: where, expected, got, and how to mend it. */
export class DocumentError extends Error {
  constructor(
    readonly where: string,
    readonly expected: string,
    readonly got: string,
    readonly fix: string,
  ) {
    super(`${where}: expected ${expected}, got ${got}. ${fix}`);
    this.name = "DocumentError";
  }
}
