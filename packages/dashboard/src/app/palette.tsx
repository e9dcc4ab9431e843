import { useInfiniteQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { idIn } from '../api/find-place.ts'
import { projectsQuery } from '../api/projects.ts'
import { sessionQuery } from '../api/client/session.ts'
import { traceListQuery } from '../api/trace.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { SuggestBox, type Suggestion } from '../traces/filters/suggest-box.tsx'
import { useOpenPlace } from '../traces/filters/use-open-place.ts'
import { Modal } from '../ui/modal.tsx'
import { SCREENS } from './screens.ts'
import { useSwitchProject } from './project-menu.tsx'

const NEWEST = 8

/** Ctrl-K opens a list of places: screens, other projects, the newest traces, and what the typed text names. */
export function Palette() {
  const [open, setOpen] = useState(false)
  useShortcuts('Global', { 'Ctrl+k': { does: 'Go to … (also Cmd+k)', run: () => setOpen(true) } })
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
  const { data: newest } = useInfiniteQuery({ ...traceListQuery({ limit: NEWEST }), enabled: useMay('read') })
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
      label="Screen, project, trace, id or text"
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
