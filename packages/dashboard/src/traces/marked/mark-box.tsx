/** Selects a row, or all of them. No tab stop: `s` selects the row that has the focus. */
export function MarkBox({ label, isMarked, onMark }: { label: string; isMarked: boolean; onMark(): void }) {
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={label}
      checked={isMarked}
      onChange={onMark}
      className="accent-accent size-4 cursor-pointer"
    />
  )
}
