import { TriangleAlert } from 'lucide-react'
import type { ListedCluster } from '@spoor/contract/schemas/cluster'
import { formatShare } from '../lib/format-number.ts'
import { Badge } from '../ui/badge.tsx'

interface ErrorRateProps {
  readonly cluster: Pick<ListedCluster, 'judged' | 'error_rate' | 'color'>
  /** Of all clustered traces, for comparison. */
  readonly projectRate: number | null
}

/** The error rate, with the project's as a line across. */
export function ErrorRate({ cluster: { judged, error_rate, color }, projectRate }: ErrorRateProps) {
  return (
    <div className="w-24 sm:w-28">
      <div className="flex items-center gap-1.5">
        <span className="tabular-nums">{judged === 0 ? '–' : formatShare(error_rate)}</span>
        {color === 'fail' && (
          <Badge tone="fail" icon={TriangleAlert}>
            high
          </Badge>
        )}
      </div>
      <div
        aria-hidden
        className="bg-hover relative mt-1 h-1 rounded-full"
        title={projectRate === null ? undefined : `Project: ${formatShare(projectRate)}`}
      >
        <div
          className={`h-full rounded-full ${color === 'fail' ? 'bg-fail' : 'bg-muted'}`}
          style={{ width: `${100 * error_rate}%` }}
        />
        {projectRate !== null && (
          <div className="bg-ink absolute -top-0.5 h-2 w-px" style={{ left: `${100 * projectRate}%` }} />
        )}
      </div>
    </div>
  )
}
