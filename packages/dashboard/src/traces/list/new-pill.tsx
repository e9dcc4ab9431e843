import { ArrowUp } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import { formatCount } from '../../lib/format-number.ts'
import type { Arrivals } from './arrivals.ts'

interface NewPillProps {
  readonly arrivals: Arrivals
  /** Whether some of what comes may not belong to the list. */
  readonly filtered: boolean
  /** What comes is shown by itself now. */
  readonly automatic: boolean
  onShow(): void
}

/** Says how many traces have come since the list was read, instead of moving it. */
export function NewPill({ arrivals, filtered, automatic, onShow }: NewPillProps) {
  const { count, uncertain } = useSyncExternalStore(arrivals.subscribe, arrivals.shown)
  const shown = !automatic && (count > 0 || uncertain)
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 top-2 z-20 md:top-10 flex justify-center">
      {shown && (
        <button
          type="button"
          onClick={onShow}
          className="bg-accent text-on-accent pointer-events-auto flex items-center gap-1.5 rounded-full px-3 py-1 text-sm font-medium shadow-lg hover:brightness-110"
        >
          <ArrowUp className="size-3.5" aria-hidden />
          {describe(count, uncertain, filtered)}
        </button>
      )}
    </div>
  )
}

function describe(count: number, uncertain: boolean, filtered: boolean): string {
  if (count === 0) return 'Refresh: there may be new ones'
  return `${formatCount(count)}${uncertain ? ' or more' : ''} new${filtered ? ', before filters' : ''}`
}
