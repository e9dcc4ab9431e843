import type { StepId } from '@spoor/contract/ids'
import type { MediaKind } from '@spoor/contract/schemas/attachment'
import type { MetricSource } from '../journal/metric-event.ts'
import type { SentTrace, StepUsage } from './trace-record.ts'

/**
 * A validated step, ready to be written: everything but what a commit decides (its id when the client chose none,
 * position, parent, version). Messages, metadata, token usage and error are never printed again: `body` holds the
 * client's own bytes.
 */
export interface PreparedStep {
  /** Chosen by the client, or null. */
  readonly id: StepId | null
  readonly parentStepId: StepId | null
  /** Without a parent it is a root: the commit infers none. */
  readonly mayBeRoot?: true
  readonly idempotencyKey: string | null
  /**
   * SHA-256 (hex) of the step's raw bytes without surrounding white space; only computed for steps with a key or a
   * chosen id, else ''.
   */
  readonly contentHash: string
  readonly name: string
  readonly type: string
  readonly model: string | null
  readonly status: 'ok' | 'error' | null
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** Milliseconds from the begin to the first token of the answer; null if unknown. */
  readonly firstTokenMs: number | null
  readonly tokenUsage: StepUsage | null
  /** Media of the project that it links to, each once, by SHA-256 (hex). */
  readonly attachments: readonly string[]
  /**
   * A raw JSON object with the members `messages`, `token_usage`, `metadata`, `error` that the client sent, each value
   * verbatim, in the order sent: `{"messages":[…],"metadata":{…}}`. `{}` when none.
   */
  readonly body: Buffer
  /** The texts for full-text search, as sent (searchable-texts.ts). */
  readonly texts: readonly string[]
  /** Blank-separated words that find it besides the words of its texts (search-text.ts). */
  readonly otherWords: string
  readonly said: StepSaid
  readonly calls: StepCalls
  /** Who sent it, and what it lacks: see `printSender`. */
  readonly sender: string
  /** What was masked in it. Absent if nothing was. */
  readonly masked?: MaskedCounts
}

/** How often each rule of masking applied, by its name. */
export type MaskedCounts = Readonly<Record<string, number>>

/** The stored fields of a step; its previews are in the digest of its trace. */
export type StoredStep = Omit<PreparedStep, 'said'> & { readonly said: Pick<StepSaid, 'errorType'> }

/** The tools that a step calls, each once, and the terms of its arguments (argument-terms.ts). */
export interface StepCalls {
  readonly tools: readonly string[]
  readonly arguments: readonly string[]
  /** It has calls, or its history has. */
  readonly knowsCalls?: true
  /**
   * Hashes by which repeated calls are found (run-calls.ts). `call` is of the tools and arguments; null also if the
   * arguments of a tool are unknown.
   */
  readonly exchange?: Readonly<Record<'call' | 'given' | 'returned', string | null>>
}

/** The texts of a step as previews (see toPreview); null without a text. */
export interface StepSaid {
  /** The first text of a user. */
  readonly input: string | null
  /** The last text of a model, whatever the type of the step is. */
  readonly output: string | null
  /** The step's error, whatever its status is. */
  readonly error: string | null
  /** The type of that error, whole; null also when no filter can name it, because it is longer than NAME_LENGTH. */
  readonly errorType: string | null
}

/** A validated trace body. Its steps carry distinct ids and, unless imported, idempotency keys. */
export interface PreparedTrace extends SentTrace {
  readonly steps: readonly PreparedStep[]
  /** What was masked in its own fields. Absent if nothing was. */
  readonly masked?: MaskedCounts
}

