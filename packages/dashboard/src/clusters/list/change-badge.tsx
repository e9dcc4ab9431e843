import { ArrowDownRight, ArrowUpRight, Equal, Sparkles } from 'lucide-react'
import { formatShare } from '../../lib/format-number.ts'
import { Badge } from '../../ui/badge.tsx'
import { clusterName } from '../cluster-name.ts'
import type { Change } from './listed-clusters.ts'

const ICONS = { grown: ArrowUpRight, shrunk: ArrowDownRight, same: Equal } as const

/** The change since the previous run. Compares shares, because two runs see different numbers of traces. */
export function ChangeBadge({ change }: { change: Change }) {
  if (change.kind === 'none')
    return (
      <span className="text-muted" title="No earlier run to compare with">
        –
      </span>
    )
  if (change.kind === 'new')
    return (
      <Badge tone="info" icon={Sparkles}>
        new
      </Badge>
    )
  const { kind, before, now, shareBefore, shareNow, calledBefore } = change
  const Icon = ICONS[kind]
  return (
    <div className="leading-tight">
      <span
        className="inline-flex items-center gap-1 whitespace-nowrap"
        title={`Previous run: ${before} traces (${formatShare(shareBefore)}). Last run: ${now} (${formatShare(shareNow)}).`}
      >
        <Icon className={`size-3.5 ${kind === 'same' ? 'text-muted' : 'text-info'}`} aria-hidden />
        {kind}
        {kind !== 'same' && (
          <span className="text-muted tabular-nums">
            {shareNow > shareBefore ? '+' : '−'}
            {(100 * Math.abs(shareNow - shareBefore)).toFixed(1)} pt
          </span>
        )}
      </span>
      {calledBefore !== null && (
        <div className="text-muted max-w-32 truncate text-xs" title={calledBefore}>
          was <bdi>{clusterName({ label: calledBefore })}</bdi>
        </div>
      )}
    </div>
  )
}
