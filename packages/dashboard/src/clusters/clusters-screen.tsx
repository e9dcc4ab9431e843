import type { ClusterKind, ClusterSelectionList } from '@spoor/contract/schemas/cluster'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router'
import { CalendarSync, Shapes } from 'lucide-react'
import { useState } from 'react'
import { clusterScheduleQuery, type ClusterSet, clustersQuery, selectionsQuery } from '../api/clusters.ts'
import { changed } from '../lib/search.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { PageHeader } from '../ui/page.tsx'
import { Loading, EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { ClustersView } from './clusters-view.tsx'
import type { ClusterSearch } from './search.ts'
import { SelectionChoice } from './selection-choice.tsx'
import { DiscoveryBar } from './discovery/discovery-bar.tsx'
import { DiscoveryForm, ScheduleForm } from './discovery/discovery-forms.tsx'
import { hoursInWords } from './discovery/discovery-words.ts'
import { useDiscovery } from './discovery/use-discovery.ts'

export const route = createLazyRoute('/app/clusters')({ component: ClustersScreen })

function ClustersScreen() {
  const search = useSearch({ from: '/app/clusters' })
  const { kind = 'requests', selection: selectionId } = search
  const set: ClusterSet = selectionId === undefined ? { kind } : { kind, selection_id: selectionId }
  const query = useQuery(clustersQuery(set))
  const { data: { selections } = NO_SELECTIONS } = useQuery(selectionsQuery)
  const selection = selections.find(({ id }) => id === selectionId) ?? null
  const { data } = query
  const { data: schedule } = useQuery(clusterScheduleQuery(kind))
  const isUnknown = selectionId !== undefined && selection === null
  const discovery = useDiscovery(set)
  const mayManage = useMay('manage')
  const [form, setForm] = useState<'discovery' | 'schedule' | null>(null)
  const discover = () => setForm('discovery')
  const close = () => setForm(null)
  return (
    <div className="flex min-w-0 flex-1 flex-col xl:h-dvh xl:flex-none">
      <PageHeader
        title="Clusters"
        meta={
          data?.computed_at && (
            <span>
              {data.clusters.length} · computed <Time at={data.computed_at} />
            </span>
          )
        }
        actions={
          mayManage && (
            <>
              {selectionId === undefined && (
                <Button icon={CalendarSync} onClick={() => setForm('schedule')} disabled={schedule === undefined}>
                  {schedule?.enabled === true ? `Every ${hoursInWords(schedule.every_hours)}` : 'Schedule: off'}
                </Button>
              )}
              <Button icon={Shapes} variant="primary" onClick={discover} disabled={discovery.isRunning || isUnknown}>
                Discover clusters
              </Button>
            </>
          )
        }
      />
      <div className="flex flex-wrap gap-x-4 gap-y-2 border-b px-4 py-2">
        <KindChoice kind={kind} search={search} />
        {(selections.length > 0 || selectionId !== undefined) && (
          <SelectionChoice selections={selections} chosen={selection} search={search} />
        )}
      </div>
      <DiscoveryBar discovery={discovery} />
      <Loading query={query} rows={10} />
      {data?.computed_at === null && <NoClusters kind={kind} onDiscover={discover} isRunning={discovery.isRunning} />}
      {data !== undefined && data.computed_at !== null && (
        <ClustersView
          key={`${kind} ${selectionId}`}
          set={set}
          clusters={data.clusters}
          computedAt={data.computed_at}
          failureBy={data.failure_by}
          unassigned={data.unassigned}
        />
      )}
      {schedule !== undefined && form === 'schedule' && (
        <ScheduleForm kind={kind} schedule={schedule} onClose={close} />
      )}
      {schedule !== undefined && form === 'discovery' && (
        <DiscoveryForm kind={kind} selection={selection} discovery={discovery} initial={schedule} onClose={close} />
      )}
    </div>
  )
}

const KINDS = [
  ['requests', 'Requests', 'Traces by what their user asked for'],
  ['failures', 'Failures', 'Failed traces by what went wrong'],
] as const

const NO_SELECTIONS: ClusterSelectionList = { selections: [] }

function KindChoice({ kind: chosen, search }: { kind: ClusterKind; search: ClusterSearch }) {
  const navigate = useNavigate({ from: '/app/clusters' })
  return (
    <div role="group" aria-label="Clusters of" className="flex gap-1">
      {KINDS.map(([kind, label, title]) => (
        <Button
          key={kind}
          variant="ghost"
          title={title}
          aria-pressed={kind === chosen}
          onClick={() =>
            void navigate({
              search: changed(search, { kind: kind === 'failures' ? kind : undefined, cluster: undefined }),
            })
          }
          className="aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {label}
        </Button>
      ))}
    </div>
  )
}

function NoClusters({ kind, onDiscover, isRunning }: { kind: ClusterKind; isRunning: boolean; onDiscover(): void }) {
  const mayManage = useMay('manage')
  return (
    <EmptyState title={isRunning ? 'The first discovery is running' : 'No clusters yet'}>
      <p>
        {kind === 'failures'
          ? 'A discovery reads the failed traces of a time window, groups similar errors and names each group. It runs inside Spoor and needs at least 20 failed traces.'
          : 'A discovery reads the traces of a time window, groups similar requests and actions, names each group and reports groups with a high error rate. It runs inside Spoor and needs at least 20 traces.'}
      </p>
      {!isRunning && mayManage && (
        <Button variant="primary" onClick={onDiscover}>
          Discover clusters
        </Button>
      )}
    </EmptyState>
  )
}
