import type { Client } from '../lib/client.ts'
import { forEach } from '../lib/for-each.ts'
import type { Random } from '../lib/random.ts'
import { isRefused, statusOf } from './refusals.ts'
import type { Ledger, SentEvent, SentTrace } from './ledger.ts'

/** What a workload needs to send. */
interface Sender {
  readonly client: Client
  readonly ledger: Ledger
  readonly random: Random
  /** Whether the service was killed, so that responses may be missing. */
  readonly killed: () => boolean
  readonly mayRefuse?: (status: number) => boolean
}

interface Verdict {
  readonly line: number
  readonly status: 'created' | 'duplicate' | 'error'
  readonly event_id: string | null
  readonly code: string | null
}

interface FoundEvent {
  readonly id: string
  readonly trace_id: string
  readonly value: number
  readonly comment: string
  readonly idempotency_key: string | null
}

const METRIC = 'judged under fire'

/** Call it for each process of the service; repeated calls change nothing. */
export async function defineMetric(client: Client, ledger: Ledger): Promise<void> {
  const answer = await client.call({
    method: 'POST',
    path: '/v1/metrics',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: METRIC, kind: 'numeric' }),
  })
  if (answer.status !== 200 && answer.status !== 201) ledger.violate(`the metric: ${answer.status} ${answer.text}`)
}

/** One request with events of several traces, with and without keys. */
export async function judgeSome(workload: Sender, traces: readonly SentTrace[]): Promise<boolean> {
  const { ledger, random } = workload
  if (traces.length === 0) return true
  const events = Array.from({ length: 1 + random.below(20) }, () => newEvent(ledger, random, random.pick(traces)))
  ledger.events.push(...events)
  return sendEvents(workload, events)
}

/** Sends events with a key and without a response once more. */
export async function retryUnansweredEvents(workload: Sender): Promise<void> {
  const { ledger } = workload
  const unanswered = [...ledger.unansweredEvents]
  ledger.unansweredEvents.clear()
  for (let from = 0; from < unanswered.length; from += 100)
    await sendEvents(workload, unanswered.slice(from, from + 100))
}

/** A retry of keyed events with a response must not change anything. */
export async function retryAnsweredEvents(workload: Sender, count: number): Promise<void> {
  const { ledger, random } = workload
  const answered = ledger.events.filter(
    ({ idempotencyKey, id, trace }) => idempotencyKey !== null && id !== null && trace.deletion === 'none',
  )
  if (answered.length > 0)
    await sendEvents(
      workload,
      Array.from({ length: count }, () => random.pick(answered)),
    )
}

function newEvent(ledger: Ledger, random: Random, trace: SentTrace): SentEvent {
  const comment = ledger.nextName('event')
  const idempotencyKey = random.chance(0.6) ? `key of ${comment}` : null
  return { trace, comment, value: random.below(1000) / 7, idempotencyKey, id: null }
}

