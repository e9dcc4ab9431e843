import { createRootRouteWithContext, createRoute, createRouter, type LazyRoute, redirect } from '@tanstack/react-router'
import type { Session } from '@spoor/contract/schemas/session'
import { fromAddress, toAddress } from '../api/client/current-project.ts'
import { clusterSearch } from '../clusters/search.ts'
import { compareSearch } from '../compare/search.ts'
import { metricSearch } from '../metrics/search.ts'
import { monitorSearch } from '../monitors/search.ts'
import { readTimeRangeSearch } from '../lib/time-range.ts'
import { summarySearch } from '../sessions/search.ts'
import { settingsSearch } from '../settings/search.ts'
import { noteOrigin } from '../trace/origin/trace-origin.ts'
import { traceSearch } from '../trace/search.ts'
import { feedSearch } from '../traces/filters/search.ts'
import { toFeedRequest, withMetrics } from '../traces/list/feed-request.ts'
import { shownLook } from '../traces/list/list-look.ts'
import { webhookSearch } from '../webhooks/deliveries/search.ts'
import { homeSearch } from '../home/search.ts'
import { keepRange, noteRange } from './kept-range.ts'
import { NotFound, ScreenError } from './screen-error.tsx'
import { loadScreen } from './script-error.ts'
import { Shell } from './shell.tsx'
import { validSearch } from './valid-search.ts'

/**
 * The screens, each loaded when it is first opened. Their paths start with /app, because /metrics and /docs belong to
 * the service. In the address bar the project follows, as in /app/p/proj_…/traces; see `rewrite` below.
 */
const root = createRootRouteWithContext<{ session: Session }>()({ component: Shell, notFoundComponent: NotFound })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/app/home', replace: true })
  },
})
const app = createRoute({
  getParentRoute: () => root,
  path: '/app',
  beforeLoad: ({ location }) => {
    if (location.pathname.replace(/\/$/, '') === '/app') throw redirect({ to: '/app/home', replace: true })
  },
})

/** One range of time for all screens. */
const KEEPS_RANGE = { search: { middlewares: [keepRange] } }

/** A screen: its path below /app, how its search parameters are read, and its script. */
const screen = <const Path extends string, Search extends object>(
  path: Path,
  read: (raw: Record<string, unknown>) => Search,
  load: () => Promise<unknown>,
  keeps: Partial<typeof KEEPS_RANGE> = {},
) => {
  const route = createRoute({ getParentRoute: () => app, path, validateSearch: validSearch(read), ...keeps })
  route.lazy(() => loadScreen(load as () => Promise<{ readonly route: LazyRoute<typeof route> }>))
  return route
}

const start = screen('home', homeSearch, () => import('../home/home-screen.tsx'), KEEPS_RANGE)
const traces = screen('traces', feedSearch, () => import('../explore/explore-screen.tsx'), KEEPS_RANGE)
const trace = screen('traces/$traceId', traceSearch, () => import('../trace/trace-screen.tsx'))
const compare = screen('traces/compare', compareSearch, () => import('../compare/compare-screen.tsx'))
const sessions = screen('sessions', summarySearch, () => import('../sessions/sessions-screen.tsx'), KEEPS_RANGE)
const users = screen('users', summarySearch, () => import('../sessions/users-screen.tsx'), KEEPS_RANGE)
const user = screen('users/$userId', readTimeRangeSearch, () => import('../sessions/user-screen.tsx'), KEEPS_RANGE)
const metrics = screen('metrics', metricSearch, () => import('../metrics/metrics-screen.tsx'), KEEPS_RANGE)
/** A metric is a measure of the chart. */
const metric = createRoute({
  getParentRoute: () => app,
  path: 'metrics/$name',
  validateSearch: validSearch(readTimeRangeSearch),
  beforeLoad: ({ params: { name }, search }) => {
    throw redirect({ to: '/app/traces', search: { ...search, as: 'chart', measure: `metric.${name}` }, replace: true })
  },
})
const monitors = screen('monitors', monitorSearch, () => import('../monitors/monitors-screen.tsx'))
const monitor = screen(
  'monitors/$monitorId',
  monitorSearch,
  () => import('../monitors/monitor-screen.tsx'),
  KEEPS_RANGE,
)
const clusters = screen('clusters', clusterSearch, () => import('../clusters/clusters-screen.tsx'))
const cluster = screen('clusters/$clusterId', clusterSearch, () => import('../clusters/cluster-screen.tsx'))
const versions = screen(
  'versions',
  () => ({}),
  () => import('../versions/versions-screen.tsx'),
)
const webhooks = screen('webhooks', webhookSearch, () => import('../webhooks/webhooks-screen.tsx'))
const webhook = screen(
  'webhooks/$webhookId',
  webhookSearch,
  () => import('../webhooks/webhook-screen.tsx'),
  KEEPS_RANGE,
)
const settings = screen('settings', settingsSearch, () => import('../settings/settings-screen.tsx'))
const session = createRoute({ getParentRoute: () => app, path: 'sessions/$sessionId' }).lazy(() =>
  loadScreen(() => import('../sessions/session-screen.tsx')),
)

function withPath(url: URL, pathname: string): URL {
  url.pathname = pathname
  return url
}

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    app.addChildren([
      start,
      traces,
      trace,
      compare,
      sessions,
      session,
      users,
      user,
      metrics,
      metric,
      monitors,
      monitor,
      clusters,
      cluster,
      versions,
      webhooks,
      webhook,
      settings,
    ]),
  ]),
  // Provided at render time by the session gate.
  context: { session: undefined as unknown as Session },
  rewrite: {
    input: ({ url }) => withPath(url, fromAddress(url.pathname)),
    output: ({ url }) => withPath(url, toAddress(url.pathname)),
  },
  defaultPreload: 'intent',
  defaultErrorComponent: ScreenError,
  scrollRestoration: true,
})

router.subscribe('onBeforeNavigate', ({ fromLocation, toLocation }) => {
  noteRange(toLocation.search)
  noteOrigin(fromLocation, toLocation, sessionStorage, (search) => {
    const left = feedSearch({ ...search })
    return withMetrics(toFeedRequest(left, 'traces'), shownLook(left, localStorage))
  })
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
