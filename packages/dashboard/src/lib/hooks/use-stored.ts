import { useSyncExternalStore } from 'react'
import { Listeners } from '../listeners.ts'

const listeners = new Listeners()
addEventListener('storage', () => listeners.tell())

/** A text that the browser keeps for this page, as it is changed here or in another tab; null if there is none. */
export function useStored(storage: Storage, name: string): string | null {
  return useSyncExternalStore(listeners.subscribe, () => storage.getItem(name))
}

export function store(storage: Storage, name: string, text: string | null): void {
  if (text === null) storage.removeItem(name)
  else storage.setItem(name, text)
  listeners.tell()
}
