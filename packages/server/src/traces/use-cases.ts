import type { KeyId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { Masking, MaskingPreview } from '@spoor/contract/schemas/masking'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { RefusedLine } from '../lib/lines/line-group.ts'
import type { PageRequest } from '../lib/list-page.ts'
import type { RejectedSpans } from '../ports/traces/prepared.ts'
import type { StepRecord } from '../ports/traces/step-record.ts'
import type { TraceRecord } from '../ports/traces/trace-record.ts'
import type { FeedSort } from '../ports/traces/trace-store.ts'
import type { NewScore } from './commit/plan/events.ts'
import type { Snippet } from './read/search-snippets.ts'
import type { SpanForm } from './otlp/otlp-encoding.ts'

/**
 * The operations on traces that a client may call. A trace of another project is answered exactly as one that does not
 * exist: DomainError `not_found`.
 */
export interface TraceUseCases {
  commit(request: CommitTraceRequest): Promise<CommitReceipt>
  /**
   * Appends NDJSON lines as they arrive. Throws DomainError `not_found` before a byte is read. Yields verdicts in line
   * order, each batch only after its `created` lines are durable and readable. When `chunks` throws (the client
   * disconnected), complete lines are stored, the partial one is dropped, and the iteration ends with that error after
   * their verdicts. Reads ahead a bounded number of bytes, whatever the consumer does.
   */
  append(request: AppendStepsRequest): Promise<AsyncIterable<readonly LineVerdict[]>>
  /** Takes the spans or log records of an OTLP request. Resolves with those refused for good; others are readable. */
  takeExport(request: ExportRequest): Promise<RejectedSpans>
  /** The trace that OpenTelemetry knows by this id, 32 hex digits; null if there is none. */
  findOtelTrace(projectId: ProjectId, otelTraceId: string): Promise<TraceId | null>
  list(query: FeedQuery): Promise<FeedPage>
  /** Those of these traces that the list has with the filters. Throws as it does, also for no traces. */
  matching(query: FilteredRequest, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>>
  /** The trace and its steps. `withSteps` false saves reading the steps; then `steps` must not be read. */
  read(projectId: ProjectId, traceId: TraceId, withSteps?: boolean): Promise<FoundTrace>
  listSteps(
    query: StepsQuery,
  ): Promise<FoundSteps & { readonly steps: readonly StepRecord[]; readonly nextCursor: string | null }>
  /** The newest trace that has a step with this id. Throws DomainError `not_found`. */
  findStep(projectId: ProjectId, stepId: StepId): Promise<TraceId>
  /** What these valid rules would mask in the newest traces, at most `traces`. */
  previewMasking(projectId: ProjectId, masking: Masking, traces: number): Promise<MaskingPreview>
  /**
   * Commits a part of a trace with its ids. Throws DomainError `validation_failed` for an id in the future and for a
   * part that does not fit what is there, and `trace_id_taken`.
   */
  importPart(request: TracePartRequest): Promise<ImportOutcome>
  patch(projectId: ProjectId, traceId: TraceId, change: TracePatch): Promise<TraceRecord>
  delete(projectId: ProjectId, traceId: TraceId, deletion?: TraceDeletion): Promise<void>
  /** Undoes a deletion within `graceMs`. Throws DomainError `not_found` after that, and without it. */
  restore(projectId: ProjectId, traceId: TraceId): Promise<TraceRecord>
}

export interface FoundSteps {
  /** Steps whose own usage is not counted, or not all of it, and the step that it is counted on. */
  readonly countedOn: ReadonlyMap<StepId, StepId>
}

export interface FoundTrace extends FoundSteps {
  readonly trace: TraceRecord
  /** The steps that its findings name, by their positions. */
  readonly named: ReadonlyMap<number, StepId>
  /** All of its steps in arrival order, if they were small enough for one query: at most 512 KB of bodies. */
  readonly allSteps: readonly StepRecord[] | null
  /**
   * Its steps in arrival order, read page by page as the consumer takes them. A page is released when the next is
   * taken.
   */
  readonly steps: AsyncIterable<readonly StepRecord[]>
}

export interface CommitTraceRequest {
  readonly projectId: ProjectId
  /** May be freed once it is parsed; see lib/flow/passing-bytes.ts. */
  readonly body: Buffer
  readonly idempotencyKey: string | null
}

export interface TracePartRequest {
  readonly projectId: ProjectId
  readonly id: TraceId
  /** How many steps the parts before it have. */
  readonly from: number
  /** How many metric events they have. */
  readonly eventsFrom: number
  /** The part as it was sent, without white space around it: it is recognised by these bytes. */
  readonly sent: Buffer
  /** The bytes of its `trace`, of which nobody else reads. */
  readonly trace: Buffer
  /** The project that uris of its attachments name; null: they name this one. */
  readonly mediaProject: ProjectId | null
  readonly flagged: boolean
  readonly flagReason: string | null
  /** Its metric events, checked. Not called for a part that is there. */
  readonly scores: () => Promise<readonly NewScore[]>
  readonly createdBy: KeyId
}

/**
 * `replayed`: an earlier request has committed the same. `exists`: the project has the trace, but it was not imported
 * by this request: the content may be the same.
 */
export type ImportOutcome = 'committed' | 'replayed' | 'exists'

export interface ExportRequest {
  readonly projectId: ProjectId
  /** Decompressed. May be freed once it is decoded; see lib/flow/passing-bytes.ts. */
  readonly body: Buffer
  readonly encoding: SpanForm
}

export interface CommitReceipt {
  readonly id: TraceId
  readonly stepIds: readonly StepId[]
  /** Milliseconds since 1970 UTC. */
  readonly committedAt: number
  /** True when an earlier request with the same idempotency key has committed it. */
  readonly replayed: boolean
}

export interface AppendStepsRequest {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly chunks: AsyncIterable<Buffer>
}

/** The verdict on one physical line. `line` counts from 1; blank lines count but get no verdict. */
export type LineVerdict =
  { readonly line: number; readonly status: 'created' | 'duplicate'; readonly stepId: StepId } | RefusedLine

/** The filters of the list of traces. */
export interface FilteredRequest extends TraceFilters<'lists'> {
  readonly projectId: ProjectId
  /** All must match; `value` null means "has the key". */
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  /** Bounds on `created_at`, milliseconds; start inclusive, end exclusive. */
  readonly startTime: number | null
  readonly endTime: number | null
  /** Full text: blank-separated words, all of which must occur. */
  readonly text: string | null
}

export interface FeedQuery extends FilteredRequest, PageRequest {
  readonly sort: FeedSort
  readonly order: 'asc' | 'desc'
}

export interface FeedPage {
  readonly traces: readonly TraceRecord[]
  /** Where the words of `text` are; null without them. A trace that has them in its name alone is not here. */
  readonly snippets: ReadonlyMap<TraceId, Snippet> | null
  readonly nextCursor: string | null
}

export interface StepsQuery extends PageRequest {
  readonly projectId: ProjectId
  readonly traceId: TraceId
}

export interface TraceDeletion {
  /** For so long it can be undone. Default: 0. */
  readonly graceMs?: number
  /** By retention: series of metrics keep its numbers. Default: false. */
  readonly isExpired?: boolean
}

export interface TracePatch {
  readonly status: 'ok' | 'error' | null
  readonly flagged: boolean | null
  readonly reason: string | null
}
