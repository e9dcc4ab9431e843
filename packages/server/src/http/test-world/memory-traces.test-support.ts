import type { MaskingPreview } from '@spoor/contract/schemas/masking'
import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { JournalFeed } from '../../journal/journal-feed.ts'
import type { MemoryJournal } from '../../ports/journal/memory-journal.test-support.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import { type IdGenerator, timeOfId } from '../../lib/ids/ids.ts'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import type { RejectedSpans } from '../../ports/traces/prepared.ts'
import { NO_STEPS } from '../../traces/rules/rollup.ts'
import { EMPTY_DIGEST } from '../../traces/rules/trace-digest.ts'
import { added, preparedStep } from '../../traces/trace-builders.test-support.ts'
import { stepSaid } from '../../traces/intake/step-said.ts'
import { parseExport } from '../../traces/otlp/parse-export.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import { FIRST_STEPS } from '../../ports/traces/trace-store.ts'
import type {
  AppendStepsRequest,
  CommitReceipt,
  CommitTraceRequest,
  ExportRequest,
  FeedPage,
  FeedQuery,
  FilteredRequest,
  ImportOutcome,
  LineVerdict,
  StepsQuery,
  TracePartRequest,
  TracePatch,
  TraceUseCases,
  TraceDeletion,
} from '../../traces/use-cases.ts'

const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const STEPS_PER_PAGE = 100

interface Stored {
  record: TraceRecord
  readonly steps: StepRecord[]
}

/**
 * Traces in memory: traces written over HTTP can be read over HTTP. Validates only that a body is a JSON object with a
 * name.
 */
export class MemoryTraces implements TraceUseCases {
  readonly #stored = new Map<TraceId, Stored>()
  readonly #restorable = new Map<TraceId, Stored>()
  readonly #journal: MemoryJournal
  readonly #feed: JournalFeed
  readonly #ids: IdGenerator
  lastQuery: FeedQuery | null = null
  lastMatched: FilteredRequest | null = null
  /** Of every list. */
  snippets: FeedPage['snippets'] = null
  pagesRead = 0
  /** Every export so far. */
  readonly exports: ExportRequest[] = []
  readonly otelTraces = new Map<string, TraceId>()
  /** Thrown by the next commit or append. */
  failure: Error | null = null
  /** The refusal of the commit queue for a body, before it is read. */
  intakeRefusal: DomainError | null = null
  /** Awaited by every commit. */
  gate: Promise<void> = Promise.resolve()

  constructor(journal: MemoryJournal, feed: JournalFeed, ids: IdGenerator) {
    this.#journal = journal
    this.#feed = feed
    this.#ids = ids
  }