async function sendEvents(workload: Sender, events: readonly SentEvent[]): Promise<boolean> {
  const { client, ledger, killed } = workload
  const body = events.map(({ trace, comment, value, idempotencyKey }) => ({
    name: METRIC,
    trace_id: trace.id,
    value,
    comment,
    ...(idempotencyKey === null ? {} : { idempotency_key: idempotencyKey }),
  }))
  try {
    const answer = await client.call({
      method: 'POST',
      path: '/v1/metrics/events',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (isRefused(workload, answer)) {
      leaveUnanswered(ledger, events)
      return true
    }
    if (answer.status !== 200 && answer.status !== 207) {
      ledger.violate(`metric events: ${answer.status} ${answer.text}`)
      return true
    }
    for (const verdict of answer.json<{ results: readonly Verdict[] }>().results) takeVerdict(workload, events, verdict)
    ledger.acknowledgedRequests += 1
    return true
  } catch (error) {
    if (!killed()) ledger.violate(`metric events: no response although the service runs: ${String(error)}`)
    leaveUnanswered(ledger, events)
    return false
  }
}

function leaveUnanswered(ledger: Ledger, events: readonly SentEvent[]): void {
  for (const event of events) if (event.idempotencyKey !== null && event.id === null) ledger.unansweredEvents.add(event)
}

function takeVerdict(workload: Sender, events: readonly SentEvent[], verdict: Verdict): void {
  const { ledger } = workload
  const event = events[verdict.line - 1]
  if (event === undefined) {
    ledger.violate(`a verdict on metric event ${verdict.line}, which was not sent`)
  } else if (verdict.status === 'error') {
    if (verdict.code !== null && isRefused(workload, { status: statusOf(verdict.code) })) {
      leaveUnanswered(ledger, [event])
      return
    }
    const isGone = verdict.code === 'unknown_trace' && event.trace.deletion !== 'none'
    if (!isGone) ledger.violate(`${event.comment} of ${event.trace.name}: ${JSON.stringify(verdict)}`)
  } else {
    if (event.id !== null && event.id !== verdict.event_id)
      ledger.violate(`${event.comment}: the id was ${event.id}, a retry says ${verdict.event_id}`)
    event.id = verdict.event_id
  }
}

/**
 * Returns the number of events: every acknowledged one exactly once, in the list and in its trace, and none of a
 * deleted trace.
 */
export async function verifyEvents(client: Client, ledger: Ledger): Promise<number> {
  const found = await walkEvents(client, ledger)
  const byComment = new Map<string, FoundEvent>()
  const sent = new Map(ledger.events.map((event) => [event.comment, event]))
  for (const event of found) {
    if (byComment.has(event.comment)) ledger.violate(`${event.comment} exists twice`)
    byComment.set(event.comment, event)
    const original = sent.get(event.comment)
    if (original === undefined) ledger.violate(`${event.comment} ${event.id} was never sent`)
    else verifyEvent(ledger, original, event)
  }
  for (const { id, comment, trace } of ledger.events) {
    if (id !== null && trace.deletion === 'none' && !byComment.has(comment)) ledger.violate(`${comment} ${id} is lost`)
  }
  await verifyTraces(client, ledger, found)
  return found.length
}

function verifyEvent(ledger: Ledger, sent: SentEvent, found: FoundEvent): void {
  const { comment, trace, id, value, idempotencyKey } = sent
  if (trace.deletion === 'acknowledged') ledger.violate(`${comment} exists although ${trace.name} is deleted`)
  if (id !== null && id !== found.id) ledger.violate(`${comment} ${id} is now ${found.id}`)
  if (found.trace_id !== trace.id || found.value !== value || found.idempotency_key !== idempotencyKey)
    ledger.violate(`${comment} was returned changed: ${JSON.stringify(found)}`)
}

/** Each trace must show the same events as the list. */
async function verifyTraces(client: Client, ledger: Ledger, listed: readonly FoundEvent[]): Promise<void> {
  const byTrace = Map.groupBy(listed, (event) => event.trace_id)
  await forEach([...byTrace], async ([traceId, events]) => {
    const answer = await client.get(`/v1/traces/${traceId}`)
    const inTrace = answer.json<{ metric_events?: readonly FoundEvent[] }>().metric_events ?? []
    const expected = events.map(({ id }) => id).sort()
    if (expected.join() !== inTrace.map(({ id }) => id).join())
      ledger.violate(`${traceId} shows ${inTrace.length} metric events, the list ${expected.length} of it`)
  })
}

async function walkEvents(client: Client, ledger: Ledger): Promise<FoundEvent[]> {
  const found: FoundEvent[] = []
  let cursor: string | null = null
  do {
    const parameters = new URLSearchParams({ limit: '1000', ...(cursor === null ? {} : { cursor }) })
    const answer = await client.get(`/v1/metrics/events?${parameters}`)
    if (answer.status !== 200) {
      ledger.violate(`the list of metric events: ${answer.status} ${answer.text}`)
      break
    }
    const page = answer.json<{ events: readonly FoundEvent[]; next_cursor: string | null }>()
    found.push(...page.events)
    cursor = page.next_cursor
  } while (cursor !== null)
  return found
}
