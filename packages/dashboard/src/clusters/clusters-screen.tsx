import { useQuery } from '@tanstack/react-query'
import { createLazyRoute } from '@tanstack/react-router'
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
  const query = useQuery(clustersQuery)
  const { data } = query
  const { data: schedule } = useQuery(clusterScheduleQuery)
  const discovery = useDiscovery()
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
      <DiscoveryBar discovery={discovery} />
      <Loading query={query} rows={10} />
      {data?.computed_at === null && <NoClusters onDiscover={discover} isRunning={discovery.isRunning} />}
      {data !== undefined && data.computed_at !== null && (
        <ClustersView
          clusters={data.clusters}
          computedAt={data.computed_at}
          failureBy={data.failure_by}
          unassigned={data.unassigned}
        />
      )}
      {schedule !== undefined && form === 'schedule' && <ScheduleForm schedule={schedule} onClose={close} />}
      {schedule !== undefined && form === 'discovery' && (
        <DiscoveryForm discovery={discovery} initial={schedule} onClose={close} />
      )}
    </div>
  )
}

function NoClusters({ onDiscover, isRunning }: { onDiscover: () => void; isRunning: boolean }) {
  const mayManage = useMay('manage')
  return (
    <EmptyState title={isRunning ? 'The first discovery is running' : 'No clusters yet'}>
      <p>
        A discovery reads the traces of a time window, groups similar requests and actions, names each group and reports
        groups with a high error rate. It runs inside Spoor and needs at least 20 traces.
      </p>
      {!isRunning && mayManage && (
        <Button variant="primary" onClick={onDiscover}>
          Discover clusters
        </Button>
      )}
    </EmptyState>
  )
}