  async importPart({ projectId, id, trace, scores }: TracePartRequest): Promise<ImportOutcome> {
    if (this.#stored.has(id)) return 'exists'
    await scores()
    await this.commit({ projectId, body: trace, idempotencyKey: null }, id)
    return 'committed'
  }

  async commit({ projectId, body }: CommitTraceRequest, id = this.#ids.newId('tr')): Promise<CommitReceipt> {
    await this.gate
    if (this.failure !== null) throw this.failure
    const trace = parseObject(body.toString())
    const steps = (Array.isArray(trace['steps']) ? trace['steps'] : []).map((step, i) =>
      this.#step(JSON.stringify(step), i),
    )
    const metadata = Buffer.from(JSON.stringify(trace['metadata'] ?? {}))
    this.#stored.set(id, {
      record: { ...blankTrace(projectId, id, metadata), name: String(trace['name']), stepCount: steps.length },
      steps,
    })
    this.#feed.publish([this.#journal.append(projectId, [{ type: 'trace.committed', traceId: id }], timeOfId(id))])
    return { id, stepIds: steps.map((step) => step.id), committedAt: 0, replayed: false }
  }

  async append({ projectId, traceId, chunks }: AppendStepsRequest): Promise<AsyncIterable<readonly LineVerdict[]>> {
    const { steps } = this.#find(projectId, traceId)
    return this.#appendLines(steps, chunks)
  }

  async *#appendLines(steps: StepRecord[], chunks: AsyncIterable<Buffer>): AsyncGenerator<readonly LineVerdict[]> {
    let rest = ''
    let line = 0
    for await (const chunk of chunks) {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0)
        yield lines
          .filter((text) => (line++, text.trim() !== ''))
          .map((text, i) => this.#verdict(steps, line - lines.length + 1 + i, text))
      if (this.failure !== null) throw this.failure
    }
    if (rest.trim() !== '') yield [this.#verdict(steps, line + 1, rest)]
  }

  #verdict(steps: StepRecord[], line: number, text: string): LineVerdict {
    try {
      parseObject(text)
    } catch {
      return { line, status: 'error', code: 'malformed_json', detail: 'The line is not valid JSON.', pointer: null }
    }
    const step = this.#step(text, steps.length)
    steps.push(step)
    return { line, status: 'created', stepId: step.id }
  }

  async takeExport(request: ExportRequest): Promise<RejectedSpans> {
    await this.gate
    if (this.failure !== null) throw this.failure
    this.exports.push({ ...request, body: Buffer.from(request.body) })
    const { rejected } = parseExport(request.projectId, request.body, request.encoding, DEFAULT_LIMITS)
    return rejected
  }

  async findOtelTrace(_projectId: ProjectId, otelTraceId: string): Promise<TraceId | null> {
    return this.otelTraces.get(otelTraceId.replaceAll('-', '').toLowerCase()) ?? null
  }

  async list(query: FeedQuery): Promise<FeedPage> {
    this.lastQuery = query
    const own = [...this.#stored.values()].filter(({ record }) => record.projectId === query.projectId)
    return { traces: own.slice(0, query.limit).map(toRecord), snippets: this.snippets, nextCursor: null }
  }

  /** Compares names alone. */
  async matching(query: FilteredRequest, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    this.lastMatched = query
    const own = [...this.#stored.values()].filter(({ record }) => record.projectId === query.projectId)
    const named = own.filter(({ record }) => query.name === null || record.name === query.name)
    return new Set(named.map(({ record }) => record.id).filter((id) => traceIds.includes(id)))
  }

  async read(projectId: ProjectId, traceId: TraceId, withSteps = true) {
    const stored = this.#find(projectId, traceId)
    const { steps } = stored
    const record = toRecord(stored)
    if (!withSteps)
      return { trace: record, named: new Map(), allSteps: null, countedOn: new Map(), steps: this.#pages(steps) }
    this.pagesRead++
    const allSteps = steps.length <= FIRST_STEPS.count ? steps : null
    return { trace: record, named: new Map(), allSteps, countedOn: new Map(), steps: this.#pages(steps) }
  }

  async *#pages(steps: readonly StepRecord[]): AsyncGenerator<readonly StepRecord[]> {
    for (let at = 0; at < steps.length; at += STEPS_PER_PAGE) {
      this.pagesRead++
      yield steps.slice(at, at + STEPS_PER_PAGE)
    }
  }

  async listSteps({ projectId, traceId, limit }: StepsQuery) {
    return { steps: this.#find(projectId, traceId).steps.slice(0, limit), countedOn: new Map(), nextCursor: null }
  }

  async previewMasking(): Promise<MaskingPreview> {
    return { traces: 0, steps: 0, masked: {}, excerpts: [] }
  }

  async findStep(projectId: ProjectId, stepId: StepId): Promise<TraceId> {
    const found = [...this.#stored.values()].findLast(
      ({ record, steps }) => record.projectId === projectId && steps.some(({ id }) => id === stepId),
    )
    if (found === undefined) throw new DomainError('not_found', `There is no step ${stepId} in this project.`)
    return found.record.id
  }

  async patch(projectId: ProjectId, traceId: TraceId, change: TracePatch): Promise<TraceRecord> {
    const stored = this.#find(projectId, traceId)
    const status = change.status ?? stored.record.status
    stored.record = {
      ...stored.record,
      status,
      flagged: change.flagged ?? stored.record.flagged,
      flagReason: change.reason,
    }
    return toRecord(stored)
  }

  async delete(projectId: ProjectId, traceId: TraceId, { graceMs = 0 }: TraceDeletion = {}): Promise<void> {
    const stored = this.#find(projectId, traceId)
    if (graceMs > 0) this.#restorable.set(traceId, stored)
    this.#stored.delete(traceId)
    this.#journal.delete(traceId)
  }

  async restore(projectId: ProjectId, traceId: TraceId): Promise<TraceRecord> {
    const stored = this.#restorable.get(traceId)
    if (stored === undefined) return toRecord(this.#find(projectId, traceId))
    this.#restorable.delete(traceId)
    this.#stored.set(traceId, stored)
    return toRecord(stored)
  }

  locate({ projectId, traceId, stepId }: { projectId: ProjectId; traceId: TraceId; stepId: StepId | null }) {
    const stored = this.#stored.get(traceId)
    if (stored?.record.projectId !== projectId) return 'no_trace'
    return stepId === null || stored.steps.some(({ id }) => id === stepId) ? 'found' : 'no_step'
  }

  stepCount(traceId: TraceId): number {
    return this.#stored.get(traceId)?.steps.length ?? 0
  }

  #find(projectId: ProjectId, traceId: TraceId): Stored {
    const stored = this.#stored.get(traceId)
    if (stored?.record.projectId !== projectId) throw new DomainError('not_found', 'There is no such trace.')
    return stored
  }

  /** `text` with all its fields becomes the body; extra fields do no harm here. */
  #step(text: string, position: number): StepRecord {
    const sent = parseObject(text)
    const kept = Object.entries(sent).filter(([name]) =>
      ['messages', 'token_usage', 'metadata', 'error'].includes(name),
    )
    const id: StepId = this.#ids.newId('st')
    return {
      ...BLANK_STEP,
      id,
      position,
      name: String(sent['name'] ?? 'step'),
      status: sent['status'] === 'error' ? 'error' : 'ok',
      model: typeof sent['model'] === 'string' ? sent['model'] : null,
      tokenUsage: tokensOf(sent['token_usage']),
      body: JSON.stringify(Object.fromEntries(kept)),
    }
  }
}

function toRecord({ record, steps }: Stored): TraceRecord {
  const sent = steps.map(({ body, ...step }) => {
    const { messages, error } = JSON.parse(body) as { readonly messages?: unknown; readonly error?: unknown }
    return preparedStep({ ...step, parentStepId: null, said: stepSaid(messages, error) })
  })
  return { ...record, digest: added(NO_STEPS, sent).digest }
}

function tokensOf(sent: unknown): StepRecord['tokenUsage'] {
  const usage = (sent ?? {}) as Readonly<Record<string, number | undefined>>
  const { input = 0, output = 0, cache_read: cacheRead = 0, cache_write: cacheWrite = 0, reasoning = 0 } = usage
  return { input, output, cacheRead, cacheWrite, reasoning, more: null }
}

const BLANK_STEP = {
  type: 'other',
  model: null,
  status: 'ok',
  startedAt: null,
  endedAt: null,
  receivedAt: 0,
  parentStepId: null,
  parentInferred: true,
  tokenUsage: NO_TOKENS,
  idempotencyKey: null,
} as const

function blankTrace(projectId: ProjectId, id: TraceId, metadata: Buffer): TraceRecord {
  return {
    projectId,
    id,
    version: 1,
    createdAt: 0,
    deleted: false,
    name: '',
    runType: 'agent',
    ownStatus: null,
    status: 'ok',
    flagged: false,
    flagReason: null,
    metadata,
    sessionId: null,
    userId: null,
    ownStartedAt: null,
    ownEndedAt: null,
    stepsStartedAt: null,
    stepsEndedAt: null,
    stepCount: 0,
    tokenUsage: NO_TOKENS,
    models: [],
    bodyBytes: 0,
    lastStepId: null,
    spans: null,
    growing: false,
    updatedAt: null,
    digest: EMPTY_DIGEST,
    failedSteps: 0,
  }
}

function parseObject(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new DomainError('malformed_json', 'The body is not valid JSON.', { cause })
  }
  if (typeof value !== 'object' || value === null)
    throw invalid({ pointer: '', code: 'wrong_type', detail: 'The body must be an object.' })
  return value as Record<string, unknown>
}
