import { ArrowDown, ArrowUp } from 'lucide-react'
import { useRef, useState } from 'react'
import { useRowKeys } from '../../lib/hooks/use-row-keys.ts'
import { toggled } from '../../lib/toggled.ts'
import { ClusterRow, type ClusterRowProps } from './cluster-row.tsx'
import { listTopics, type ListedCluster } from './listed-clusters.ts'
import type { ClusterSort } from '../search.ts'
import { TopicRow } from './topic-row.tsx'

interface ClusterTableProps extends Omit<ClusterRowProps, 'listed'> {
  readonly rows: readonly ListedCluster[]
  readonly sort: ClusterSort
  readonly ascending: boolean
  onSort(sort: ClusterSort): void
}

const COLUMNS: readonly { readonly sort: ClusterSort; readonly label: string; readonly className?: string }[] = [
  { sort: 'name', label: 'Cluster' },
  { sort: 'size', label: 'Traces' },
  { sort: 'failed', label: 'Error rate' },
  { sort: 'change', label: 'Since last run', className: 'hidden sm:table-cell' },
  { sort: 'first_seen', label: 'First seen', className: 'hidden 2xl:table-cell' },
]

export function ClusterTable({ rows, sort, ascending, onSort, ...row }: ClusterTableProps) {
  // All traces of causes of failures failed.
  const columns = COLUMNS.filter((one) => one.sort !== 'failed' || rows[0]?.cluster.kind !== 'failures')
  const table = useRef<HTMLTableElement>(null)
  useRowKeys('Clusters', table)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const topics = listTopics(rows, sort, ascending)
  return (
    <div className="overflow-x-auto">
      <table ref={table} className="w-full text-left text-sm" onMouseLeave={() => row.onPoint(null)}>
        <caption className="sr-only">Clusters of the last run</caption>
        <thead className="text-muted border-b text-xs">
          <tr>
            {columns.map(({ sort: by, label, className = '' }) => (
              <th
                key={by}
                scope="col"
                aria-sort={by === sort ? (ascending ? 'ascending' : 'descending') : 'none'}
                className={`px-2 py-1 font-medium first:pl-4 ${className}`}
              >
                <button
                  type="button"
                  onClick={() => onSort(by)}
                  className="hover:text-ink inline-flex h-6 items-center gap-1 whitespace-nowrap"
                >
                  {label}
                  <span className="size-3" aria-hidden>
                    {by === sort && (ascending ? <ArrowUp className="size-3" /> : <ArrowDown className="size-3" />)}
                  </span>
                </button>
              </th>
            ))}
            <th scope="col" className="px-2 py-1 pr-4 font-medium">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        {topics.map((topic) => {
          const name = topic.cluster.label
          const isOpen = topics.length === 1 || !folded.has(name)
          return (
            <tbody key={name}>
              {topics.length > 1 && (
                <TopicRow
                  topic={topic}
                  isOpen={isOpen}
                  projectRate={row.projectRate}
                  onToggle={() => setFolded(toggled(folded, name))}
                  onPoint={row.onPoint}
                />
              )}
              {isOpen && topic.rows.map((listed) => <ClusterRow key={listed.cluster.id} listed={listed} {...row} />)}
            </tbody>
          )
        })}
      </table>
    </div>
  )
}
