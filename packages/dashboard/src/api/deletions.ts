import type { DeletionAccepted, DeletionBody, DeletionCount, Job } from '@spoor/contract/schemas/deletion'
import { queryOptions } from '@tanstack/react-query'
import { post, request } from './client/request.ts'

const POLL_MS = 1000

/** How many traces match now. */
export const matchingQuery = (body: DeletionBody) =>
  queryOptions({
    queryKey: ['deletion-count', body],
    queryFn: ({ signal }) =>
      request<DeletionCount>('/v1/traces/delete', {
        method: 'POST',
        body: { ...body, dry_run: true },
        signal,
      }),
    staleTime: 0,
    retry: false,
  })

export const deleteMatching = (body: DeletionBody) => post<DeletionAccepted>('/v1/traces/delete', body)
export const deleteUser = (userId: string) =>
  request<DeletionAccepted>(`/v1/users/${encodeURIComponent(userId)}`, { method: 'DELETE' })
export const cancelJob = (id: string) => request<Job>(`/v1/jobs/${id}`, { method: 'DELETE' })

export const isOpen = ({ status }: Job) => status === 'queued' || status === 'running'

/** Read each second until it has ended. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['job', id],
    queryFn: ({ signal }) => request<Job>(`/v1/jobs/${id}`, { signal }),
    refetchInterval: ({ state: { data } }) => (data === undefined || isOpen(data) ? POLL_MS : false),
  })