/** A span of OpenTelemetry, ready to be written: the step that it becomes, and what it says about its trace. */
export interface PreparedSpan {
  /** 32 lower-case hex digits: the trace's id at its sender. */
  readonly otelTraceId: string
  /** Its id and its parent's are derived from the ids of the spans. */
  readonly step: PreparedStep
  /** It is the trace itself, and no step is written: only id, parent, status, times and hash of `step` count. */
  readonly isTrace: boolean
  /** It is not the span, but log records that name it: they are joined with the span, whichever comes first. */
  readonly isRecords?: true
  /** Those of the step's attachments that the sender has uploaded before. The others come with the span. */
  readonly links: readonly string[]
  readonly facts: SpanFacts
  /** False for a span of a web server or a database, for example. */
  readonly isAboutAgents: boolean
  readonly evaluations: readonly SpanEvaluation[]
  /**
   * One part of what its step contains: what it says is merged with what other parts said. A mention changes no step
   * that exists.
   */
  readonly part?: 'content' | 'mention'
  /** Of the items of the request that it is made of. */
  readonly names?: readonly string[]
}

/** A score of the step that a span becomes: a metric event, if the project has a metric of this name. */
export interface SpanEvaluation {
  readonly name: string
  /** At least one of these is not null. */
  readonly score: number | null
  readonly label: string | null
  readonly explanation: string | null
  readonly source: MetricSource | null
  /** Milliseconds since 1970 UTC; null when unknown. */
  readonly at: number | null
  /** Unique in its trace, and the same when the span is sent again. */
  readonly key: string
  /** The kind of the metric that it defines if the project has none of this name. */
  readonly defines?: 'boolean' | 'numeric' | 'enum'
  /** It is about the whole trace, not about the step. */
  readonly isOfTrace?: true
}

export interface SpanFacts {
  readonly isRoot: boolean
  /** A name for the trace. Of several spans, the one with the least rank names it, then the one that began first. */
  readonly name: string
  readonly nameRank: number
  readonly runType: string | null
  /** The sender has chosen the run type: other spans do not change it. */
  readonly isRunTypeGiven?: true
  readonly sessionId: string | null
  readonly userId: string | null
  /** Keys of the trace's metadata, each with a JSON value. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** What was masked in these. Absent if nothing was. */
  readonly masked?: MaskedCounts
  /** Of a root that comes in parts, the order of this one: what the later says about the trace wins. */
  readonly partAt?: number
}

/** Bytes that a span had as base64. */
export interface SpanMedia {
  /** Lower-case hex. */
  readonly sha256: string
  readonly kind: MediaKind
  /** As the sender says. */
  readonly contentType: string | null
  readonly filename: string | null
  readonly bytes: Uint8Array
}

/** A request of spans: the spans to write, and the spans that are refused for good. */
export interface PreparedExport {
  readonly spans: readonly PreparedSpan[]
  /** Their bytes, each once: steps name them in `attachments`. */
  readonly media: readonly SpanMedia[]
  readonly rejected: RejectedSpans
}

export interface RejectedSpans {
  readonly count: number
  /** The first different reasons. */
  readonly reasons: readonly string[]
  /** Of a request whose items have names: each item, with the reason if it was refused. */
  readonly verdicts?: readonly NamedVerdict[]
}

export interface NamedVerdict {
  readonly name: string
  readonly refused: string | null
}

/** About what a prepared step holds besides its body and text, bytes. */
const STEP_OVERHEAD_BYTES = 500

/** About what it holds in memory while it waits for its commit. */
export function preparedStepBytes({ body, texts, otherWords, said, calls, sender }: PreparedStep): number {
  const found = textsLength(texts) + textsLength(calls.tools) + textsLength(calls.arguments)
  return body.length + found + otherWords.length + saidLength(said) + sender.length + STEP_OVERHEAD_BYTES
}

/** UTF-16 code units. */
export function textsLength(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

function saidLength({ input, output, error, errorType }: StepSaid): number {
  return [input, output, error, errorType].reduce((sum, text) => sum + (text?.length ?? 0), 0)
}

/** As `preparedStepBytes`. */
export function preparedTraceBytes({ metadata, steps }: PreparedTrace): number {
  return steps.reduce((sum, step) => sum + preparedStepBytes(step), STEP_OVERHEAD_BYTES + metadata.length)
}
