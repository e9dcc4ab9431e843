import type { JobId, ProjectId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import { DomainError } from '../../lib/domain-error.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { DeletionJob, DeletionJobStore } from '../../ports/traces/deletion-jobs.ts'
import type { FeedQuery } from '../use-cases.ts'

/** The filters of a list of traces. */
export type DeletionFilters = Omit<FeedQuery, 'projectId' | 'sort' | 'order' | 'limit' | 'cursor'>

interface DeletionRequest {
  readonly projectId: ProjectId
  readonly filters: DeletionFilters
  /** Whether the request may delete every trace of the project. */
  readonly all: boolean
}

export interface DeletionUseCases {
  /** Traces that match now. Throws DomainError `validation_failed` and `full_text_disabled` for the filters. */
  count(request: DeletionRequest): Promise<number>
  /** Throws as `count`, and `validation_failed` if all traces match and `all` is not set. */
  create(request: DeletionRequest): Promise<DeletionJob>
  /**
   * Deletes all traces of the user that exist now, also those whose deletion can be undone. Throws DomainError
   * `not_found` if there are none.
   */
  createOfUser(projectId: ProjectId, userId: string): Promise<DeletionJob>
  /** Throws DomainError `not_found`. */
  find(projectId: ProjectId, id: JobId): Promise<DeletionJob>
  /** A job that has a receipt goes on: all is deleted. Throws DomainError `not_found`. */
  cancel(projectId: ProjectId, id: JobId): Promise<DeletionJob>
}

/** How many traces match. */
export type CountTraces = (projectId: ProjectId, filters: DeletionFilters) => Promise<number>

interface DeletionDependencies {
  readonly jobs: DeletionJobStore
  readonly clock: Clock
  readonly newId: () => JobId
  readonly countTraces: CountTraces
  /** The traces that match and whose deletion can be undone; they are not counted. */
  readonly restorable: (projectId: ProjectId, filters: DeletionFilters) => AsyncIterable<unknown>
}

export function createDeletions({
  jobs,
  clock,
  newId,
  countTraces,
  restorable,
}: DeletionDependencies): DeletionUseCases {
  const find = async (projectId: ProjectId, id: JobId) => {
    const job = await jobs.find(projectId, id)
    if (job === undefined) throw new DomainError('not_found', 'There is no such job.')
    return job
  }
  const add = async (
    asked: Pick<DeletionJob, 'projectId' | 'kind' | 'total' | 'createdAt'> & { filters: DeletionFilters },
  ): Promise<DeletionJob> => {
    const filters = JSON.stringify(asked.filters)
    const open = { status: 'queued', done: 0, error: null, receipt: null, finishedAt: null } as const
    const job = { ...asked, ...open, id: newId(), filters }
    await jobs.add(job)
    return job
  }
  /** Filters that a list takes and that count the traces created before `now`. */
  const before = (filters: DeletionFilters, now: number) => ({
    ...filters,
    endTime: Math.min(filters.endTime ?? now, now),
  })
  const count = async ({ projectId, filters, all }: DeletionRequest, now: number) => {
    const isFiltered = Object.values(filters).some((value) =>
      Array.isArray(value) ? value.length > 0 : value !== null,
    )
    if (!isFiltered && !all) throw needsAll('Without a filter, every trace of the project would be deleted.')
    return countTraces(projectId, before(filters, now))
  }
  return {
    // Also what was created in this millisecond.
    count: (request) => count(request, clock.now() + 1),
    async create(request) {
      const { projectId, filters, all } = request
      const createdAt = clock.now() + 1
      const total = await count(request, createdAt)
      if (!all && total > 0 && total >= (await countTraces(projectId, before(nothingOf(filters), createdAt)))) {
        throw needsAll('The filters match every trace of the project.')
      }
      return add({
        projectId,
        kind: 'traces.delete',
        filters: before(filters, createdAt),
        total,
        createdAt,
      })
    },
    async createOfUser(projectId, userId) {
      const createdAt = clock.now() + 1
      const ofUser = toTraceFilters('lists', { user_id: userId })
      const filters = before({ ...ofUser, metadata: [], startTime: null, endTime: null, text: null }, createdAt)
      const total = await countTraces(projectId, filters)
      if (total === 0 && !(await hasAny(restorable(projectId, filters)))) {
        throw new DomainError('not_found', 'No trace has this user_id.')
      }
      return add({ projectId, kind: 'user.delete', filters, total, createdAt })
    },
    find,
    async cancel(projectId, id) {
      const { receipt } = await find(projectId, id)
      if (receipt === null) await jobs.advance(id, { deleted: 0, status: 'cancelled', error: null, at: clock.now() })
      return find(projectId, id)
    },
  }
}

async function hasAny(found: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _one of found) return true
  return false
}

/** The same filters, none of them set. */
function nothingOf(filters: DeletionFilters): DeletionFilters {
  const entries = Object.entries(filters).map(([name, value]) => [name, Array.isArray(value) ? [] : null])
  return { ...filters, ...(Object.fromEntries(entries) as DeletionFilters), metadata: [] }
}

function needsAll(reason: string): DomainError {
  return invalid({ pointer: '/all', code: 'required', detail: `${reason} If you mean that, send "all": true.` })
}
