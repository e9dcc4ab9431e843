import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { PreparedSpan, PreparedStep, SpanMedia } from '../../../ports/traces/prepared.ts'
import type { TokenUsage } from '../../../ports/traces/trace-record.ts'
import { toSearchText } from '../../intake/search-text.ts'
import { stepIdOf } from '../span-ids.ts'
import { BadSpan, type Span, type SpanEvent, type SpanOrigin, type Value } from '../wire/span.ts'
import { isAboutAgents } from './about-agents.ts'
import { spanEvaluations } from './evaluations.ts'
import { type FoundMedia, LEAST_MEDIA_TEXT, withoutInlineMedia } from './inline-media.ts'
import { type Message, spanMessages } from './messages.ts'
import { SpanFields } from './span-fields.ts'
import { stepType } from './step-type.ts'
import * as table from './mapping-table.ts'
import { tokenUsage } from './token-usage.ts'
import { filterText, traceFacts } from './trace-facts.ts'

type MappingLimits = Pick<Limits, 'lineBytes' | 'metadataKeys' | 'metadataKeyLength' | 'attachmentsPerTrace'>

interface MappedSpan {
  readonly span: PreparedSpan
  /** Bytes that it had as base64, each once. */
  readonly media: readonly SpanMedia[]
}

/** The step that a span becomes, and what it says about its trace. Throws BadSpan for a span that is too large. */
export function mapSpan(projectId: ProjectId, span: Span, origin: SpanOrigin, limits: MappingLimits): MappedSpan {
  const fields = new SpanFields(span.attributes)
  const facts = traceFacts(span, origin, fields)
  const type = stepType(span.name, fields)
  const name = filterText(fields.useFirstText(table.STEP_NAME)) ?? filterText(span.name) ?? 'span'
  const isClaudeCode = span.name.startsWith(table.CLAUDE_CODE_SPAN)
  const model = filterText(
    fields.useFirstText(isClaudeCode ? [...table.MODEL, ...table.CLAUDE_CODE_MODEL] : table.MODEL),
  )
  const usage = tokenUsage(span.name, type, fields)
  const { messages, usedEvents } = spanMessages(type, fields, span.events)
  const failure = spanError(span, fields)
  const times = spanTimes(span)
  // A step is never its own parent.
  const parentSpanId = span.parentSpanId === span.spanId ? null : span.parentSpanId
  const metadata = stepMetadata(span, origin, fields, usedEvents, limits)
  const content: Value = {
    ...(messages.length === 0 ? {} : { messages }),
    ...(usage === null ? {} : { token_usage: wireUsage(usage) }),
    metadata,
    ...(failure.error === null ? {} : { error: failure.error }),
  }
  const { body, media } = printBody(projectId, content)
  if (media.size > limits.attachmentsPerTrace) {
    throw new BadSpan(`a span has more than ${limits.attachmentsPerTrace} media`)
  }
  if (body.length > limits.lineBytes) throw new BadSpan(`a span has more than ${limits.lineBytes} bytes as a step`)
  const step = {
    name,
    type,
    model,
    status: failure.status,
    startedAt: times.startedAt,
    endedAt: times.endedAt,
    tokenUsage: usage,
    parentStepId: parentSpanId === null ? null : stepIdOf(span.traceId, parentSpanId),
  } satisfies Partial<PreparedStep>
  const prepared: PreparedSpan = {
    otelTraceId: span.traceId,
    facts,
    isAboutAgents: isAboutAgents(span, origin),
    evaluations: spanEvaluations(span),
    step: {
      ...step,
      id: stepIdOf(span.traceId, span.spanId),
      mayBeRoot: true,
      idempotencyKey: null,
      contentHash: hash('sha256', Buffer.concat([Buffer.from(JSON.stringify([step, facts])), body]), 'hex'),
      attachments: [...media.keys()],
      body,
      searchText: toSearchText([name, ...textsOf(messages)]),
    },
  }
  return { span: prepared, media: [...media.values()] }
}

/** A body that is too short to contain media, as nearly all, is printed once. */
function printBody(projectId: ProjectId, content: Value): { readonly body: Buffer; readonly media: FoundMedia } {
  const media: FoundMedia = new Map()
  const body = Buffer.from(JSON.stringify(content))
  if (body.length <= LEAST_MEDIA_TEXT) return { body, media }
  const without = withoutInlineMedia(projectId, content, media)
  return { body: media.size === 0 ? body : Buffer.from(JSON.stringify(without)), media }
}

function textsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    (content ?? []).flatMap(({ text }) => (typeof text === 'string' ? [text] : [])),
  )
}

