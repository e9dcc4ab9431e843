import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import type { PreparedSpan, PreparedStep, SpanMedia } from '../../../ports/traces/prepared.ts'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { shortened } from '../../../lib/json/shortened.ts'
import { joinMetadata, tellProblem } from '../../../lib/validation/move-aside.ts'
import { toOtherWords } from '../../rules/search-text.ts'
import { searchableTexts } from '@spoor/payloads/searchable-texts'
import { stepCalls } from '../../intake/step-calls.ts'
import { stepSaid } from '../../intake/step-said.ts'
import { parentStepId, stepIdOf } from '../span-ids.ts'
import { BadSpan, type Span, type SpanOrigin, type Value } from '../wire/span.ts'
import { isAboutAgents } from './about-agents.ts'
import { spanEvaluations } from './evaluations.ts'
import { keepSizesOfVectors } from './flattened-messages.ts'
import { type FoundMedia, LEAST_MEDIA_TEXT, withoutInlineMedia } from './inline-media.ts'
import { LOG_RECORDS, recordMessages } from './log-records.ts'
import { mapTraceSpan } from './map-trace-span.ts'
import { type FoundMessages, spanMessages } from './messages.ts'
import { withoutPending } from './pending-span.ts'
import { isTraceSpan, type RecordedStep, recordedStep } from './recorded-fields.ts'
import { isObject, type JsonObject, parsed, SpanFields, toText } from './span-fields.ts'
import { exceptionOf, spanError, spanStatus, spanTimes } from './span-outcome.ts'
import { spanSender } from './span-sender.ts'
import { stepMetadata } from './step-metadata.ts'
import { stepType } from './step-type.ts'
import { isRunning, SPAN_PART, storedPart } from '../span-part.ts'
import * as table from './mapping-table.ts'
import { tokenUsage } from './token-usage.ts'
import { timeToFirstToken } from '../../intake/first-token.ts'
import { attachmentsOf } from '../../intake/prepare-step.ts'
import { toSentUsage, toStepUsage } from '../../intake/token-usage.ts'
import { filterText, traceFacts } from './trace-facts.ts'

interface MappedSpan {
  readonly span: PreparedSpan
  /** Bytes that it had as base64, each once. */
  readonly media: readonly SpanMedia[]
  /** What was wrong with values, which were cut or moved aside. */
  readonly warnings: readonly string[]
}

/**
 * The step that a span becomes, and what it says about its trace. Throws BadSpan for a span with too many media, and
 * for one that stays too large however it is cut.
 */
export function mapSpan(projectId: ProjectId, sent: Span, origin: SpanOrigin, limits: Limits): MappedSpan {
  const span = withoutPending(sent)
  const fields = new SpanFields(span.attributes)
  const isTrace = isTraceSpan(fields)
  const facts = traceFacts(span, origin, fields, isTrace, limits)
  if (isTrace)
    return { span: mapTraceSpan(projectId, span, origin, fields, facts, limits), media: [], warnings: fields.warnings }
  const kind = stepType(span, fields)
  const name =
    filterText(fields.useFirstText(kind === 'tool' ? table.NAMES_OF_TOOL : table.STEP_NAME)) ??
    filterText(span.name) ??
    'span'
  const recorded = recordedStep(projectId, name, fields, limits, span.problems)
  const { given = NONE_GIVEN, step: own } = recorded ?? {}
  const type = own?.type ?? kind
  const models = table.TYPES_WITH_USAGE.has(type) ? table.MODELS_OF_CALL : table.MODEL
  const settings = table.TYPES_WITH_USAGE.has(type) ? parsed(fields.get(table.MODEL_OBJECT)) : undefined
  const named = isObject(settings) ? toText(settings['model']) : undefined
  const model = own?.model ?? filterText(fields.useFirstText(models) ?? named)
  const isSilent = given.has('messages') || fields.text(table.TOOL_NAME) === table.MERGED_TOOLS
  const ofRecords = span.isRecords ? recordMessages(span.events) : null
  const found = isSilent ? NO_MESSAGES : (ofRecords ?? spanMessages(type, fields, span.events))
  const { messages, usedEvents } = found
  if (type === 'embedding') keepSizesOfVectors(fields)
  const ofAnswer = table.TYPES_WITH_USAGE.has(type) ? found.usage : null
  const usage =
    own?.token_usage === undefined
      ? tokenUsage(fields, { spanName: span.name, origin, model, ofAnswer })
      : toStepUsage(own.token_usage)
  const status = spanStatus(span, origin, fields)
  const error = status === 'error' && !given.has('error') ? spanError(span, fields) : null
  // A step is never its own parent.
  const parentSpanId = span.parentSpanId === span.spanId ? null : span.parentSpanId
  const failure = error === null ? undefined : exceptionOf(span)
  const unread = fields.rest
  // Senders of parts have no events of their own: the exception is the error.
  const told = span.part === undefined ? usedEvents : new Set(span.events)
  const metadata = {
    ...stepMetadata(span, origin, unread, { usedEvents: told, failure }, limits),
    ...(ofRecords === null ? {} : { [LOG_RECORDS]: ofRecords.kept as unknown as Value }),
    ...(span.part === undefined ? {} : { [SPAN_PART]: storedPart(span, { inputs: found.inputs, status, model }) }),
  }
  const { text: whole, media } = printBody(projectId, [
    { name: 'messages', value: messages.length === 0 ? null : (messages as Value), text: given.get('messages') },
    { name: 'token_usage', value: usage === null ? null : toSentUsage(usage), text: given.get('token_usage') },
    { name: 'metadata', value: metadata, text: mergedMetadata(given.get('metadata'), metadata) },
    { name: 'error', value: error, text: given.get('error') },
  ])
  for (const one of span.media ?? []) media.set(one.sha256, one)
  const links = (own === undefined ? [] : attachmentsOf(own)).filter((sha256) => !media.has(sha256))
  if (media.size + links.length > limits.attachmentsPerTrace) {
    throw new BadSpan(`a span has more than ${limits.attachmentsPerTrace} media`)
  }
  const cut = cutBody(whole, fields, limits)
  const text = cut === null ? whole : JSON.stringify(cut)
  const said = own?.messages ?? messages
  const shown = cut ?? { messages: said, error: own?.error ?? error }
  const times = spanTimes(span)
  const step = {
    name,
    type,
    model: isRunning(span) ? null : model,
    status,
    ...times,
    firstTokenMs: timeToFirstToken({ ...metadata, ...own?.metadata }, times.startedAt),
    tokenUsage: usage,
    parentStepId: parentSpanId === null ? null : parentStepId(span.traceId, parentSpanId),
  } satisfies Partial<PreparedStep>
  const texts = searchableTexts({ name, messages: shown.messages, error: shown.error })
  const aboutAgents = isAboutAgents(span, origin, kind)
  const prepared: PreparedSpan = {
    otelTraceId: span.traceId,
    facts,
    isTrace,
    ...(span.isRecords ? { isRecords: true } : {}),
    links,
    isAboutAgents: aboutAgents,
    evaluations: [...(span.evaluations ?? []), ...spanEvaluations(span, fields)],
    ...(span.part === undefined ? {} : { part: span.part.isMention === true ? 'mention' : 'content' }),
    step: {
      ...step,
      id: stepIdOf(span.traceId, span.spanId),
      mayBeRoot: true,
      idempotencyKey: null,
      contentHash: hash('sha256', JSON.stringify([step, facts]) + text, 'hex'),
      attachments: [...media.keys(), ...links],
      body: Buffer.from(text),
      said: stepSaid(shown.messages, shown.error),
      calls: stepCalls(type, name, shown.messages),
      texts,
      otherWords: toOtherWords(texts),
      sender: spanSender(span, origin, fields, own, {
        ...step,
        model,
        messages: said,
        unread,
        isAboutAgents: aboutAgents,
      }),
    },
  }
  return { span: prepared, media: [...media.values()], warnings: fields.warnings }
}

