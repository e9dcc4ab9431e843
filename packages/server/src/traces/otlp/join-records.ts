import type { Limits } from '@spoor/contract/limits'
import type { Message } from '@spoor/payloads/forms/message-forms'
import { isFields, isList } from '@spoor/payloads/json'
import { parseExactJson } from '@spoor/payloads/exact-json'
import type { PreparedSpan } from '../../ports/traces/prepared.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import { type Content, withContent, withinLimit } from './with-content.ts'
import { joinedMessages, type KeptRecord, LOG_RECORDS, type RecordWithMessages } from './map/log-records.ts'

/**
 * The content that replaces a stored step: that of the span with the messages of all records that named it, whichever
 * of them was stored. Null: the records are all known.
 */
export function joinRecords(old: StepRecord, span: PreparedSpan, limits: Limits): PreparedSpan | null {
  const isRecords = span.isRecords === true
  if (!isRecords && !old.body.includes(LOG_RECORDS)) return span
  const [stored, sent] = [old.body, span.step.body.toString()].map((body) => parseExactJson(body) as Content)
  const [base, other] = isRecords ? [stored!, sent!] : [sent!, stored!]
  const [before, added] = [partsOf(base), partsOf(other)]
  const known = new Set(before.records.map(({ id }) => id))
  const fresh = added.records.filter(({ id }) => !known.has(id))
  if (fresh.length === 0) return isRecords ? null : span
  const records = [...before.records, ...fresh].sort((a, b) =>
    Number(BigInt(a.time_unix_nano) - BigInt(b.time_unix_nano)),
  )
  const { messages, kept } = joinedMessages(before.own, records)
  const body = withinLimit(
    { ...base, messages, metadata: { ...base.metadata, [LOG_RECORDS]: kept } },
    'log records',
    limits,
    [LOG_RECORDS],
  )
  const { name, type, model, status, startedAt, endedAt, tokenUsage, parentStepId } = isRecords ? old : span.step
  const fields = { name, type, model, status, startedAt, endedAt, tokenUsage, parentStepId }
  const { 'otel.scope.name': scope, 'otel.scope.version': version } = body.metadata ?? {}
  return withContent(span, fields, body, { scope: String(scope ?? ''), version: String(version ?? '') })
}

/** The step's own messages, and its records with theirs. Senders can write this key too: a message is of one record. */
function partsOf({ messages = [], metadata }: Content): {
  readonly own: Message[]
  readonly records: RecordWithMessages[]
} {
  const taken = new Set<number>()
  const sent = metadata?.[LOG_RECORDS]
  const records = (isList(sent) ? sent : []).filter(isKept).map(({ at, ...record }) => {
    const places = at.filter((place) => messages[place] !== undefined && !taken.has(place) && taken.add(place))
    return Object.assign(record, { messages: places.map((place) => messages[place]!) })
  })
  return { own: messages.filter((_, at) => !taken.has(at)), records }
}

function isKept(one: unknown): one is KeptRecord {
  if (!isFields(one)) return false
  const { id, time_unix_nano: time, at } = one
  const isTimed = typeof time === 'string' && /^\d{1,20}$/.test(time)
  return isTimed && typeof id === 'string' && isList(at) && at.every(Number.isSafeInteger)
}
