import { JsonScanner } from '../lib/json-scan.ts'
import type { StepRecord } from '../traces/step-record.ts'
import { toWireTime, toWireTimeOrNull } from './to-wire.ts'

/** What a step shows for a field of its body that the client did not send. */
const DEFAULTS = { messages: '[]', token_usage: 'null', metadata: '{}', error: 'null' } as const

const FIELDS = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]
const ALL_DEFAULTS = FIELDS.map((field) => `,"${field}":${DEFAULTS[field]}`).join('')

/** A step as JSON text. The members of its body go in verbatim. */
export function toStep(step: StepRecord): string {
  const fields = JSON.stringify({
    id: step.id,
    position: step.position,
    name: step.name,
    type: step.type,
    model: step.model,
    status: step.status,
    started_at: toWireTimeOrNull(step.startedAt),
    ended_at: toWireTimeOrNull(step.endedAt),
    received_at: toWireTime(step.receivedAt),
    parent_step_id: step.parentStepId,
    parent_inferred: step.parentInferred,
    idempotency_key: step.idempotencyKey,
    attachments: [],
  })
  return `${fields.slice(0, -1)}${bodyMembers(step.body)}}`
}

/** `,"messages":…,"error":null`: the body's own members, then what they leave out. */
function bodyMembers(body: string): string {
  const inside = body.slice(1, -1).trim()
  if (inside === '') return ALL_DEFAULTS
  let text = `,${inside}`
  const sent = membersOf(body)
  for (const field of FIELDS) if (!sent.has(field)) text += `,"${field}":${DEFAULTS[field]}`
  return text
}

function membersOf(body: string): ReadonlySet<string> {
  const members = new Set<string>()
  // The body was checked when it came in: no depth limit is needed any more.
  const scanner = new JsonScanner(Buffer.from(body), Infinity)
  scanner.enterObject()
  while (scanner.nextMember()) {
    for (const field of FIELDS) if (scanner.keyIs(field)) members.add(field)
    scanner.skipValue()
  }
  return members
}
