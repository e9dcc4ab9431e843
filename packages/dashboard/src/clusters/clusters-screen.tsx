import type {
  ClusterKind,
  ClusterSelection,
  ClusterSelectionList,
  SelectionFilters,
} from '@spoor/contract/schemas/cluster'
import { useQuery } from '@tanstack/react-query'
import { Link, createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router'
import { CalendarSync, Shapes, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  CLUSTERS_KEY,
  type ClusterSet,
  clusterNamesQuery,
  clusterScheduleQuery,
  clustersQuery,
  deleteSelection,
  selectionsQuery,
} from '../api/clusters.ts'
import { changed } from '../lib/search.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { filterLabel, filtersOf, filterValueLabel } from '../traces/filters/feed-filters.ts'
import { feedSearch, type FeedSearch } from '../traces/filters/search.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Select } from '../ui/field.tsx'
import { PageHeader } from '../ui/page.tsx'
import { Loading, EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { useAction } from '../ui/use-action.ts'
import { ClustersView } from './clusters-view.tsx'
import type { ClusterSearch } from './search.ts'
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

interface SelectionChoiceProps {
  readonly selections: readonly ClusterSelection[]
  readonly chosen: ClusterSelection | null
  readonly search: ClusterSearch
}

/** All traces, or a selection: then also its traces and its deletion. */
function SelectionChoice({ selections, chosen, search }: SelectionChoiceProps) {
  const navigate = useNavigate({ from: '/app/clusters' })
  const mayManage = useMay('manage')
  const { data: clusters = [] } = useQuery(clusterNamesQuery)
  const show = (selection: string | undefined) =>
    void navigate({ search: changed(search, { selection, cluster: undefined }) })
  const removal = useAction(deleteSelection, { refresh: [CLUSTERS_KEY], onSuccess: () => show(undefined) })
  return (
    <>
      <Select
        aria-label="Traces"
        className="max-w-full min-w-0 sm:max-w-96"
        value={chosen?.id ?? ''}
        options={[
          ['', 'All traces'],
          ...selections.map(({ id, filters }) => [id, selectionInWords(filters, clusters)] as const),
        ]}
        onChoice={(id) => show(id === '' ? undefined : id)}
      />
      {chosen !== null && (
        <>
          <Link
            to="/app/traces"
            search={searchOfSelection(chosen.filters)}
            className="text-accent self-center text-sm underline"
          >
            View its traces
          </Link>
          {mayManage && (
            <ConfirmButton
              icon={Trash2}
              variant="ghost"
              title="Delete the selection"
              text="Its clusters are deleted. The traces stay."
              confirm="Delete"
              onConfirm={() => removal.mutate(chosen.id)}
            >
              Delete
            </ConfirmButton>
          )}
        </>
      )}
    </>
  )
}

/** The address of the list of the traces of a selection. */
function searchOfSelection({ metadata = {}, start_time: from, end_time: to, ...fields }: SelectionFilters) {
  const meta = Object.entries(metadata).map(([key, value]) => (value === null ? [key] : [key, value]))
  return feedSearch({ range: 'all', ...fields, from, to, meta })
}

/** "Status failed, env prod". */
function selectionInWords(filters: SelectionFilters, clusters: readonly { id: string; label: string }[]): string {
  const search: FeedSearch = searchOfSelection(filters)
  const words = filtersOf(search).map((filter) => {
    const value = filterValueLabel(filter)
    return `${filterLabel(filter)} ${clusters.find(({ id }) => id === value)?.label ?? value}`
  })
  const times = [
    filters.start_time !== undefined && `from ${filters.start_time}`,
    filters.end_time !== undefined && `to ${filters.end_time}`,
  ].filter((text) => text !== false)
  return [...words, ...(search.q === undefined ? [] : [`“${search.q}”`]), ...times].join(', ')
}
