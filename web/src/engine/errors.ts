/** A document that cannot be read: where, expected, got, and a fix. */
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
