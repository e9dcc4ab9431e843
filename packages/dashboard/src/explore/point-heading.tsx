import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../ui/button.tsx'
import { formatBucket } from '../ui/charts/chart-model.ts'
import type { ChartSearch } from '../lib/chart-search.ts'
import type { ChangeChart } from '../metrics/search.ts'

interface PointHeadingProps {
  readonly title: string
  readonly search: ChartSearch
  readonly bucketMs: number
  readonly onSearch: ChangeChart
  readonly rows: 'traces' | 'steps'
  /** Whether they can be filtered by the chosen group. */
  readonly isFiltered: boolean
  labelOf(key: string): string
  /** At the end. */
  readonly children?: ReactNode
}

/** The heading of the list below a chart: the chosen bucket, or the whole range. */
export function PointHeading({ title, search, bucketMs, onSearch, ...of }: PointHeadingProps) {
  const { rows, isFiltered, labelOf, children } = of
  const { at, group } = search
  return (
    <>
      <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2">
        <h2 className="font-semibold" id="listed">
          {title}
        </h2>
        {at === undefined ? (
          <p className="text-muted text-sm">Whole range. Click a bucket to filter.</p>
        ) : (
          <span className="bg-selected inline-flex items-center gap-1 rounded-md py-0.5 pr-0.5 pl-2 text-sm tabular-nums">
            {formatBucket(Date.parse(at), bucketMs)}
            <IconButton
              icon={X}
              label="Show the whole range"
              className="[&>svg]:size-3.5 h-6! w-6!"
              onClick={() => onSearch({ at: undefined, group: undefined }, true)}
            />
          </span>
        )}
        <div className="ml-auto flex flex-wrap items-center gap-2">{children}</div>
      </div>
      {group !== undefined && (
        <p className="text-muted flex items-center gap-2 px-4 pb-2 text-sm">
          {isFiltered ? 'Group: ' : `All groups: ${rows} cannot be filtered by `}
          <bdi>{labelOf(group)}</bdi>
          {!isFiltered && '.'}
        </p>
      )}
    </>
  )
}
