import { isRawNumber, parseExactJson } from '@spoor/payloads/exact-json'
import { isFields, parseJson } from '@spoor/payloads/json'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import type { StepRecord } from '../../ports/traces/step-record.ts'

/**
 * What a step did, without what differs between any two runs: ids and times. Members are sorted, and text that is JSON
 * is its value, so that two steps did the same if their contents are the same as JSON.
 */
export interface StepContent {
  readonly name: string
  readonly type: string
  readonly status: string
  readonly error: { readonly type: string | null; readonly message: string | null } | null
  readonly model: string | null
  readonly messages: readonly unknown[]
  readonly metadata: unknown
}

/** Numbers with so many digits may lose some. Others are the same in any notation. */
const LONG_NUMBER = /\d{16}/

type SentBody = Pick<StepBody, 'messages' | 'metadata' | 'error' | 'token_usage'>

/** `usage` is the `token_usage` of the client, as sent. */
export function readStep({ name, type, status, model, body }: Omit<StepRecord, 'id'>): {
  readonly content: StepContent
  readonly usage: unknown
} {
  const {
    messages = [],
    metadata = {},
    error,
    token_usage: usage,
  } = (LONG_NUMBER.test(body) ? parseExactJson(body) : JSON.parse(body)) as SentBody
  const content = {
    name,
    type,
    status,
    error: error === undefined ? null : { type: error.type ?? null, message: error.message ?? null },
    model,
    messages: messages.map((message) => normal(message, 'message')),
    metadata: normal(metadata, 'metadata'),
  }
  return { content, usage }
}

/**
 * Ids and times are left out of messages, their parts and calls, and of metadata; of metadata also figures. All that
 * arguments and results of calls have counts: it is data of the run.
 */
type Kind = 'message' | 'metadata' | 'data'

/** Members of a message or a part that hold further parts or calls. */
const PARTS = new Set(['content', 'parts', 'tool_calls', 'function'])
const ID_OR_TIME =
  /(?:^|[_.-])(?:ids?|uuid|guid|signature|time|timestamp|ts|at|date|duration|latency|elapsed|ms|ns|seconds)$|[a-z](?:Ids?|At|Time|Timestamp|Date|Duration|Ms)$/
const FIGURE = /(?:^|[_.-])(?:usage|cost)(?:$|[_.-])/

function normal(value: unknown, kind: Kind): unknown {
  if (typeof value === 'string') return structured(value, kind === 'message' ? 'data' : kind)
  if (Array.isArray(value)) return value.map((one) => normal(one, kind))
  if (!isFields(value) || isRawNumber(value)) return value
  const members: Record<string, unknown> = {}
  for (const name of Object.keys(value).sort()) {
    const member = value[name]
    if (member === undefined || leavesOut(kind, name, value)) continue
    members[name] = normal(member, kind === 'message' ? kindIn(name) : kind)
  }
  return members
}

function leavesOut(kind: Kind, name: string, { type }: Readonly<Record<string, unknown>>): boolean {
  if (kind === 'data') return false
  // A document is known by its id.
  if (kind === 'message') return ID_OR_TIME.test(name) && !(name === 'id' && type === 'document')
  return ID_OR_TIME.test(name) || FIGURE.test(name)
}

function kindIn(name: string): Kind {
  return PARTS.has(name) ? 'message' : name.endsWith('metadata') ? 'metadata' : 'data'
}

/** A value with sorted members, where text that is JSON is its value. */
export const inOneForm = (value: unknown): unknown => normal(value, 'data')

/** The object or list that a text holds, unless reading it could change a number. */
function structured(text: string, kind: Kind): unknown {
  if (!/^\s*[[{]/.test(text) || LONG_NUMBER.test(text)) return text
  const value = parseJson(text)
  return value === text ? text : normal(value, kind)
}