function wireUsage({ input, output, cacheRead, cacheWrite, reasoning }: TokenUsage) {
  return {
    input,
    output,
    ...(cacheRead === 0 ? {} : { cache_read: cacheRead }),
    ...(cacheWrite === 0 ? {} : { cache_write: cacheWrite }),
    ...(reasoning === 0 ? {} : { reasoning }),
  }
}

const NS_PER_MS = 1_000_000n

/** Milliseconds; null when unknown or before 1970. An end before the start counts as the start. */
function spanTimes({ startNs, endNs }: Span): { readonly startedAt: number | null; readonly endedAt: number | null } {
  const startedAt = startNs <= 0n ? null : Number(startNs / NS_PER_MS)
  const endedAt = endNs <= 0n ? null : Number(endNs / NS_PER_MS)
  return { startedAt, endedAt: startedAt !== null && endedAt !== null ? Math.max(startedAt, endedAt) : endedAt }
}

const OK = 1
const ERROR = 2
const EXCEPTION_EVENT = 'exception'

interface Failure {
  readonly status: 'ok' | 'error' | null
  readonly error: { readonly type?: string; readonly message?: string } | null
}

/** The event of the exception stays in the metadata, for its stack. */
function spanError(span: Span, fields: SpanFields): Failure {
  const isLangfuseError = fields.text(table.LANGFUSE_LEVEL)?.toUpperCase() === 'ERROR'
  if (span.statusCode !== ERROR && !isLangfuseError) {
    return { status: span.statusCode === OK ? 'ok' : null, error: null }
  }
  const exception = span.events.findLast(({ name }) => name === EXCEPTION_EVENT)
  const ofException = new SpanFields(exception?.attributes ?? new Map())
  const type = fields.useFirstText(table.ERROR_TYPE) ?? ofException.text('exception.type')
  const message =
    ofException.text('exception.message') ??
    (span.statusMessage === '' ? fields.useFirstText([table.LANGFUSE_STATUS_MESSAGE]) : span.statusMessage)
  const error = {
    ...(type === undefined ? {} : { type: type.toWellFormed() }),
    ...(message === undefined ? {} : { message: message.toWellFormed() }),
  }
  return { status: 'error', error: Object.keys(error).length === 0 ? null : error }
}

const KINDS = ['', '', 'server', 'client', 'producer', 'consumer'] as const

/** Where attributes go that the metadata of a step has no room for. */
const MORE = 'otel.more_attributes'

/**
 * All that is in no field of the step, under its own name. What is no attribute has a name that begins with `otel.`.
 */
function stepMetadata(
  span: Span,
  { resource, scope }: SpanOrigin,
  fields: SpanFields,
  usedEvents: ReadonlySet<SpanEvent>,
  limits: MappingLimits,
): Readonly<Record<string, Value>> {
  const entries: [string, Value][] = [['otel.span_id', span.spanId]]
  if (span.parentSpanId === span.spanId) entries.push(['otel.parent_span_id', span.parentSpanId])
  if (scope.name !== '') entries.push(['otel.scope.name', scope.name])
  if (scope.version !== '') entries.push(['otel.scope.version', scope.version])
  if (scope.attributes.size > 0) entries.push(['otel.scope.attributes', Object.fromEntries(scope.attributes)])
  const kind = KINDS[span.kind] ?? ''
  if (kind !== '') entries.push(['otel.kind', kind])
  if (span.traceState !== '') entries.push(['otel.trace_state', span.traceState])
  if (span.endNs > 0n && span.endNs < span.startNs) entries.push(['otel.end_time_unix_nano', String(span.endNs)])
  for (const [name, ns] of [['start', span.startNs] as const, ['end', span.endNs] as const]) {
    if (ns < 0n) entries.push([`otel.${name}_time_unix_nano`, String(ns)])
  }
  const events = span.events.filter((event) => !usedEvents.has(event))
  if (events.length > 0) entries.push(['otel.events', events.map(toValue)])
  if (span.links.length > 0) {
    entries.push([
      'otel.links',
      span.links.map(({ traceId, spanId, attributes }) => ({
        trace_id: traceId,
        span_id: spanId,
        ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
      })),
    ])
  }
  if (resource.size > 0) entries.push(['otel.resource', Object.fromEntries(resource)])
  const more: [string, Value][] = []
  // One place is for what does not fit.
  const room = limits.metadataKeys - 1
  for (const entry of fields.rest) {
    const fits = entries.length < room && entry[0].length <= limits.metadataKeyLength
    ;(fits ? entries : more).push(entry)
  }
  if (more.length > 0) entries.push([MORE, Object.fromEntries(more)])
  return Object.fromEntries(entries)
}

function toValue({ name, timeNs, attributes }: SpanEvent): Value {
  return {
    name,
    ...(timeNs > 0n ? { time_unix_nano: String(timeNs) } : {}),
    ...(attributes.size === 0 ? {} : { attributes: Object.fromEntries(attributes) }),
  }
}
