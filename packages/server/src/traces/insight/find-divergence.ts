import { parseFailureMeasure, type FailureMeasure } from '@spoor/contract/failure-measure'
import type { ClusterId, ProjectId, TraceId } from '@spoor/contract/ids'
import { COMPARED_STEPS } from '@spoor/contract/limits'
import type { NoDivergence } from '@spoor/contract/schemas/traces/trace-divergence'
import { resultInTurns, type WorkTurns } from '../../lib/flow/work-turns.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { metadataFilterTerms, traceTerms } from '../rules/terms.ts'
import type { TraceUseCases } from '../use-cases.ts'
import { distanceOf, type FirstDivergence, firstDivergence, type RunDistance } from './first-divergence.ts'
import type { KnownRuns } from './known-runs.ts'
import { listNewest } from './list-newest.ts'
import type { Run } from './run-actions.ts'
import { learnWeights } from './tool-weights.ts'

export interface DivergenceDependencies {
  readonly traces: Pick<TraceUseCases, 'list' | 'read'>
  readonly runs: KnownRuns
  readonly work: WorkTurns
}

export interface DivergenceQuery {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  /** The metadata key whose value names the task of a run. */
  readonly taskKey: string
  /** As `failure_by` of a discovery. */
  readonly failureBy: string
  /** A trace that did not fail, neither by `failureBy` nor by its status, is not compared. */
  readonly onlyFailed: boolean
  /** The cluster of the trace, if it is in one. It may have to be computed. */
  readonly clusterOf: () => Promise<ClusterId | null>
}

export interface FoundDivergence {
  readonly found: FirstDivergence | NoDivergence
  /** The nearest first. */
  readonly comparedWith: readonly { readonly id: TraceId; readonly similarity: number }[]
}

/** The newest successes that a run is compared with, and those of other tasks that weights are learned from. */
const COMPARED = 50
const LEARNED_FROM = 100
/** Bodies read for one request, bytes; of more successes, the older ones are left out. */
export const READ_BYTES = 64 * 1024 * 1024
/** Failed traces of one millisecond. */
const SAME_TIME = 100
/** Shown of those compared. */
const LISTED = 10

interface ComparedRun extends RunDistance {
  readonly id: TraceId
  readonly run: Run
}

