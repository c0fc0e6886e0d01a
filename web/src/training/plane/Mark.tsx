/** The shape that stands for a label; hollow: of a point that is not learned from. */
export function Mark({ label, hollow }: { label: 0 | 1; hollow?: boolean }) {
  return <i class={`mark mark-${label} ${hollow ? "hollow" : ""}`} aria-hidden="true" />;
}
