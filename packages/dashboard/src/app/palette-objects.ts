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

/** Of the newest traces, and of users and of sessions with the wanted text. */
const LISTED = 8
const SETTLED_MS = 120

/** What the project has, other projects, and the newest traces; users and sessions whose id has the wanted text. */
export function useObjects(wanted: string): readonly Place[] {
  const navigate = useNavigate()
  const switchProject = useSwitchProject()
  const { project_id: ownId } = useSession()
  const enabled = useMay('read')
  const { data: dashboards = [] } = useQuery({ ...dashboardsQuery, enabled })
  const { data: views = [] } = useQuery({ ...viewsQuery, enabled })
  const { data: metrics = [] } = useQuery({ ...metricsQuery, enabled })
  const { data: monitors = [] } = useQuery({ ...monitorsQuery, enabled })
  const { data: clusters = [] } = useQuery({ ...clusterNamesQuery, enabled })
  const { data: webhooks = [] } = useQuery({ ...webhooksQuery(ownId), enabled })
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: useMay('admin') })
  const { data: newest } = useInfiniteQuery({ ...traceListQuery({ limit: LISTED }), enabled })
  const users = useIds('user_id', wanted)
  const sessions = useIds('session_id', wanted)
  const place =
    (detail: string) =>
    (id: string, label: string, go: () => Promise<void>): Place => ({
      value: `${detail} ${id}`,
      label,
      detail,
      go: () => void go(),
    })
  const [board, view, metric, monitor] = [place('dashboard'), place('view'), place('metric'), place('monitor')]
  const [cluster, webhook, user, session] = [place('cluster'), place('webhook'), place('user'), place('session')]
  return [
    ...dashboards.map(({ id, name }) =>
      board(id, name, () => navigate({ to: '/app/home', search: { dashboard: id } })),
    ),
    ...views.map((each) => view(each.id, each.name, () => navigate({ to: '/app/traces', search: toViewSearch(each) }))),
    ...metrics.map(({ name }) => metric(name, name, () => navigate({ to: '/app/metrics/$name', params: { name } }))),
    ...monitors.map(({ id, name }) =>
      monitor(id, name, () => navigate({ to: '/app/monitors/$monitorId', params: { monitorId: id } })),
    ),
    ...clusters.map(({ id, label }) =>
      cluster(id, label, () => navigate({ to: '/app/clusters/$clusterId', params: { clusterId: id } })),
    ),
    ...webhooks.map(({ id, url }) =>
      webhook(id, url, () => navigate({ to: '/app/webhooks/$webhookId', params: { webhookId: id } })),
    ),
    ...users.map((id) => user(id, id, () => navigate({ to: '/app/users/$userId', params: { userId: id } }))),
    ...sessions.map((id) =>
      session(id, id, () => navigate({ to: '/app/sessions/$sessionId', params: { sessionId: id } })),
    ),
    ...projects
      .filter(({ id }) => id !== ownId)
      .map(({ id, name }) => ({ value: id, label: name, detail: 'project', go: () => switchProject(id) })),
    ...(newest?.pages[0]?.traces ?? []).map(({ id, name, input_preview: input }) =>
      place('new trace')(id, input === null ? name : `${name}: ${input}`, () =>
        navigate({ to: '/app/traces/$traceId', params: { traceId: id } }),
      ),
    ),
  ]
}

function useIds(field: 'user_id' | 'session_id', wanted: string): readonly string[] {
  const settled = useDebounced(wanted, SETTLED_MS)
  const enabled = useMay('read') && settled !== ''
  const { data } = useQuery({ ...facetsQuery('traces', field, settled), enabled })
  return enabled ? (data?.values ?? []).slice(0, LISTED).map(({ value }) => value) : []
}
