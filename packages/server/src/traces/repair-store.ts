import type { TraceId } from '@spoor/contract/ids'
import type { Journal, SupersededKeys } from '../journal/journal.ts'
import { durationOf, rollupOf, totalTokens, withRollup } from './rollup.ts'
import type { TraceRecord } from './trace-record.ts'
import type { TraceStore } from './trace-store.ts'

export interface RepairReport {
  /** Commits that never ended. */
  readonly abandonedCommits: number
  /** Earlier traces whose unfinished change was taken back. */
  readonly restoredTraces: number
}

/**
 * Brings the telemetry store back to what the journal says. A crash or a failed insert can leave part of one commit in the store that the journal
 * does not hold: nobody was told of it, so it is taken back. Its version is abandoned, so that no reader ever sees its rows; a trace that it
 * changed gets a new version with its sums counted anew and its marks as before, because the engine may have merged the older version away already.
 *
 * Walks by cursor that began before find such a trace by the keys it had and has again.
 *
 * Safe to run again at any point. Must not run while a commit is under way.
 */
export async function repairStore(
  store: Pick<TraceStore, 'findVersionsAfter' | 'findTracesAfter' | 'findTraces' | 'summarizeSteps' | 'write'>,
  journal: Pick<Journal, 'append' | 'last'>,
  now: number,
): Promise<RepairReport> {
  const { version, lastTraceId } = journal.last()
  const abandoned = await store.findVersionsAfter(version)
  if (abandoned.length === 0) return { abandonedCommits: 0, restoredTraces: 0 }
  const touched = await store.findTracesAfter(version)
  const earlier = touched.filter((trace) => lastTraceId !== null && trace.id <= lastTraceId)
  const next = Math.max(...abandoned) + 1
  const restored: TraceRecord[] = []
  for (const trace of earlier) restored.push(await restore(store, trace, version, next))
  const superseded = await keysOfBefore(store, restored, version)
  await store.write(restored, [])
  journal.append({
    version: next,
    committedAt: now,
    lastTraceId,
    projects: [],
    traceKeys: [],
    stepKeys: [],
    superseded,
    attachments: [],
    deleted: [],
    abandoned,
  })
  return { abandonedCommits: abandoned.length, restoredTraces: restored.length }
}

async function restore(
  store: Pick<TraceStore, 'summarizeSteps'>,
  trace: TraceRecord,
  committedVersion: number,
  version: number,
): Promise<TraceRecord> {
  const rollup = await store.summarizeSteps(trace.projectId, trace.id, committedVersion)
  const before = { ...trace, ...trace.previous, deleted: false, version }
  return withRollup(before, { ...rollupOf(before), ...rollup })
}

/** The keys are those of now: what was taken back had changed them for nobody. */
async function keysOfBefore(
  store: Pick<TraceStore, 'findTraces'>,
  restored: readonly TraceRecord[],
  committedVersion: number,
): Promise<SupersededKeys[]> {
  const fromVersions = new Map<TraceId, number>()
  for (const [projectId, traces] of Map.groupBy(restored, (trace) => trace.projectId)) {
    const ids = traces.map(({ id }) => id)
    for (const { id, version } of await store.findTraces(projectId, ids, committedVersion)) {
      if (version <= committedVersion) fromVersions.set(id, version)
    }
  }
  return restored.map((trace) => ({
    projectId: trace.projectId,
    traceId: trace.id,
    fromVersion: fromVersions.get(trace.id) ?? 0,
    untilVersion: trace.version,
    durationMs: durationOf(trace),
    totalTokens: totalTokens(trace.tokenUsage),
    stepCount: trace.stepCount,
  }))
}
