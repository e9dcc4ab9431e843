import type { DiscoveryBody, DiscoveryJob } from '@spoor/contract/schemas/cluster'
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { CLUSTERS_KEY, discoverClusters, isOpen, newestDiscoveryQuery } from '../../api/clusters.ts'
import { sessionQuery } from '../../api/client/session.ts'
import { useNow } from '../../ui/time.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { isOtherJob } from './discovery-words.ts'
import { usePutAwayJob } from './use-put-away-job.ts'

export interface Discovery {
  /** The one that is under way, whoever began it, or ended lately and was not put away. */
  readonly job: DiscoveryJob | null
  readonly isRunning: boolean
  readonly isStarting: boolean
  readonly startError: unknown
  start(body: Required<DiscoveryBody>, onStarted: () => void): void
  clearError(): void
  putAway(): void
}

/** Longer ago it is no news. */
const NEWS_MS = 10 * 60_000

/** The discovery of the project that is signed in to. When one ends, what was read of clusters is read anew. */
export function useDiscovery(): Discovery {
  const queryClient = useQueryClient()
  const toast = useToast()
  const now = useNow()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const [putAwayId, putAway] = usePutAwayJob(session?.project_id ?? '')
  const { data: job } = useQuery(newestDiscoveryQuery)

  const endedId = job === undefined ? undefined : job === null || isOpen(job) ? null : job.id
  const lastEndedId = useRef(endedId)
  useEffect(() => {
    const before = lastEndedId.current
    lastEndedId.current = endedId
    // One that had ended before the first look is in what is read anyway; short ones begin and end between two looks.
    if (before === undefined || endedId === undefined || endedId === null || endedId === before) return
    void queryClient.invalidateQueries({ queryKey: CLUSTERS_KEY })
  }, [endedId, queryClient])

  const begin = useMutation({
    mutationFn: async (body: Required<DiscoveryBody>) => {
      // There is a first look before it.
      await queryClient.ensureQueryData(newestDiscoveryQuery)
      const { job_id } = await discoverClusters(body)
      // A look that is on its way may not see it yet.
      await queryClient.cancelQueries({ queryKey: newestDiscoveryQuery.queryKey })
      const begun = await queryClient.fetchQuery({ ...newestDiscoveryQuery, staleTime: 0 })
      return begun?.id === job_id && isOtherJob(begun, body)
    },
    onSuccess: (isOther) => {
      if (isOther) toast({ kind: 'ok', text: 'Another discovery was under way already. This is how far it is.' })
    },
  })
  const isNews = (of: DiscoveryJob) =>
    of.finished_at === null || (now - Date.parse(of.finished_at) < NEWS_MS && of.id !== putAwayId)
  return {
    job: job !== undefined && job !== null && isNews(job) ? job : null,
    isRunning: isOpen(job),
    isStarting: begin.isPending,
    startError: begin.error,
    start: (body, onStarted) => begin.mutate(body, { onSuccess: onStarted }),
    clearError: () => begin.reset(),
    putAway: () => putAway(job?.id ?? null),
  }
}
