import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { idIn } from '../api/find-place.ts'
import { clusterNamesQuery } from '../api/clusters.ts'
import { metricsQuery } from '../api/metrics.ts'
import { monitorsQuery } from '../api/monitors.ts'
import { projectsQuery } from '../api/projects.ts'
import { viewsQuery } from '../api/views.ts'
import { sessionQuery } from '../api/client/session.ts'
import { traceListQuery } from '../api/trace.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { runShortcut, useShortcutGroups, useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { SuggestBox, type Suggestion } from '../traces/filters/suggest-box.tsx'
import { toViewSearch } from '../traces/views/view-search.ts'
import { useOpenPlace } from '../traces/filters/use-open-place.ts'
import { Modal } from '../ui/modal.tsx'
import { SCREENS } from './screens.ts'
import { useSwitchProject } from './project-menu.tsx'

const NEWEST = 8
const OPENS = 'Ctrl+k'

/**
 * Ctrl-K opens a list of places and actions: screens, what the shortcuts of this screen do, other projects, views,
 * metrics, monitors, clusters, the newest traces, and what the typed text names.
 */
export function Palette() {
  const [open, setOpen] = useState(false)
  useShortcuts('Global', { [OPENS]: { does: 'Go to or do … (also Cmd+k)', run: () => setOpen(true) } })
  return (
    <Modal title="Go to" open={open} onOpenChange={setOpen}>
      <Places onGone={() => setOpen(false)} />
    </Modal>
  )
}

interface Place extends Suggestion {
  go(): void
}

function Places({ onGone }: { onGone(): void }) {
  const navigate = useNavigate()
  const switchProject = useSwitchProject()
  const { open } = useOpenPlace()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: useMay('admin') })
  const enabled = useMay('read')
  const { data: newest } = useInfiniteQuery({ ...traceListQuery({ limit: NEWEST }), enabled })
  const { data: views = [] } = useQuery({ ...viewsQuery, enabled })
  const { data: metrics = [] } = useQuery({ ...metricsQuery, enabled })
  const { data: monitors = [] } = useQuery({ ...monitorsQuery, enabled })
  const { data: clusters = [] } = useQuery({ ...clusterNamesQuery, enabled })
  // A key that several parts of a screen have does what the last of them says.
  const actions = new Map(useShortcutGroups().flatMap(({ shortcuts }) => Object.entries(shortcuts)))
  const [text, setText] = useState('')
  const wanted = text.trim()
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
      // The screens are listed already.
      .filter(([keys]) => keys !== OPENS && !keys.startsWith('g '))
      .map(([keys, { does }]) => ({
        value: `do ${keys}`,
        label: does,
        detail: keys,
        // Once the dialog has given the focus back.
        go: () => void setTimeout(() => runShortcut(keys)),
      })),
    ...views.map((view) => ({
      value: view.id,
      label: view.name,
      detail: 'view',
      go: () => void navigate({ to: '/app/traces', search: toViewSearch(view) }),
    })),
    ...metrics.map(({ name }) => ({
      value: `metric ${name}`,
      label: name,
      detail: 'metric',
      go: () => void navigate({ to: '/app/metrics/$name', params: { name } }),
    })),
    ...monitors.map(({ id: monitorId, name }) => ({
      value: monitorId,
      label: name,
      detail: 'monitor',
      go: () => void navigate({ to: '/app/monitors/$monitorId', params: { monitorId } }),
    })),
    ...clusters.map(({ id: clusterId, label }) => ({
      value: clusterId,
      label,
      detail: 'cluster',
      go: () => void navigate({ to: '/app/clusters/$clusterId', params: { clusterId } }),
    })),
    ...projects
      .filter((project) => project.id !== session?.project_id)
      .map((project) => ({
        value: project.id,
        label: project.name,
        detail: 'project',
        go: () => switchProject(project.id),
      })),
    ...(newest?.pages[0]?.traces ?? []).map(({ id: traceId, name, input_preview: input }) => ({
      value: traceId,
      label: input === null ? name : `${name}: ${input}`,
      detail: 'new trace',
      go: () => void navigate({ to: '/app/traces/$traceId', params: { traceId } }),
    })),
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
