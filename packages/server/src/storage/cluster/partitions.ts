import type { ProjectId } from '@spoor/contract/ids'
import { idToBytes } from '../../lib/ids/typeid.ts'
import type { CommitPlan } from '../../ports/log/log.ts'
import type { StoredCommit } from '../../ports/traces/trace-store.ts'

/** Of every store. The state row of the log has a head for each: see postgresql-tables.ts. */
export const PARTITIONS = 64
export const ALL_PARTITIONS: readonly number[] = Array.from({ length: PARTITIONS }, (_, at) => at + 1)

/** Numbers begin at 1, as elements of PostgreSQL's arrays do. All nodes MUST agree on them. */
export function partitionOf(projectId: ProjectId): number {
  const hash = idToBytes(projectId).reduce((before, byte) => (before * 31 + byte) % 2 ** 32, 0)
  return (hash % PARTITIONS) + 1
}

/** The partitions of the projects that a plan changes, each once. There is at least one. */
export function partitionsOf(plan: CommitPlan): readonly number[] {
  const { projects, traces, metricEvents, quietWaits, deleted, removedEvents, attachments, traceKeys, onceEvents } =
    plan
  const named = [projects, traces, quietWaits, deleted, removedEvents, attachments, traceKeys, onceEvents].flat()
  const ids = new Set(named.map(({ projectId }) => projectId))
  for (const { record } of metricEvents) ids.add(record.projectId)
  return ids.size === 0 ? [1] : [...new Set([...ids].map(partitionOf))]
}

/** Whether a commit has changed one of the partitions since `version`. `heads`: the last commit of each. */
export function hasMoved(heads: readonly (number | string)[], partitions: readonly number[], version: number): boolean {
  return partitions.some((number) => Number(heads[number - 1]) > version)
}

/** The commit with only its rows of projects of these partitions. */
export function rowsIn<Commit extends StoredCommit>(commit: Commit, partitions: ReadonlySet<number>): Commit {
  const isIn = ({ projectId }: { readonly projectId: ProjectId }) => partitions.has(partitionOf(projectId))
  const { traces, steps, metricEvents, removedEvents = [] } = commit
  return {
    ...commit,
    traces: traces.filter(isIn),
    steps: steps.filter(isIn),
    metricEvents: metricEvents.filter(({ record }) => isIn(record)),
    removedEvents: removedEvents.filter(isIn),
  }
}
