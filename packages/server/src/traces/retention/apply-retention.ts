import type { JobId, ProjectId } from '@spoor/contract/ids'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { Clock } from '../../lib/time/clock.ts'
import { noSuchProject } from '../../ports/access/no-such-project.ts'
import type { ProjectStore, Retention } from '../../ports/access/project-store.ts'
import type { AuditEntry } from '../../ports/audit/audit-store.ts'
import type { MediaStore } from '../../ports/media/media-store.ts'
import type { DeletionJob, DeletionJobStore } from '../../ports/traces/deletion-jobs.ts'
import type { CountTraces, DeletionFilters } from './delete-matching.ts'

interface RetentionDependencies {
  readonly jobs: Pick<DeletionJobStore, 'add' | 'hasOpen'>
  readonly projects: Pick<ProjectStore, 'list' | 'find'>
  readonly media: Pick<MediaStore, 'releaseOlder' | 'countOlder'>
  readonly clock: Clock
  readonly newId: () => JobId
  readonly countTraces: CountTraces
  /** Writes an entry of the audit log. */
  readonly record: (entry: Omit<AuditEntry, 'id' | 'at'>) => Promise<void>
}

/** From when on the retention has deleted nothing, milliseconds: deletions may be a day behind. */
export function keptFrom({ days, flaggedDays }: Retention, now: number): number {
  const shortest = Math.min(days ?? Infinity, flaggedDays ?? Infinity)
  return shortest === Infinity ? -Infinity : now - (shortest - 1) * DAY_MS
}

/** What a retention no longer keeps. */
interface Expired {
  readonly traces: number
  readonly flaggedTraces: number
  readonly attachments: number
}

export interface RetentionUseCases {
  /** What this retention would delete now. Throws DomainError `not_found`. */
  preview(projectId: ProjectId, retention: Retention): Promise<Expired>
  /** False for a job of a retention that now keeps some of the traces that the job deletes. */
  isWanted(job: Pick<DeletionJob, 'projectId' | 'kind' | 'filters'>): Promise<boolean>
  /** Creates the jobs that delete the expired traces of all projects. */
  deleteTraces(): Promise<AppliedRetention>
  /** Removes expired media, of each project a bounded number. */
  removeMedia(): Promise<AppliedRetention>
}

/** A project that fails does not keep others from their turn. */
export interface AppliedRetention {
  /** Of the first project that failed. */
  readonly failure: { readonly error: unknown } | null
  /** Whether a project has more expired media: call it again soon. */
  readonly hasMore: boolean
}

const DAY_MS = 86_400_000
const PROJECTS_TOGETHER = 100
/** Attachments removed in one transaction: some milliseconds. */
const MEDIA_TOGETHER = 200
/** Attachments of a project removed in one round, so that other projects and a stop do not wait for long. */
const MOST_MEDIA = 20_000

export function createRetention(dependencies: RetentionDependencies): RetentionUseCases {
  const { projects, media, clock, countTraces } = dependencies
  const countBefore = (projectId: ProjectId, filters: DeletionFilters | null) =>
    filters === null ? 0 : countTraces(projectId, filters)
  return {
    async preview(projectId, { days, flaggedDays, mediaDays }) {
      if ((await projects.find(projectId)) === undefined) throw noSuchProject()
      const now = clock.now()
      return {
        traces: await countBefore(projectId, expired(days, false, now)),
        flaggedTraces: await countBefore(projectId, expired(flaggedDays, true, now)),
        attachments: mediaDays === null ? 0 : await media.countOlder(projectId, now - mediaDays * DAY_MS),
      }
    },
    async isWanted({ projectId, kind, filters }) {
      if (kind !== 'retention') return true
      const { endTime, flagged } = JSON.parse(filters) as DeletionFilters
      const retention = (await projects.find(projectId))?.retention
      const days = flagged === true ? retention?.flaggedDays : retention?.days
      return days !== undefined && days !== null && (endTime ?? Infinity) <= clock.now() - days * DAY_MS
    },
    deleteTraces: () => inAll(projects, (id, retention) => addJobs(dependencies, id, retention)),
    removeMedia: () => inAll(projects, (id, { mediaDays }) => removeMedia(dependencies, id, mediaDays)),
  }
}

