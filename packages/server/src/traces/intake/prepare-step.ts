import { hash } from 'node:crypto'
import type { StepId } from '@spoor/contract/ids'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { JSON_SCOPE } from '@spoor/contract/senders'
import type { Fields } from '@spoor/payloads/json'
import { searchableTexts } from '@spoor/payloads/searchable-texts'
import { toMillisecond } from '../../lib/time/timestamp.ts'
import type { ObjectOutline } from '../../lib/json/object-outline.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import { timeToFirstToken } from './first-token.ts'
import { stepCalls } from './step-calls.ts'
import { senderOf } from './step-sender.ts'
import { stepSaid } from './step-said.ts'
import type { Sides } from './unread-content.ts'
import { toOtherWords } from '../rules/search-text.ts'
import { toStepUsage } from './token-usage.ts'

/**
 * Prepares a valid step for writing. `outline` has the offsets of its members in `bytes`. It has the same members in
 * the same order as the step, because a valid step repeats none and has no key that looks like an array index. The
 * result shares no memory with `bytes`.
 */
export function prepareStep(bytes: Buffer, step: StepBody, outline: ObjectOutline): PreparedStep {
  const texts = searchableTexts(step)
  const id = (step.id as StepId | undefined) ?? null
  const idempotencyKey = step.idempotency_key ?? null
  const isRecognisable = id !== null || idempotencyKey !== null
  const type = step.type ?? 'other'
  const model = step.model ?? null
  const status = step.status ?? null
  const startedAt = toMillisecond(step.started_at)
  const tokenUsage = step.token_usage === undefined ? null : toStepUsage(step.token_usage)
  return {
    id,
    parentStepId: (step.parent_step_id as StepId | null | undefined) ?? null,
    ...(step.parent_step_id === null && { mayBeRoot: true }),
    idempotencyKey,
    contentHash: isRecognisable ? hash('sha256', bytes.subarray(outline.start, outline.end), 'hex') : '',
    name: step.name,
    type,
    model,
    status,
    startedAt,
    endedAt: toMillisecond(step.ended_at),
    firstTokenMs: timeToFirstToken(step.metadata as Fields | undefined, startedAt),
    tokenUsage,
    attachments: attachmentsOf(step),
    body: cutBody(bytes, step, outline),
    texts,
    otherWords: toOtherWords(texts),
    said: stepSaid(step.messages, step.error),
    calls: stepCalls(type, step.name, step.messages),
    sender: senderOf(JSON_SCOPE, '', {
      type,
      model,
      status,
      tokenUsage,
      messages: step.messages,
      unread: step.metadata === undefined ? [] : Object.entries(step.metadata),
      isAboutAgents: type !== 'other',
      takesTexts: false,
      isUnfinished: false,
      empty: NONE_EMPTY,
    }),
  }
}

const NONE_EMPTY: Sides = { input: false, output: false }
const NONE: readonly string[] = []

/**
 * Distinct hashes: a step links a media once, however often it names it. The uris are valid, so they end with the hash.
 */
export function attachmentsOf({ attachments }: StepBody): readonly string[] {
  if (attachments === undefined || attachments.length === 0) return NONE
  return [...new Set(attachments.map(({ uri }) => uri.slice(-64)))]
}

/** How each stored member begins in a body, including the comma before it. */
const BODY_KEYS: Readonly<Record<string, Buffer>> = {
  messages: Buffer.from(',"messages":'),
  token_usage: Buffer.from(',"token_usage":'),
  metadata: Buffer.from(',"metadata":'),
  error: Buffer.from(',"error":'),
}
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

function cutBody(bytes: Buffer, step: StepBody, outline: ObjectOutline): Buffer {
  const names = Object.keys(step)
  let length = 1
  for (let index = 0; index < names.length; index++) {
    const key = BODY_KEYS[names[index]!]
    const member = outline.members[index]!
    if (key !== undefined) length += key.length + member.end - member.start
  }
  if (length === 1) return Buffer.from('{}')
  const body = Buffer.allocUnsafe(length)
  let at = 0
  for (let index = 0; index < names.length; index++) {
    const key = BODY_KEYS[names[index]!]
    if (key === undefined) continue
    const member = outline.members[index]!
    at += key.copy(body, at)
    at += bytes.copy(body, at, member.start, member.end)
  }
  // The first key's comma becomes the opening brace.
  body[0] = OPEN_BRACE
  body[at] = CLOSE_BRACE
  return body
}
