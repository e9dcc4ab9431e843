import { ArrowDown, ArrowUp } from 'lucide-react'

type Sorted = 'ascending' | 'descending' | 'none'

/** In the head of a column by which its table can be sorted; the head itself has `aria-sort`. */
export function SortButton({ label, sorted, onSort }: { label: string; sorted: Sorted; onSort(): void }) {
  const Arrow = sorted === 'ascending' ? ArrowUp : ArrowDown
  return (
    <button
      type="button"
      onClick={onSort}
      className={`hover:text-ink inline-flex min-h-6 items-center gap-0.5 rounded ${sorted === 'none' ? '' : 'text-ink'}`}
    >
      {label}
      {sorted !== 'none' && <Arrow className="size-3" aria-hidden />}
    </button>
  )
}
