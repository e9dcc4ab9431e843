import { hash } from 'node:crypto'
import { type Message, toMessages } from '@spoor/payloads/forms/message-forms'
import {
  type Attributes,
  BadSpan,
  checkIds,
  type LogRecord,
  type Sent,
  type Span,
  type SpanEvent,
  type SpanOrigin,
  untold,
  type Value,
} from '../wire/span.ts'
import * as table from './mapping-table.ts'
import { type FoundMessages, spanMessages } from './messages.ts'
import { isObject, parsed, SpanFields } from './span-fields.ts'

/** A key of the metadata of a step: the records that were joined with it. */
export const LOG_RECORDS = 'otel.log_records'

/** Log records that are taken: what official instrumentations send as records, and Claude Code. */
const RECORDS =
  /^(gen_ai\.((system|user|assistant|tool)\.message|choice|client\.inference\.operation\.details|evaluation\.result)|claude_code\.(user_prompt|assistant_response|tool_result))$/
/** Records of Claude Code: who says which attribute. */
const CLAUDE_CODE_RECORDS: ReadonlyMap<string, readonly [role: string, attribute: string]> = new Map([
  ['claude_code.user_prompt', ['user', 'prompt']],
  ['claude_code.assistant_response', ['assistant', 'response']],
])
/** Stands for a text that its user does not send. */
const WITHHELD = '<REDACTED>'

/** A record as its step keeps it. */
export interface KeptRecord {
  readonly id: string
  readonly name: string
  readonly time_unix_nano: string
  /** Places in the messages of the step of those that it had. */
  readonly at: readonly number[]
  /** Of a record without messages. */
  readonly attributes?: Value
}

/**
 * Log records of one request as spans, one for each span that they name. `refuse` gets why a record is not taken. A
 * record is known by its content, so that it counts once, whatever else comes with it.
 */
export function spansOfRecords(sent: readonly Sent<LogRecord>[], refuse: (error: unknown) => void): Sent<Span>[] {
  const found = new Map<string, OfSpan>()
  for (const { origin, decode } of sent) {
    try {
      const record = decode()
      const name = nameOf(record)
      const ids = checkIds(record.traceId, record.spanId, '', untold)
      const key = ids.traceId + ids.spanId
      const ofSpan: OfSpan = found.get(key) ?? { origin, ids, events: [], attributes: new Map(), alike: new Map() }
      found.set(key, ofSpan)
      ofSpan.events.push(toEvent(name, record, ofSpan.alike))
      for (const [field, value] of record.attributes) if (OF_RUN.has(field)) ofSpan.attributes.set(field, value)
    } catch (error) {
      refuse(error)
    }
  }
  return [...found.values()].map(({ origin, ids, events, attributes }) => {
    const [{ name }] = events as [SpanEvent]
    const sorted = events.toSorted((a, b) => Number(a.timeNs - b.timeNs))
    const span = { ...NO_SPAN, ...ids, name, startNs: sorted[0]!.timeNs, events: sorted, attributes }
    return { origin, decode: () => span }
  })
}

interface OfSpan {
  readonly origin: SpanOrigin
  readonly ids: Pick<Span, 'traceId' | 'spanId' | 'parentSpanId'>
  readonly events: SpanEvent[]
  /** Session and user. */
  readonly attributes: Map<string, Value>
  /** How many records have the same content. */
  readonly alike: Map<string, number>
}

const OF_RUN: ReadonlySet<string> = new Set([...table.SESSION_ID, ...table.USER_ID])

const NO_SPAN = {
  isPending: true,
  isRecords: true,
  traceState: '',
  kind: 0,
  endNs: 0n,
  links: [],
  statusCode: 0,
  statusMessage: '',
  problems: [],
} as const

/** Claude Code has the whole name in the body. */
function nameOf({ name, attributes, body }: LogRecord): string {
  const names = [name, attributes.get('event.name'), body]
  const known = names.find((one) => typeof one === 'string' && RECORDS.test(one))
  if (known !== undefined) return known as string
  const told = String(names.find((one) => typeof one === 'string' && one !== '') ?? 'without a name').slice(0, 100)
  throw new BadSpan(`log records are taken only if they are contents of a call of a model, not ${told.toWellFormed()}`)
}

