import { ChevronRight } from 'lucide-react'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { ErrorRate } from '../error-rate.tsx'
import type { ClusterRowProps } from './cluster-row.tsx'
import type { Topic } from './listed-clusters.ts'

interface TopicRowProps extends Pick<ClusterRowProps, 'projectRate' | 'onPoint'> {
  readonly topic: Topic
  readonly isOpen: boolean
  onToggle(): void
}

/** The name of a topic over its clusters, with their sums. */
export function TopicRow({ topic, isOpen, projectRate, onToggle, onPoint }: TopicRowProps) {
  const { cluster, share, rows } = topic
  return (
    <tr className="bg-sunken border-b align-top" onMouseEnter={() => onPoint(null)}>
      <th scope="rowgroup" className="w-full max-w-0 min-w-36 sm:min-w-44 py-1.5 pr-2 pl-2 font-normal">
        <button
          type="button"
          data-row
          aria-expanded={isOpen}
          onClick={onToggle}
          className="hover:text-accent flex min-h-6 items-start gap-1 text-left"
        >
          <ChevronRight className={`text-muted mt-0.5 size-4 shrink-0 ${isOpen ? 'rotate-90' : ''}`} aria-hidden />
          <span className="min-w-0 break-words">
            <bdi className="font-semibold">{cluster.label === '' ? 'Other clusters' : cluster.label}</bdi>{' '}
            <span className="text-muted text-xs whitespace-nowrap">
              {rows.length === 1 ? '1 cluster' : `${rows.length} clusters`}
            </span>
          </span>
        </button>
      </th>
      <td className="px-2 py-1.5">
        <span className="tabular-nums">{formatCount(cluster.size)}</span>
        <div className="text-muted text-xs tabular-nums">{formatShare(share)}</div>
      </td>
      {cluster.kind === 'requests' && (
        <td className="px-2 py-1.5">
          <ErrorRate cluster={cluster} projectRate={projectRate} />
        </td>
      )}
      <td className="hidden sm:table-cell" />
      <td className="hidden 2xl:table-cell" />
      <td />
    </tr>
  )
}
