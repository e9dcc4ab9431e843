import { Link } from '@tanstack/react-router'
import { List, Pin } from 'lucide-react'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { IconButton } from '../../ui/button.tsx'
import { Time } from '../../ui/time.tsx'
import { ChangeBadge } from './change-badge.tsx'
import { clusterName } from '../cluster-name.ts'
import { ClusterMark } from '../cluster-mark.tsx'
import { ErrorRate } from '../error-rate.tsx'
import type { ListedCluster } from './listed-clusters.ts'
import type { MapCluster } from '../map/map-content.ts'
import { tracesOfCluster } from '../traces-of-cluster.ts'
import { ClearestPattern, WhyCluster } from '../why-cluster.tsx'

export interface ClusterRowProps {
  readonly listed: ListedCluster
  readonly marks: ReadonlyMap<string, MapCluster>
  readonly projectRate: number | null
  /** The cluster that the map shows alone. */
  readonly pinned: string | null
  onPin(clusterId: string | null): void
  /** The hovered or focused cluster. */
  onPoint(clusterId: string | null): void
}

const TYPICAL = {
  requests: { label: 'Typical request', title: 'What the user of a typical trace asked first' },
  failures: { label: 'Typical failure', title: 'Why a typical trace failed: its error, or else its last answer' },
}

export function ClusterRow({ listed, marks, projectRate, pinned, onPin, onPoint }: ClusterRowProps) {
  const { cluster, share, change } = listed
  const { id, keywords, size, typical_request: typicalRequest, automatic_label: automaticLabel, mixed } = cluster
  const label = clusterName(cluster)
  const typical = TYPICAL[cluster.kind]
  const isPinned = pinned === id
  return (
    <tr
      onMouseEnter={() => onPoint(id)}
      onFocus={() => onPoint(id)}
      onBlur={() => onPoint(null)}
      className={`border-b align-top ${isPinned ? 'bg-selected' : 'hover:bg-hover'}`}
    >
      <th scope="row" className="w-full max-w-0 min-w-36 sm:min-w-44 py-2 pr-2 pl-4 font-normal">
        <div className="flex items-baseline gap-2">
          <ClusterMark color={marks.get(id)?.color} fails={cluster.color === 'fail'} />
          <Link
            to="/app/clusters/$clusterId"
            params={{ clusterId: id }}
            data-row
            title={automaticLabel === null ? label : `${label}. Renamed from ${automaticLabel}`}
            className="min-w-0 font-medium break-words hover:underline line-clamp-2"
          >
            <bdi>{label}</bdi>
          </Link>
        </div>
        <p className="text-muted truncate pl-4.5 text-xs" title={`Keywords: ${keywords.join(', ')}`}>
          {automaticLabel !== null && 'Renamed · '}
          <bdi>{keywords.slice(0, 8).join(', ')}</bdi>
        </p>
        {typicalRequest !== null && (
          <p className="line-clamp-2 pl-4.5 text-xs break-words" title={typical.title}>
            <span className="sr-only">{typical.label}: </span>
            <q>
              <bdi>{typicalRequest}</bdi>
            </q>
          </p>
        )}
        {cluster.other_request !== null && (
          <p
            className="line-clamp-2 pl-4.5 text-xs break-words"
            title={
              mixed
                ? 'This cluster holds two groups that are clearly apart. Its name is that of the larger one.'
                : `The ${typical.label.toLowerCase()} that differs most from the first`
            }
          >
            <span className={mixed ? 'text-warn font-medium' : 'sr-only'}>{mixed ? 'Mixed: also ' : 'Or: '}</span>
            <q>
              <bdi>{cluster.other_request}</bdi>
            </q>
          </p>
        )}
        {cluster.color === 'fail' && (
          <div className="flex items-start gap-2 pt-1 pl-4.5 text-xs">
            <WhyCluster cluster={cluster} />
            <p className="line-clamp-3 wrap-anywhere">
              <ClearestPattern clusterId={id} />
            </p>
          </div>
        )}
        {change.kind !== 'none' && (
          <div className="pt-1 pl-4.5 text-xs sm:hidden">
            <ChangeBadge change={change} />
          </div>
        )}
      </th>
      <td className="px-2 py-2">
        <span className="tabular-nums">{formatCount(size)}</span>
        <div className="text-muted text-xs tabular-nums">{formatShare(share)}</div>
      </td>
      {cluster.kind === 'requests' && (
        <td className="px-2 py-2">
          <ErrorRate cluster={cluster} projectRate={projectRate} />
        </td>
      )}
      <td className="hidden px-2 py-2 sm:table-cell">
        <ChangeBadge change={change} />
      </td>
      <td className="text-muted hidden px-2 py-2 2xl:table-cell">
        <Time at={cluster.first_seen_at} />
      </td>
      <td className="py-1 pr-3 pl-2">
        <div className="flex justify-end">
          <IconButton
            icon={Pin}
            aria-pressed={isPinned}
            label={`Show only ${label} on the map`}
            title="Show only this on the map"
            onClick={() => onPin(isPinned ? null : id)}
            className="aria-pressed:text-accent max-sm:hidden"
          />
          <Link
            to="/app/traces"
            search={tracesOfCluster(id)}
            aria-label={`View the traces of ${label}`}
            title="View traces"
            className="hover:bg-hover text-muted hover:text-ink inline-flex size-8 items-center justify-center rounded-md"
          >
            <List className="size-4" aria-hidden />
          </Link>
        </div>
      </td>
    </tr>
  )
}
