import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { clusterNamesQuery } from '../api/clusters.ts'
import { dashboardsQuery } from '../api/dashboards.ts'
import { idIn } from '../api/find-place.ts'
import { metricsQuery } from '../api/metrics.ts'
import { monitorsQuery } from '../api/monitors.ts'
import { projectsQuery } from '../api/projects.ts'
import { facetsQuery } from '../api/trace-facets.ts'
import { traceListQuery } from '../api/trace.ts'
import { viewsQuery } from '../api/views.ts'
import { webhooksQuery } from '../api/webhooks.ts'
import { useDebounced } from '../lib/hooks/use-debounced.ts'
import { useMay, useSession } from '../lib/hooks/use-session.ts'
import { hasKeys, runShortcut, useShortcutGroups, useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { SuggestBox, type Suggestion } from '../traces/filters/suggest-box.tsx'
import { useOpenPlace } from '../traces/filters/use-open-place.ts'
import { toViewSearch } from '../traces/views/view-search.ts'
import { Modal } from '../ui/modal.tsx'
import { useSwitchProject } from './project-menu.tsx'
import { SCREENS } from './screens.ts'

const OPENS = 'Ctrl+k'

/**
 * Ctrl-K opens a list of places and actions: screens, what can be done on this screen, what the project has, and what
 * the typed text names.
 */
export function Palette() {
  const [open, setOpen] = useState(false)
  useShortcuts('Global', { [OPENS]: { does: 'Go to or do … (also Cmd+k)', run: () => setOpen(true) } })
  const chosen = useRef<string | null>(null)
  const act = () => {
    if (chosen.current !== null) runShortcut(chosen.current)
    chosen.current = null
  }
  return (
    <Modal title="Go to" open={open} onOpenChange={setOpen} onClosed={act}>
      <Places onGone={() => setOpen(false)} onAction={(keys) => (chosen.current = keys)} />
    </Modal>
  )
}

/** `onAction`: called with the keys of an action, which is for when the dialog is gone. */
function Places({ onGone, onAction }: { onGone(): void; onAction(keys: string): void }) {
  const navigate = useNavigate()
  const { open } = useOpenPlace()
  // A key that several parts of a screen have does what the last of them says.
  const actions = new Map(useShortcutGroups().flatMap(({ shortcuts }) => Object.entries(shortcuts)))
  const withKeys = new Set([...actions].flatMap(([keys, { does }]) => (hasKeys(keys) ? [does] : [])))
  const [text, setText] = useState('')
  const wanted = text.trim()
  const objects = useObjects(wanted)
  const id = idIn(wanted)
  const search = () => void navigate({ to: '/app/traces', search: { q: wanted } })
  const typed: readonly Place[] =
    wanted === ''
      ? []
      : [
          ...(id === null
            ? []
            : [
                {
                  value: 'id',
                  label: id.id,
                  detail: id.kind,
                  // An id that names nothing is searched for.
                  go: () => void open(id).then((found) => found || search()),
                },
              ]),
          { value: 'search', label: wanted, detail: 'search traces', go: search },
        ]
  const places: readonly Place[] = [
    ...SCREENS.map(({ to, label, key }) => ({
      value: to,
      label,
      detail: `g ${key}`,
      go: () => void navigate({ to }),
    })),
    ...[...actions]
      // The screens are listed already, and so is an action of a menu that has a key.
      .filter(
        ([keys, { does, opensMenu }]) =>
          keys !== OPENS && !keys.startsWith('g ') && opensMenu !== true && (hasKeys(keys) || !withKeys.has(does)),
      )
      .map(([keys, { does }]) => ({
        value: `do ${keys}`,
        label: does,
        detail: hasKeys(keys) ? keys : 'action',
        go: () => onAction(keys),
      })),
    ...objects,
  ]
  const matching = places.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()))
  // An id comes first, a search last: words of a search are often also in a name, and so is what may be a session's id.
  const isFirst = id !== null && id.kind !== 'session'
  const shown = isFirst ? [...typed, ...matching] : [...matching, ...typed]
  return (
    <SuggestBox
      label="Screen, action, name, id or text"
      text={text}
      onText={setText}
      suggestions={shown}
      free={false}
      nothing="Nothing found"
      onChoose={({ value }) => {
        onGone()
        shown.find((place) => place.value === value)?.go()
      }}
    />
  )
}

interface Place extends Suggestion {
  go(): void
}

/** Of the newest traces, and of users and of sessions with the wanted text. */
const LISTED = 8
const SETTLED_MS = 120

/** What the project has, other projects, and the newest traces; users and sessions whose id has the wanted text. */
function useObjects(wanted: string): readonly Place[] {
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
