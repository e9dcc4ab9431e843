import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()

/**
 * The discovery of a project that was begun in this browser, until it is put away: the service tells of a job by its id alone, and one should be seen to run
 * after a reload and in other tabs, too.
 */
export function useRememberedJob(projectId: string) {
  const name = `spoor.discovery.${projectId}`
  const jobId = useSyncExternalStore(subscribe, () => localStorage.getItem(name))
  const remember = (id: string | null) => {
    if (id === null) localStorage.removeItem(name)
    else localStorage.setItem(name, id)
    for (const listener of listeners) listener()
  }
  return [jobId, remember] as const
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}
