import type { DiscoveryBody, DiscoveryJob } from '@spoor/contract/schemas/cluster'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { CLUSTERS_KEY, type ClusterSet, discoverClusters, isOpen, newestDiscoveryQuery } from '../../api/clusters.ts'
import { sessionQuery } from '../../api/client/session.ts'
import { store, useStored } from '../../lib/hooks/use-stored.ts'
import { useNow } from '../../ui/time.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { isOtherJob } from './discovery-words.ts'

export type Discovery = ReturnType<typeof useDiscovery>

/** An older result is not shown. */
const NEWS_MS = 10 * 60_000

/** The latest discovery of the session's project. When one ends, all cluster data is refetched. */
export function useDiscovery(set: ClusterSet) {
  const newestQuery = newestDiscoveryQuery(set)
  const name = `${set.kind}${set.selection_id ?? ''}`
  const queryClient = useQueryClient()
  const toast = useToast()
  const now = useNow()
  const { data: session } = useSuspenseQuery(sessionQuery)
  /** The discovery whose result was dismissed, in this tab or another. */
  const dismissed = `spoor.discovery-read.${session?.project_id ?? ''}.${name}`
  const dismissedId = useStored(localStorage, dismissed)
  const { data: job } = useQuery(newestQuery)

  const endedId = job === undefined ? undefined : job === null || isOpen(job) ? null : job.id
  const lastEnded = useRef({ name, endedId })
  useEffect(() => {
    const before = lastEnded.current.name === name ? lastEnded.current.endedId : undefined
    lastEnded.current = { name, endedId }
    // A discovery that ended before the first poll is already in the data. A short one may start and end between two
    // polls.
    if (before === undefined || endedId === undefined || endedId === null || endedId === before) return
    void queryClient.invalidateQueries({ queryKey: CLUSTERS_KEY })
  }, [name, endedId, queryClient])

  const start = async (body: DiscoveryBody) => {
    // Polls once before, to know the latest earlier job.
    await queryClient.ensureQueryData(newestQuery)
    const { job_id } = await discoverClusters(body)
    // A poll that is in flight may not see the new job yet.
    await queryClient.cancelQueries({ queryKey: newestQuery.queryKey })
    const begun = await queryClient.fetchQuery({ ...newestQuery, staleTime: 0 })
    if (begun?.id === job_id && isOtherJob(begun, body))
      toast({ kind: 'ok', text: 'A discovery is already running. This is its progress.' })
  }
  const isNews = (of: DiscoveryJob) =>
    of.finished_at === null || (now - Date.parse(of.finished_at) < NEWS_MS && of.id !== dismissedId)
  return {
    /** The running one of any client, or a recent one that was not dismissed. */
    job: job !== undefined && job !== null && isNews(job) ? job : null,
    isRunning: isOpen(job),
    start,
    dismiss: () => store(localStorage, dismissed, job?.id ?? null),
  }
}
