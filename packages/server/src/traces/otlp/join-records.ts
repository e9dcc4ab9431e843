import type { Limits } from '@spoor/contract/limits'
import type { Message } from '@spoor/payloads/forms/message-forms'
import { isFields, isList } from '@spoor/payloads/json'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { searchableTexts } from '@spoor/payloads/searchable-texts'
import { shortened } from '../../lib/json/shortened.ts'
import { tellProblem } from '../../lib/validation/move-aside.ts'
import type { PreparedSpan, PreparedStep } from '../../ports/traces/prepared.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import { stepSaid } from '../intake/step-said.ts'
import { senderOf } from '../intake/step-sender.ts'
import { toOtherWords } from '../rules/search-text.ts'
import { joinedMessages, type KeptRecord, LOG_RECORDS, type RecordWithMessages } from './map/log-records.ts'

interface Body {
  readonly messages?: readonly Message[]
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly error?: { readonly type?: string; readonly message?: string }
}

/**
 * The content that replaces a stored step: that of the span with the messages of all records that named it, whichever
 * of them was stored. Null: the records are all known.
 */
export function joinRecords(old: StepRecord, span: PreparedSpan, limits: Limits): PreparedSpan | null {
  const isRecords = span.isRecords === true
  if (!isRecords && !old.body.includes(LOG_RECORDS)) return span
  const [stored, sent] = [old.body, span.step.body.toString()].map((body) => parseExactJson(body) as Body)
  const [base, other] = isRecords ? [stored!, sent!] : [sent!, stored!]
  const [before, added] = [partsOf(base), partsOf(other)]
  const known = new Set(before.records.map(({ id }) => id))
  const fresh = added.records.filter(({ id }) => !known.has(id))
  if (fresh.length === 0) return isRecords ? null : span
  const records = [...before.records, ...fresh].sort((a, b) =>
    Number(BigInt(a.time_unix_nano) - BigInt(b.time_unix_nano)),
  )
  const { messages, kept } = joinedMessages(before.own, records)
  const body: Body | null = withinLimit<Body>(
    { ...base, messages, metadata: { ...base.metadata, [LOG_RECORDS]: kept } },
    'log records',
    limits,
  )
  if (body === null) return isRecords ? null : span
  const { name, type, model, status, startedAt, endedAt, tokenUsage, parentStepId } = isRecords ? old : span.step
  const texts = searchableTexts({ name, ...body })
  const step = { name, type, model, status, startedAt, endedAt, tokenUsage, parentStepId }
  return {
    ...span,
    step: {
      ...span.step,
      ...step,
      body: Buffer.from(JSON.stringify(body)),
      said: stepSaid(body.messages, body.error),
      texts,
      otherWords: toOtherWords(texts),
      sender: senderOfJoined(step, body),
    },
  }
}

/** Null if it cannot be cut to what a step may have. */
export function withinLimit<T extends object>(body: T, what: string, { lineBytes }: Limits): T | null {
  const bytes = Buffer.byteLength(JSON.stringify(body))
  if (bytes <= lineBytes) return body
  const found = shortened(body, lineBytes - MOST_SAID)
  if (found === null) return null
  const problem = `With its ${what} it had ${bytes} bytes, of ${lineBytes} at most. ${found.said}`
  tellProblem(found.value as Record<string, unknown>, { field: '', problem })
  return found.value as T
}

/** Bytes of what is said of it. */
const MOST_SAID = 1000

/** The step's own messages, and its records with theirs. Senders can write this key too: a message is of one record. */
function partsOf({ messages = [], metadata }: Body): {
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

type Joined = Pick<PreparedStep, 'type' | 'model' | 'status' | 'tokenUsage' | 'endedAt'>

function senderOfJoined(step: Joined, { messages, metadata = {} }: Body): string {
  return senderOf(String(metadata['otel.scope.name'] ?? ''), String(metadata['otel.scope.version'] ?? ''), {
    ...step,
    messages,
    unread: Object.entries(metadata),
    isAboutAgents: true,
    takesTexts: true,
    isUnfinished: step.endedAt === null,
    empty: { input: false, output: false },
  })
}