/** Throws DomainError `validation_failed`, and as `read` does. */
export async function findDivergence(
  dependencies: DivergenceDependencies,
  query: DivergenceQuery,
): Promise<FoundDivergence> {
  const { traces, runs, work } = dependencies
  const { projectId, traceId, taskKey } = query
  const measure = parseFailureMeasure(query.failureBy)
  if (measure === null) throw wrongMeasure()
  const { trace } = await traces.read(projectId, traceId, false)
  const tooMany = (detail: string) => invalid({ pointer: '/id', code: 'too_many', detail })
  if (trace.stepCount > COMPARED_STEPS)
    throw tooMany(`The trace has ${trace.stepCount} steps; at most ${COMPARED_STEPS} can be compared.`)
  if (trace.bodyBytes > READ_BYTES)
    throw tooMany(`The steps of the trace have ${trace.bodyBytes} bytes; at most ${READ_BYTES} can be compared.`)
  let outcome = successesBy(measure)
  if (query.onlyFailed && !(await hasFailed(measure))) {
    if (trace.status !== 'error') return { found: 'succeeded', comparedWith: [] }
    outcome = { ...successesBy({ kind: 'status' }), passes: outcome.passes, read: outcome.read }
  }
  const room = { bytes: READ_BYTES - trace.bodyBytes }
  const successes = await readRuns(await nearby(), room)
  if (successes.length === 0) return { found: 'no_success', comparedWith: [] }
  const task = taskOf(trace, taskKey)
  const others = (await list({ name: trace.name }, LEARNED_FROM)).filter((one) => taskOf(one, taskKey) !== task)
  const learned = Map.groupBy(await readRuns(others, room), (one) => taskOf(one.trace, taskKey))
  learned.delete(null)
  // Where no run names a task, the compared ones say how consistent tools are.
  const tasks = [...learned].filter(([, { length }]) => length > 1)
  const failures = tasks.length === 0 ? new Map() : Map.groupBy(await readFailures(new Map(tasks), room), taskOfRead)
  const runsOf = (read: readonly ReadRun[] | undefined) => (read ?? []).map(({ run: one }) => one)
  const weights = learnWeights(
    tasks.length === 0
      ? [{ successes: runsOf(successes), failures: [] }]
      : tasks.map(([of, read]) => ({ successes: runsOf(read), failures: runsOf(failures.get(of)) })),
  )
  const run = await runs.read(projectId, trace)
  if (run === undefined) return { found: 'no_success', comparedWith: [] }
  return resultInTurns(compare(run), (step) => work.steps(projectId, step))

  function* compare(own: Run): Generator<void, FoundDivergence> {
    const compared: ComparedRun[] = []
    for (const { trace: one, run: success } of successes) {
      compared.push({ id: one.id, run: success, ...distanceOf(own, success, weights) })
      yield
    }
    compared.sort((one, other) => one.distance - other.distance)
    const found = firstDivergence(own, compared)
    return { found, comparedWith: compared.slice(0, LISTED).map(({ id, similarity }) => ({ id, similarity })) }
  }

  async function hasFailed(by: FailureMeasure): Promise<boolean> {
    if (by.kind !== 'metric') return by.kind === 'status' ? trace.status === 'error' : !outcome.passes(trace)
    const times = { startTime: trace.createdAt, endTime: trace.createdAt + 1 }
    const failed = await listNewest(traces, projectId, { metric: by.name, passed: false }, SAME_TIME, times)
    return failed.some(({ id }) => id === traceId)
  }

  /** Successes of the same task; without one, of the same cluster; without one, of the same name. */
  async function nearby(): Promise<readonly TraceRecord[]> {
    const value = metadataValue(trace, taskKey)
    const ofTask = value === null ? [] : await list({}, COMPARED, { key: taskKey, value })
    if (ofTask.length > 0) return ofTask
    const cluster = await query.clusterOf()
    const ofCluster = cluster === null ? [] : await list({ cluster }, COMPARED)
    return ofCluster.length > 0 ? ofCluster : list({ name: trace.name }, COMPARED)
  }

  /** Of these tasks. */
  async function readFailures(of: ReadonlyMap<string | null, unknown>, left: { bytes: number }) {
    const { filters, metadata } = outcome.failures
    const found = await listNewest(traces, projectId, { name: trace.name, ...filters }, LEARNED_FROM, { metadata })
    return readRuns(
      found.filter((one) => of.has(taskOf(one, taskKey))),
      left,
    )
  }

  function taskOfRead({ trace: one }: ReadRun): string | null {
    return taskOf(one, taskKey)
  }

  /** The newest successes, without the trace itself. */
  async function list(filters: object, limit: number, ...metadata: readonly { key: string; value: string | null }[]) {
    const all = { ...filters, ...outcome.filters }
    const more = { metadata: [...metadata, ...outcome.metadata] }
    const found = await listNewest(traces, projectId, all, limit * outcome.read, more)
    return found.filter((one) => one.id !== traceId && outcome.passes(one)).slice(0, limit)
  }

  async function readRuns(found: readonly TraceRecord[], left: { bytes: number }) {
    const read: ReadRun[] = []
    for (const one of found) {
      if (one.stepCount > COMPARED_STEPS || one.bodyBytes > left.bytes) continue
      left.bytes -= one.bodyBytes
      const known = await runs.read(projectId, one)
      if (known !== undefined) read.push({ trace: one, run: known })
    }
    return read
  }
}

interface ReadRun {
  readonly trace: TraceRecord
  readonly run: Run
}

interface Outcome {
  readonly filters: object
  readonly metadata: readonly { readonly key: string; readonly value: null }[]
  readonly passes: (trace: TraceRecord) => boolean
  readonly failures: { readonly filters: object; readonly metadata: readonly { key: string; value: string }[] }
  /** Traces listed for each success that is wanted. */
  readonly read: number
}

function successesBy(measure: FailureMeasure): Outcome {
  const always = { metadata: [], passes: () => true, read: 1 } as const
  const failing = (filters: object) => ({ filters, metadata: [] })
  if (measure.kind === 'status') return { filters: { status: 'ok' }, ...always, failures: failing({ status: 'error' }) }
  if (measure.kind === 'metric') {
    const by = (passed: boolean) => ({ metric: measure.name, passed })
    return { filters: by(true), ...always, failures: failing(by(false)) }
  }
  const { key, value } = measure
  const failed = metadataFilterTerms(key, value)
  const passes = (trace: TraceRecord) => !traceTerms(trace).some((term) => failed.includes(term))
  const failures = { filters: {}, metadata: [{ key, value }] }
  return { filters: {}, metadata: [{ key, value: null }], passes, read: 5, failures }
}

/** Runs without the key are of one task if they have the same request. Null if nothing is known. */
function taskOf(trace: TraceRecord, taskKey: string): string | null {
  const value = metadataValue(trace, taskKey)
  return value === null ? (trace.digest.input?.text ?? null) : `\0${value}`
}

/** As JSON text; null without the key. */
function metadataValue({ metadata }: TraceRecord, key: string): string | null {
  const fields = JSON.parse(metadata.toString()) as Readonly<Record<string, unknown>>
  return Object.hasOwn(fields, key) ? JSON.stringify(fields[key]) : null
}

function wrongMeasure() {
  const detail = 'It is `status`, `metric:NAME` or `metadata:KEY=VALUE`.'
  return invalid({ pointer: '?failure_by', code: 'invalid_value', detail })
}
