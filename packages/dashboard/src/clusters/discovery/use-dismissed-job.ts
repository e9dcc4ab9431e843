import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()

/** The discovery whose result was dismissed, in this tab or another. */
export function useDismissedJob(projectId: string) {
  const name = `spoor.discovery-read.${projectId}`
  const jobId = useSyncExternalStore(subscribe, () => localStorage.getItem(name))
  const dismiss = (id: string | null) => {
    if (id === null) localStorage.removeItem(name)
    else localStorage.setItem(name, id)
    for (const listener of listeners) listener()
  }
  return [jobId, dismiss] as const
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}
