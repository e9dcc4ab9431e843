import type { FeedSearch } from '../filters/search.ts'
import type { ListLook } from './list-look.ts'
import { rowShape } from './row-shape.ts'
import { TableHeader } from './table-header.tsx'
import { CARD_PX } from './trace-card.tsx'

const ROWS = 14

/** The list before its rows: as high and wide as they will be, so that nothing moves when they come. */
export function LoadingList({ look, narrow, search }: { look: ListLook; narrow: boolean; search: FeedSearch }) {
  const shape = rowShape(look)
  const height = narrow ? CARD_PX : shape.rowPx
  return (
    <div role="status" aria-label="Loading" className="min-h-0 flex-1 overflow-hidden">
      <div aria-hidden inert style={narrow ? {} : { minWidth: shape.leastWidthPx }}>
        {!narrow && <TableHeader shape={shape} search={search} onSort={() => undefined} marking={null} />}
        {Array.from({ length: ROWS }, (_, row) => (
          <div key={row} style={{ height }} className="flex flex-col justify-center gap-2 border-b px-4">
            <div className="bg-hover h-4 w-2/5 rounded" />
            {height > 40 && <div className="bg-hover h-4 w-4/5 rounded" />}
          </div>
        ))}
      </div>
    </div>
  )
}
