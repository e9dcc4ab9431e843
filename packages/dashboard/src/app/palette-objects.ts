import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clusterNamesQuery } from '../api/clusters.ts'
import { dashboardsQuery } from '../api/dashboards.ts'
import { metricsQuery } from '../api/metrics.ts'
import { monitorsQuery } from '../api/monitors.ts'
import { projectsQuery } from '../api/projects.ts'
import { traceListQuery } from '../api/trace.ts'
import { facetsQuery } from '../api/trace-facets.ts'
import { viewsQuery } from '../api/views.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { useDebounced } from '../lib/hooks/use-debounced.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import type { Suggestion } from '../traces/filters/suggest-box.tsx'
import { toViewSearch } from '../traces/views/view-search.ts'
import { useSwitchProject } from './project-menu.tsx'

export interface Place extends Suggestion {
  go(): void
}

/** What the project has, other projects, and the newest traces; users and sessions whose id has the wanted text. */
export function useObjects(wanted: string): readonly Place[] {
  return [...useNamed(), ...useSenders(wanted), ...useProjects(), ...useNewest()]
}

function useNamed(): readonly Place[] {
  const navigate = useNavigate()
  const { project_id: projectId } = useSession()
  const enabled = useMay('read')
  const { data: dashboards = [] } = useQuery({ ...dashboardsQuery, enabled })
  const { data: views = [] } = useQuery({ ...viewsQuery, enabled })
  const { data: metrics = [] } = useQuery({ ...metricsQuery, enabled })
  const { data: monitors = [] } = useQuery({ ...monitorsQuery, enabled })
  const { data: clusters = [] } = useQuery({ ...clusterNamesQuery, enabled })
  const { data: webhooks = [] } = useQuery({ ...webhooksQuery(projectId), enabled })
  const place = (value: string, label: string, detail: string, to: Parameters<typeof navigate>[0]): Place => ({
    value,
    label,
    detail,
    go: () => void navigate(to),
  })
  return [
    ...dashboards.map(({ id, name }) => place(id, name, 'dashboard', { to: '/app/home', search: { dashboard: id } })),
    ...views.map((view) => place(view.id, view.name, 'view', { to: '/app/traces', search: toViewSearch(view) })),
    ...metrics.map(({ name }) =>
      place(`metric ${name}`, name, 'metric', { to: '/app/metrics/$name', params: { name } }),
    ),
    ...monitors.map(({ id: monitorId, name }) =>
      place(monitorId, name, 'monitor', { to: '/app/monitors/$monitorId', params: { monitorId } }),
    ),
    ...clusters.map(({ id: clusterId, label }) =>
      place(clusterId, label, 'cluster', { to: '/app/clusters/$clusterId', params: { clusterId } }),
    ),
    ...webhooks.map(({ id: webhookId, url, description }) =>
      place(webhookId, description === '' ? url : `${description}: ${url}`, 'webhook', {
        to: '/app/webhooks/$webhookId',
        params: { webhookId },
      }),
    ),
  ]
}

const SETTLED_MS = 120
/** More would hide what follows. */
const SENDERS = 8

function useSenders(wanted: string): readonly Place[] {
  const navigate = useNavigate()
  const settled = useDebounced(wanted, SETTLED_MS)
  const enabled = useMay('read') && settled !== ''
  const { data: users } = useQuery({ ...facetsQuery('traces', 'user_id', settled), enabled })
  const { data: sessions } = useQuery({ ...facetsQuery('traces', 'session_id', settled), enabled })
  if (!enabled) return []
  return [
    ...(users?.values ?? []).slice(0, SENDERS).map(({ value: userId }) => ({
      value: `user ${userId}`,
      label: userId,
      detail: 'user',
      go: () => void navigate({ to: '/app/users/$userId', params: { userId } }),
    })),
    ...(sessions?.values ?? []).slice(0, SENDERS).map(({ value: sessionId }) => ({
      value: `session ${sessionId}`,
      label: sessionId,
      detail: 'session',
      go: () => void navigate({ to: '/app/sessions/$sessionId', params: { sessionId } }),
    })),
  ]
}

function useProjects(): readonly Place[] {
  const switchProject = useSwitchProject()
  const { project_id: ownId } = useSession()
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: useMay('admin') })
  return projects
    .filter(({ id }) => id !== ownId)
    .map(({ id, name }) => ({ value: id, label: name, detail: 'project', go: () => switchProject(id) }))
}

const NEWEST = 8

function useNewest(): readonly Place[] {
  const navigate = useNavigate()
  const { data } = useInfiniteQuery({ ...traceListQuery({ limit: NEWEST }), enabled: useMay('read') })
  return (data?.pages[0]?.traces ?? []).map(({ id: traceId, name, input_preview: input }) => ({
    value: traceId,
    label: input === null ? name : `${name}: ${input}`,
    detail: 'new trace',
    go: () => void navigate({ to: '/app/traces/$traceId', params: { traceId } }),
  }))
}
