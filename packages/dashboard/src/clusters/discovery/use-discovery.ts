import type { DiscoveryBody, DiscoveryJob } from '@spoor/contract/schemas/cluster'
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { CLUSTERS_KEY, discoverClusters, discoveryQuery, hasEnded } from '../../api/clusters.ts'
import { sessionQuery } from '../../api/session.ts'
import { useNow } from '../../ui/time.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { isOtherJob } from './discovery-words.ts'
import { useRememberedJob } from './use-remembered-job.ts'

export interface Discovery {
  /** The one that is under way, or ended lately and was not put away. */
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

/** The discovery of the project that is signed in to. When it ends, what was read of clusters is read anew. */
export function useDiscovery(): Discovery {
  const queryClient = useQueryClient()
  const toast = useToast()
  const now = useNow()
  const { data: session } = useSuspenseQuery(sessionQuery)
  const [jobId, remember] = useRememberedJob(session?.project_id ?? '')
  const { data: job, error } = useQuery(discoveryQuery(jobId))

  const ended = hasEnded(job)
  useEffect(() => {
    if (ended) void queryClient.invalidateQueries({ queryKey: CLUSTERS_KEY })
  }, [ended, jobId, queryClient])
  const gone = error !== null && asApiError(error).status === 404
  const forget = useEffectEvent(() => remember(null))
  useEffect(() => {
    if (gone) forget()
  }, [gone])

  const begin = useMutation({
    mutationFn: async (body: Required<DiscoveryBody>) => {
      const { job_id } = await discoverClusters(body)
      remember(job_id)
      const begun = await queryClient.fetchQuery({ ...discoveryQuery(job_id), staleTime: 0 })
      return isOtherJob(begun, body)
    },
    onSuccess: (isOther) => {
      if (isOther) toast({ kind: 'ok', text: 'Another discovery was under way already. This is how far it is.' })
    },
  })
  const isNews = job !== undefined && (job.finished_at === null || now - Date.parse(job.finished_at) < NEWS_MS)
  return {
    job: isNews && jobId === job.id ? job : null,
    isRunning: job !== undefined && jobId === job.id && !ended,
    isStarting: begin.isPending,
    startError: begin.error,
    start: (body, onStarted) => begin.mutate(body, { onSuccess: onStarted }),
    clearError: () => begin.reset(),
    putAway: () => remember(null),
  }
}