/** `apply` resolves with whether it left something. */
async function inAll(
  projects: RetentionDependencies['projects'],
  apply: (id: ProjectId, retention: Retention) => Promise<boolean | void>,
): Promise<AppliedRetention> {
  let failure: AppliedRetention['failure'] = null
  let hasMore = false
  let after: ProjectId | null = null
  do {
    const page: Awaited<ReturnType<ProjectStore['list']>> = await projects.list(after, PROJECTS_TOGETHER)
    for (const { id, retention } of page) {
      try {
        if ((await apply(id, retention)) === true) hasMore = true
      } catch (error) {
        failure ??= { error }
      }
    }
    after = page.length === PROJECTS_TOGETHER ? (page.at(-1)?.id ?? null) : null
  } while (after !== null)
  return { failure, hasMore }
}

async function addJobs(
  dependencies: RetentionDependencies,
  projectId: ProjectId,
  { days, flaggedDays }: Retention,
): Promise<void> {
  if ((days === null && flaggedDays === null) || (await dependencies.jobs.hasOpen(projectId, 'retention'))) return
  const now = dependencies.clock.now()
  await addJob(dependencies, projectId, expired(days, false, now))
  await addJob(dependencies, projectId, expired(flaggedDays, true, now))
}

/** Whether more are left. What was removed before a failure is recorded, too. */
async function removeMedia(
  { media, clock, record }: RetentionDependencies,
  projectId: ProjectId,
  mediaDays: number | null,
): Promise<boolean> {
  if (mediaDays === null) return false
  const before = clock.now() - mediaDays * DAY_MS
  let attachments = 0
  try {
    while (attachments < MOST_MEDIA) {
      const removed = await media.releaseOlder(projectId, before, MEDIA_TOGETHER)
      attachments += removed
      if (removed < MEDIA_TOGETHER) return false
      await new Promise((resolve) => setImmediate(resolve))
    }
    return true
  } finally {
    const target = { kind: 'project', id: projectId } as const
    if (attachments > 0) await record(entryOf(projectId, target, before, { attachments }))
  }
}

async function addJob(
  { jobs, clock, newId, countTraces, record }: RetentionDependencies,
  projectId: ProjectId,
  filters: DeletionFilters | null,
): Promise<void> {
  const total = filters === null ? 0 : await countTraces(projectId, filters)
  if (total === 0) return
  const id = newId()
  await jobs.add({
    id,
    projectId,
    kind: 'retention',
    filters: JSON.stringify(filters),
    status: 'queued',
    done: 0,
    total,
    error: null,
    receipt: null,
    createdAt: clock.now(),
    finishedAt: null,
  })
  await record(entryOf(projectId, { kind: 'job', id }, filters?.endTime ?? 0, { flagged: filters?.flagged, total }))
}

/** Of what is removed that came before `endTime`. */
function entryOf(
  projectId: ProjectId,
  target: AuditEntry['target'],
  endTime: number,
  detail: AuditEntry['detail'],
): Omit<AuditEntry, 'id' | 'at'> {
  return {
    projectId,
    actor: { kind: 'system', id: null },
    action: 'traces.deleted',
    target,
    detail: { reason: 'retention', end_time: new Date(endTime).toISOString(), ...detail },
    requestId: null,
  }
}

/** The traces that are older; null: they are kept for ever. */
function expired(days: number | null, flagged: boolean, now: number): DeletionFilters | null {
  if (days === null) return null
  const endTime = now - days * DAY_MS
  return { ...toTraceFilters('lists', { flagged }), metadata: [], startTime: null, endTime, text: null }
}
