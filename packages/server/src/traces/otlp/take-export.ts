import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import { DomainError } from '../../lib/domain-error.ts'
import { freePassing } from '../../lib/flow/passing-bytes.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import { type Log, NO_UNKNOWNS } from '../../ports/log/log.ts'
import {
  type PreparedExport,
  type PreparedSpan,
  preparedStepBytes,
  type RejectedSpans,
} from '../../ports/traces/prepared.ts'
import type { SpansOutcome } from '../commit/commit-batch.ts'
import type { GroupCommitter } from '../commit/group-committer.ts'
import type { TraceCache } from '../commit/trace-cache.ts'
import { LARGE_BODY_BYTES, type LargeBodies } from '../parse-thread/large-bodies.ts'
import type { ExportRequest, TraceUseCases } from '../use-cases.ts'
import { aliasHash, aliasKey } from './span-ids.ts'

export interface TakeExportDependencies {
  readonly committer: Pick<GroupCommitter, 'submit' | 'nextCommit'>
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
  readonly log: Pick<Log, 'lookUp'>
  readonly limits: Limits
  /** Small bodies are decoded in time slices. */
  readonly work: WorkTurns
  /** Large bodies are decoded in a thread. */
  readonly largeBodies: Pick<LargeBodies, 'parseExport'>
}

/** Limits of one operation of a commit. */
const GROUP_BYTES = 1024 * 1024
const GROUP_SPANS = 2000
/** How often a full queue is tried again before the request is refused. */
const QUEUE_TRIES = 20
/** How often an alias may turn out to mean another trace than the one that is held. It changes once: when it is made. */
const ALIAS_TRIES = 5

/**
 * An export of spans (OTLP). Resolves when all that is taken is durable and readable. A request that is refused may be
 * sent again as it is: what of it has been stored is recognised.
 */
export function createTakeExport(dependencies: TakeExportDependencies): TraceUseCases['takeExport'] {
  return async (request) => {
    const { spans, rejected } = await parse(dependencies, request)
    freePassing(request.body)
    const byTrace = [...Map.groupBy(spans, (span) => span.otelTraceId)]
    // Submitted together, they share commits.
    const deleted = await Promise.all(
      byTrace.map(([otelTraceId, ofTrace]) => takeSpans(dependencies, request.projectId, otelTraceId, ofTrace)),
    )
    const refused = deleted.reduce((sum, count) => sum + count, 0)
    return refused === 0 ? rejected : withDeleted(rejected, refused)
  }
}

function withDeleted({ count, reasons }: RejectedSpans, refused: number): RejectedSpans {
  return { count: count + refused, reasons: [...reasons, 'the trace was deleted'] }
}

/** The decoder is loaded with the first export, because most services get none. */
async function parse(
  { work, limits, largeBodies }: TakeExportDependencies,
  { projectId, body, encoding }: ExportRequest,
): Promise<PreparedExport> {
  if (body.length >= LARGE_BODY_BYTES) return largeBodies.parseExport(encoding, { projectId, bytes: body })
  const { parseExport } = await import('./parse-export.ts')
  return work.run(projectId, () => parseExport(body, encoding, limits))
}

/** Resolves with the number of spans that are refused because their trace is deleted. */
async function takeSpans(
  dependencies: TakeExportDependencies,
  projectId: ProjectId,
  otelTraceId: string,
  spans: readonly PreparedSpan[],
): Promise<number> {
  let traceId = await findAlias(dependencies.log, projectId, otelTraceId)
  let refused = 0
  for (const group of groups(spans)) {
    const taken = await takeGroup(dependencies, projectId, otelTraceId, traceId, group)
    if (taken === null) refused += group.length
    else traceId = taken
  }
  return refused
}

/** The trace of the project that OpenTelemetry knows by this id (32 lower-case hex digits). */
export async function findAlias(
  log: Pick<Log, 'lookUp'>,
  projectId: ProjectId,
  otelTraceId: string,
): Promise<TraceId | null> {
  const key = aliasKey(otelTraceId)
  const known = await log.lookUp({ ...NO_UNKNOWNS, traceKeys: [{ projectId, key }] })
  return known.traceKey(projectId, key)?.traceId ?? null
}

function* groups(spans: readonly PreparedSpan[]): Generator<readonly PreparedSpan[]> {
  let from = 0
  let bytes = 0
  for (const [at, { step }] of spans.entries()) {
    const own = preparedStepBytes(step)
    if (at > from && (bytes + own > GROUP_BYTES || at - from === GROUP_SPANS)) {
      yield spans.slice(from, at)
      from = at
      bytes = 0
    }
    bytes += own
  }
  if (from < spans.length) yield spans.slice(from)
}

/** Resolves with the trace that has the spans now, null when it is deleted. */
async function takeGroup(
  dependencies: TakeExportDependencies,
  projectId: ProjectId,
  otelTraceId: string,
  expected: TraceId | null,
  spans: readonly PreparedSpan[],
): Promise<TraceId | null> {
  let held = expected
  for (let tries = 1; tries <= ALIAS_TRIES; tries++) {
    const outcome = await commitHeld(dependencies, projectId, otelTraceId, held, spans)
    if (outcome.status === 'taken') return outcome.traceId
    if (outcome.status === 'deleted') return null
    held = outcome.traceId
  }
  throw new Error(`the alias of the trace ${otelTraceId} keeps changing`)
}

async function commitHeld(
  { committer, cache }: TakeExportDependencies,
  projectId: ProjectId,
  otelTraceId: string,
  held: TraceId | null,
  spans: readonly PreparedSpan[],
): Promise<SpansOutcome> {
  const trace = held === null ? null : await cache.hold(projectId, held)
  if (held !== null && trace === null) return { status: 'deleted' }
  try {
    const alias = { key: aliasKey(otelTraceId), bodyHash: aliasHash(otelTraceId) }
    const unknowns = {
      traceKeys: [{ projectId, key: alias.key }],
      stepKeys: held === null ? [] : spans.map(({ step }) => ({ traceId: held, key: `i${step.id}` })),
    }
    const bytes = spans.reduce((sum, { step }) => sum + preparedStepBytes(step), trace?.metadata.length ?? 0)
    return await patiently(committer, () =>
      committer.submit({ bytes, unknowns, apply: (batch) => batch.addSpans(projectId, alias, held, spans) }),
    )
  } finally {
    if (held !== null) cache.release(held)
  }
}

/** Waits for room in a full queue for a while. */
async function patiently<T>(committer: Pick<GroupCommitter, 'nextCommit'>, submit: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await submit()
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'queue_full' || tries === QUEUE_TRIES) throw error
      await committer.nextCommit()
    }
  }
}
