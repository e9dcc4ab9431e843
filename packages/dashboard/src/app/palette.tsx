import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { idIn } from '../api/find-place.ts'
import { hasKeys, runShortcut, useShortcutGroups, useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { SuggestBox } from '../traces/filters/suggest-box.tsx'
import { useOpenPlace } from '../traces/filters/use-open-place.ts'
import { Modal } from '../ui/modal.tsx'
import { type Place, useObjects } from './palette-objects.ts'
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