type Body = Pick<StepBody, 'messages' | 'error' | 'metadata'>

/** The body as the longest step that may be stored; null if it is not longer. */
function cutBody(body: string, fields: SpanFields, { lineBytes }: Limits): Body | null {
  const bytes = Buffer.byteLength(body)
  if (bytes <= lineBytes) return null
  const found = shortened(parseExactJson(body), lineBytes - MOST_SAID)
  if (found === null) throw new BadSpan(`a span has more than ${lineBytes} bytes as a step`)
  const cut = found.value as Body
  const problem = `It had ${bytes} bytes, of ${lineBytes} at most. ${found.said}`
  tellProblem(cut, { field: '', problem })
  fields.warn(`a span was cut: ${problem}`)
  return cut
}

/** Bytes of what is said of it. */
const MOST_SAID = 1000

const NONE_GIVEN: RecordedStep['given'] = new Map()
const NO_MESSAGES: FoundMessages = { messages: [], usedEvents: new Set(), usage: null, inputs: 0 }

/** A member of a step's body. A text of JSON is stored as it was sent, in place of the value. */
interface Member {
  readonly name: string
  readonly value: Value
  readonly text: string | undefined
}

/** Members without a value are left out. A body that is too short to contain media, as nearly all, is printed once. */
function printBody(
  projectId: ProjectId,
  members: readonly Member[],
): { readonly text: string; readonly media: FoundMedia } {
  const media: FoundMedia = new Map()
  const present = members.filter(({ value, text }) => value !== null || text !== undefined)
  const printed = print(present)
  if (printed.length <= LEAST_MEDIA_TEXT) return { text: printed, media }
  const without = present.map((member) => {
    const { name, text } = member
    const before: Value = { [name]: text === undefined ? member.value : (JSON.parse(text) as Value) }
    const after = withoutInlineMedia(projectId, before, media)
    return after === before ? member : { name, value: (after as JsonObject)[name] as Value, text: undefined }
  })
  return { text: media.size === 0 ? printed : print(without), media }
}

function print(members: readonly Member[]): string {
  return `{${members.map(({ name, value, text }) => `"${name}":${text ?? JSON.stringify(value)}`).join(',')}}`
}

/** The metadata of a recorder byte for byte, then the other keys. */
function mergedMetadata(given: string | undefined, others: JsonObject): string | undefined {
  if (given === undefined) return undefined
  const own = JSON.parse(given) as JsonObject
  const joined = joinMetadata(own, others)
  // Something of both was put together, so the bytes are not those that were sent.
  if (Object.entries(own).some(([key, value]) => joined[key] !== value))
    return JSON.stringify(joinMetadata(parseExactJson(given) as JsonObject, others))
  const left = Object.entries(others).filter(([key]) => !Object.hasOwn(own, key))
  const members = [given.trim().slice(1, -1).trim(), JSON.stringify(Object.fromEntries(left)).slice(1, -1)]
  return `{${members.filter((text) => text !== '').join(',')}}`
}
