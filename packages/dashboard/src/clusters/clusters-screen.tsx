import type { ClusterKind } from '@spoor/contract/schemas/cluster'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate, useSearch } from '@tanstack/react-router'
import { CalendarSync, Shapes } from 'lucide-react'
import { useState } from 'react'
import { clusterScheduleQuery, clustersQuery } from '../api/clusters.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { Button } from '../ui/button.tsx'
import { PageHeader } from '../ui/page.tsx'
import { Loading, EmptyState } from '../ui/states.tsx'
import { Time } from '../ui/time.tsx'
import { ClustersView } from './clusters-view.tsx'
import { DiscoveryBar } from './discovery/discovery-bar.tsx'
import { DiscoveryForm, ScheduleForm } from './discovery/discovery-forms.tsx'
import { hoursInWords } from './discovery/discovery-words.ts'
import { useDiscovery } from './discovery/use-discovery.ts'

export const route = createLazyRoute('/app/clusters')({ component: ClustersScreen })

function ClustersScreen() {
  const { kind = 'requests' } = useSearch({ from: '/app/clusters' })
  const query = useQuery(clustersQuery(kind))
  const { data } = query
  const { data: schedule } = useQuery(clusterScheduleQuery(kind))
  const discovery = useDiscovery(kind)
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
              <Button icon={CalendarSync} onClick={() => setForm('schedule')} disabled={schedule === undefined}>
                {schedule?.enabled === true ? `Every ${hoursInWords(schedule.every_hours)}` : 'Schedule: off'}
              </Button>
              <Button icon={Shapes} variant="primary" onClick={discover} disabled={discovery.isRunning}>
                Discover clusters
              </Button>
            </>
          )
        }
      />
      <KindChoice kind={kind} />
      <DiscoveryBar discovery={discovery} />
      <Loading query={query} rows={10} />
      {data?.computed_at === null && <NoClusters kind={kind} onDiscover={discover} isRunning={discovery.isRunning} />}
      {data !== undefined && data.computed_at !== null && (
        <ClustersView
          key={kind}
          kind={kind}
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
        <DiscoveryForm kind={kind} discovery={discovery} initial={schedule} onClose={close} />
      )}
    </div>
  )
}

const KINDS = [
  ['requests', 'Requests', 'Traces by what their user asked for'],
  ['failures', 'Failures', 'Failed traces by what went wrong'],
] as const

function KindChoice({ kind: chosen }: { kind: ClusterKind }) {
  const navigate = useNavigate({ from: '/app/clusters' })
  return (
    <div role="group" aria-label="Clusters of" className="flex gap-1 border-b px-4 py-2">
      {KINDS.map(([kind, label, title]) => (
        <Button
          key={kind}
          variant="ghost"
          title={title}
          aria-pressed={kind === chosen}
          onClick={() => void navigate({ search: kind === 'failures' ? { kind } : {} })}
          className="aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {label}
        </Button>
      ))}
    </div>
  )
}

interface NoClustersProps {
  readonly kind: ClusterKind
  readonly isRunning: boolean
  onDiscover(): void
}

function NoClusters({ kind, onDiscover, isRunning }: NoClustersProps) {
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
