import { createContext, useEffect, useId, useSyncExternalStore } from 'react'
import { Listeners } from '../listeners.ts'

interface Shortcut {
  /** Description for the help. */
  readonly does: string
  /** It opens a menu, whose entries are listed as actions instead. */
  readonly opensMenu?: true
  run(event: KeyboardEvent): void
}

/**
 * By keys: one as named by `KeyboardEvent.key` (`j`, `Enter`, `?`), two in sequence (`g t`), or one with Ctrl or Cmd
 * (`Ctrl+k`), which works while typing too.
 */
export type Shortcuts = Readonly<Record<string, Shortcut>>

interface Group {
  readonly title: string
  readonly shortcuts: Shortcuts
}

/** What several screens have is listed below what is only on the current one, and that in this order. */
const LAST = ['Time range', 'Score', 'Global', 'Help']

/** The second key of a pair must follow within this time. */
const PAIR_MS = 1200

const groups = new Map<string, Group>()
const listeners = new Listeners()
let snapshot: readonly Group[] = []
let first: { readonly key: string; readonly at: number } | null = null

/** Enables shortcuts while the component is shown, except while typing. `?` lists them. */
export function useShortcuts(title: string, shortcuts: Shortcuts): void {
  const id = useId()
  useEffect(() => {
    set(id, { title, shortcuts })
  })
  useEffect(() => () => set(id, null), [id])
}

/** Stands before the label of an action without keys, in their place; no key has this name. */
const NO_KEYS = 'do '

export const hasKeys = (keys: string) => !keys.startsWith(NO_KEYS)

/** Whether buttons and menus are about the screen or what is selected there: Ctrl-K lists what they do. */
export const OfScreen = createContext(false)

/** Lists actions that have no key with Ctrl-K while the component is shown. */
export function useActions(actions: readonly { readonly label: string; run(): void }[]): void {
  useShortcuts(
    'Without a key',
    Object.fromEntries(actions.map(({ label, run }) => [NO_KEYS + label, { does: label, run }])),
  )
}

/** All active shortcuts and actions, in the order of the help. */
export function useShortcutGroups(): readonly Group[] {
  return useSyncExternalStore(listeners.subscribe, () => snapshot)
}

/** Does what a shortcut does now; nothing if it is no longer enabled. */
export function runShortcut(keys: string): void {
  find(keys)?.run(new KeyboardEvent('keydown'))
}

function set(id: string, group: Group | null): void {
  const listed = snapshot.map(describe).join('\n')
  if (group === null) groups.delete(id)
  else groups.set(id, group)
  const next = byTitle().toSorted((a, b) => LAST.indexOf(a.title) - LAST.indexOf(b.title))
  // Handlers change with every render; the help is redrawn only when descriptions change.
  if (next.map(describe).join('\n') === listed) return
  snapshot = next
  listeners.tell()
}

/** The shortcuts of one title are one group, whatever components have them. */
function byTitle(): readonly Group[] {
  const merged = new Map<string, Shortcuts>()
  for (const { title, shortcuts } of groups.values()) {
    if (Object.keys(shortcuts).length > 0) merged.set(title, { ...merged.get(title), ...shortcuts })
  }
  return [...merged].map(([title, shortcuts]) => ({ title, shortcuts }))
}

function describe({ title, shortcuts }: Group): string {
  return [title, ...Object.entries(shortcuts).map(([keys, { does }]) => `${keys} ${does}`)].join('\n')
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
}

function onKeyDown(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target, defaultPrevented, timeStamp } = event
  if (altKey || defaultPrevented) return
  // An open dialog or menu handles keys itself; a button handles Enter and the space bar.
  if (target instanceof HTMLElement && target.closest('[role=dialog], [role=menu], [role=listbox]') !== null) return
  if (ctrlKey || metaKey) {
    const combined = find(`Ctrl+${key}`)
    if (combined === undefined) return
    event.preventDefault()
    combined.run(event)
    return
  }
  if (isTyping(target)) return
  if ((key === 'Enter' || key === ' ') && target instanceof HTMLElement && target.matches('a, button, summary')) return
  const pair = first !== null && timeStamp - first.at < PAIR_MS ? `${first.key} ${key}` : null
  first = null
  const found = (pair === null ? undefined : find(pair)) ?? find(key)
  if (found !== undefined) {
    event.preventDefault()
    found.run(event)
    return
  }
  first = { key, at: timeStamp }
}

function find(keys: string): Shortcut | undefined {
  return [...groups.values()].map(({ shortcuts }) => shortcuts[keys]).findLast((shortcut) => shortcut !== undefined)
}

addEventListener('keydown', onKeyDown)