function toEvent(name: string, { timeNs, attributes, body }: LogRecord, alike: Map<string, number>): SpanEvent {
  const printed = JSON.stringify([name, String(timeNs), [...attributes], body])
  const content = hash('sha256', printed, 'hex').slice(0, 32)
  const before = alike.get(content) ?? 0
  alike.set(content, before + 1)
  // Two equal messages at one time are two.
  const id = before === 0 ? content : `${content}.${before}`
  return { id, name, timeNs, attributes: fieldsOf(name, attributes, body) }
}

/** The content is the body, or else the attributes. */
function fieldsOf(name: string, attributes: Attributes, body: Value): Attributes {
  const inner = parsed(body)
  const own = [...attributes].filter(([key]) => key !== 'event.name')
  if (isObject(inner)) return new Map([...(MESSAGE.test(name) ? [] : own), ...Object.entries(inner)])
  const content: [string, Value][] = inner === null || inner === undefined || body === name ? [] : [['content', inner]]
  return new Map([...own, ...content])
}

const MESSAGE = /^gen_ai\.(choice$|.*\.message$)/

/** The messages of records, and the records as their step keeps them. */
export function recordMessages(events: readonly SpanEvent[]): FoundMessages & { readonly kept: readonly KeptRecord[] } {
  const records = events.map(({ id, name, timeNs, attributes }) => {
    const messages = messagesOf({ name, timeNs, attributes })
    const left = messages.length > 0 ? {} : { attributes: Object.fromEntries(attributes) }
    return { id: id!, name, time_unix_nano: String(timeNs), ...left, messages }
  })
  return { ...joinedMessages([], records), usedEvents: new Set(events), usage: null, inputs: 0 }
}

function messagesOf(event: SpanEvent): readonly Message[] {
  if (event.name === 'claude_code.tool_result') return toolCall(event.attributes)
  const [role, attribute] = CLAUDE_CODE_RECORDS.get(event.name) ?? []
  if (role === undefined || attribute === undefined) return spanMessages('llm', NO_FIELDS, [event]).messages
  const value = event.attributes.get(attribute)
  return value === undefined || value === WITHHELD ? [] : toMessages(value, role)
}

/** Claude Code names the interaction, not the step of the tool: it is the call within the conversation. */
function toolCall(attributes: Attributes): readonly Message[] {
  const parameters = parsed(attributes.get('tool_parameters'))
  const name = (isObject(parameters) ? parameters['mcp_tool_name'] : undefined) ?? attributes.get('tool_name')
  const input = attributes.get('tool_input')
  if (input === undefined || name === undefined) return []
  const call = { id: attributes.get('tool_use_id') ?? null, type: 'function', function: { name, arguments: input } }
  return toMessages({ tool_calls: [call] }, 'assistant')
}

const NO_FIELDS = new SpanFields(new Map())

/** A record with the messages that it had. */
export type RecordWithMessages = Omit<KeptRecord, 'at'> & { readonly messages: readonly Message[] }

/**
 * A span's own messages and those of its records, which are in the order of their times. What the span says itself is
 * not repeated. Records come after it, but for what a call has before.
 */
export function joinedMessages(
  own: readonly Message[],
  records: readonly RecordWithMessages[],
): { readonly messages: readonly Message[]; readonly kept: readonly KeptRecord[] } {
  const said = new Set(own.map(words))
  const begins = own.length === 0 ? -1 : placeOf(own[0]!)
  const [first, last]: [Message[], Message[]] = [[], []]
  const added = records.map(({ messages }) => messages.filter((message) => !said.has(words(message))))
  for (const message of added.flat()) (placeOf(message) < begins ? first : last).push(message)
  const messages = [...first, ...own, ...last]
  const places = new Map(messages.map((message, at) => [message, at]))
  const kept = records.map(({ messages: _, ...record }, at) => ({
    ...record,
    at: added[at]!.map((message) => places.get(message)!),
  }))
  return { messages, kept }
}

/** In a call: requests, then answers and arguments of tools, then results. */
function placeOf({ role }: Message): number {
  return ['assistant', 'tool'].indexOf(role)
}

function words({ role, content, tool_calls: calls }: Message): string {
  return JSON.stringify([role, content, calls])
}
