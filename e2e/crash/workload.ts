import { request } from 'node:http'
import type { AppendResponse, LineResult } from '@spoor/contract/schemas/traces/line-result'
import type { Client } from '../lib/client.ts'
import type { Random } from '../lib/random.ts'
import { newStep, newTrace } from './content.ts'
import { isRefused, statusOf } from './refusals.ts'
import { judgeSome, retryAnsweredEvents, retryUnansweredEvents } from './metric-events.ts'
import type { Ledger, SentStep, SentTrace } from './ledger.ts'

export interface Workload {
  readonly client: Client
  readonly ledger: Ledger
  readonly random: Random
  /** True from just before the kill: only then may a request get no response. */
  readonly killed: () => boolean
  /** When to stop, if the service outlives what kills a part of it. Absent: when a request got no response. */
  readonly ended?: () => boolean
  /** Whether a request may get this status because a disk is full or lost. Absent: nothing may be refused. */
  readonly mayRefuse?: (status: number) => boolean
  /** The same for new traces. Absent: as for other writes. */
  readonly mayRefuseTraces?: (status: number) => boolean
  /** The same for reads. Absent: as for writes. */
  readonly mayRefuseReads?: (status: number) => boolean
  /** Called before each request; absent: the next request follows at once. */
  readonly pace?: () => Promise<void>
}

/** Uses every part of the service until it is gone. */
export async function work(workload: Workload): Promise<void> {
  const { random, ended } = workload
  while (!(ended ?? workload.killed)()) {
    await workload.pace?.()
    const dice = random.next()
    const done =
      dice < 0.25
        ? sendTrace(workload, newTrace(workload.ledger, random, false))
        : dice < 0.5
          ? sendTrace(workload, newTrace(workload.ledger, random, true))
          : dice < 0.7
            ? appendToSome(workload)
            : dice < 0.77
              ? streamToSome(workload)
              : dice < 0.84
                ? judgeSome(workload, someTraces(workload))
                : dice < 0.89
                  ? resendSome(workload)
                  : dice < 0.95
                    ? markSome(workload)
                    : deleteSome(workload)
    if (!(await done) && ended === undefined) return
  }
}

/** Repeats every keyed request without a response, and requests that may safely be repeated. */
export async function retryUnanswered(workload: Workload): Promise<void> {
  const { ledger } = workload
  for (const trace of ledger.unansweredTraces) await sendTrace(workload, trace)
  const unansweredSteps = new Map(ledger.unansweredSteps)
  ledger.unansweredSteps.clear()
  for (const [trace, steps] of unansweredSteps) await append(workload, trace, steps)
  await retryUnansweredEvents(workload)
  for (const trace of ledger.unansweredDeletions) await deleteTrace(workload, trace)
  for (const trace of ledger.traces.values()) {
    if (trace.askedMark !== null && trace.deletion === 'none') await mark(workload, trace, trace.askedMark)
  }
}

/** A retry of keyed requests with a response must not change anything. */
export async function retryAnswered(workload: Workload, count: number): Promise<void> {
  const { ledger, random } = workload
  await retryAnsweredEvents(workload, 5 * count)
  const answered = [...ledger.traces.values()].filter(
    (trace) => trace.idempotencyKey !== null && trace.id !== null && trace.deletion === 'none',
  )
  for (let i = 0; i < count && answered.length > 0; i++) {
    const trace = random.pick(answered)
    await sendTrace(workload, trace)
    const keyed = trace.steps.filter((step) => step.idempotencyKey !== null && step.id !== null)
    if (keyed.length > 0) await append(workload, trace, keyed)
  }
}

/** A keyed trace that was refused, or not answered yet: an impatient client sends it again, at another node perhaps. */
async function resendSome(workload: Workload): Promise<boolean> {
  const { ledger, random } = workload
  const unanswered = [...ledger.unansweredTraces].filter(({ busy }) => !busy)
  if (unanswered.length === 0) return true
  const trace = random.pick(unanswered)
  // Nobody deletes it before all its answers are there.
  trace.busy = true
  const answered = await sendTrace(workload, trace)
  trace.busy = false
  return answered
}

export async function sendTrace(workload: Workload, trace: SentTrace): Promise<boolean> {
  const { client, ledger, killed, random, mayRefuse, mayRefuseTraces = mayRefuse } = workload
  const headers: Record<string, string> = {}
  if (trace.idempotencyKey !== null) {
    headers['idempotency-key'] = trace.idempotencyKey
    ledger.unansweredTraces.add(trace)
  }
  const send = () => client.postTrace(trace.body, headers)
  // Impatient clients send the same again while the first request is pending.
  const twice = trace.idempotencyKey !== null && random.chance(0.2)
  const answers = await Promise.allSettled(twice ? [send(), send()] : [send()])
  let answered = true
  for (const answer of answers) {
    if (answer.status === 'rejected') {
      if (!killed()) ledger.violate(`${trace.name}: no response although the service runs: ${String(answer.reason)}`)
      answered = false
    } else if (answer.value.status === 202) {
      const { id, step_ids } = answer.value.json<{ id: string; step_ids: string[] }>()
      ledger.acknowledgeTrace(trace, id, step_ids)
    } else if (mayRefuseTraces?.(answer.value.status) === true) {
      const isUnsure = answer.value.text.includes('may or may not have been stored')
      if (!killed() && !isUnsure && trace.idempotencyKey === null) ledger.refusedTraces.add(trace)
    } else {
      ledger.violate(`${trace.name}: ${answer.value.status} ${answer.value.text}`)
    }
  }
  return answered
}

async function appendToSome(workload: Workload): Promise<boolean> {
  const trace = someTrace(workload)
  if (trace === null) return true
  const { ledger, random } = workload
  const steps = Array.from({ length: 1 + random.below(8) }, () => newStep(ledger, random, random.chance(0.7)))
  trace.steps.push(...steps)
  return append(workload, trace, steps)
}

async function append(workload: Workload, trace: SentTrace, steps: readonly SentStep[]): Promise<boolean> {
  const { client, ledger, killed } = workload
  const lines = steps.map((step) => JSON.stringify(step.body)).join('\n')
  try {
    const answer = await client.append(trace.id as string, lines)
    if (answer.status === 404 && trace.deletion !== 'none') return true
    if (isRefused(workload, answer)) {
      ledger.leaveStepsUnanswered(trace, steps)
      return true
    }
    if (answer.status !== 200 && answer.status !== 207) {
      ledger.violate(`append to ${trace.name}: ${answer.status} ${answer.text}`)
      return true
    }
    takeVerdicts(workload, trace, steps, answer.json<AppendResponse>().results)
    ledger.acknowledgedRequests += 1
    return true
  } catch (error) {
    if (!killed()) ledger.violate(`append to ${trace.name}: no response although the service runs: ${String(error)}`)
    ledger.leaveStepsUnanswered(trace, steps)
    return false
  }
}

/** Lines are sent one at a time. A verdict that arrived counts even if the others never arrive. */
async function streamToSome(workload: Workload): Promise<boolean> {
  const trace = someTrace(workload)
  if (trace === null) return true
  const { client, ledger, random, killed } = workload
  const steps = Array.from({ length: 10 + random.below(40) }, () => newStep(ledger, random, random.chance(0.7)))
  trace.steps.push(...steps)
  const outgoing = request(`${client.url}/v1/traces/${trace.id}/steps`, {
    method: 'POST',
    agent: false,
    headers: {
      'x-api-key': client.key as string,
      'content-type': 'application/x-ndjson',
      accept: 'application/x-ndjson',
    },
  })
  let text = ''
  let refused = false
  const { promise: ended, resolve: end } = Promise.withResolvers<boolean>()
  outgoing.on('error', () => end(false))
  outgoing.on('response', (incoming) => {
    refused = isRefused(workload, { status: incoming.statusCode ?? 0 })
    incoming.on('data', (chunk: Buffer) => (text += chunk.toString()))
    incoming.on('error', () => end(false))
    incoming.on('end', () => end(incoming.statusCode === 200 || incoming.statusCode === 404))
  })
  for (const step of steps) {
    outgoing.write(`${JSON.stringify(step.body)}\n`)
    if (random.chance(0.2)) await new Promise((resolve) => setTimeout(resolve, random.below(10)))
  }
  outgoing.end()
  const whole = await ended
  const complete = text.slice(0, text.lastIndexOf('\n') + 1)
  const results = complete.split('\n').filter((line) => line !== '' && line.includes('"line"'))
  takeVerdicts(
    workload,
    trace,
    steps,
    results.map((line) => JSON.parse(line) as LineResult),
  )
  if (whole) return true
  if (refused) {
    ledger.leaveStepsUnanswered(trace, steps)
    return true
  }
  if (!killed()) ledger.violate(`stream to ${trace.name}: cut off although the service runs`)
  ledger.leaveStepsUnanswered(trace, steps)
  return false
}

function takeVerdicts(
  workload: Workload,
  trace: SentTrace,
  steps: readonly SentStep[],
  results: readonly LineResult[],
): void {
  const { ledger } = workload
  for (const result of results) {
    const step = steps[result.line - 1]
    if (step === undefined) ledger.violate(`${trace.name}: a verdict on line ${result.line}, which was not sent`)
    else if (result.status !== 'error') ledger.acknowledgeStep(trace, step, result.step_id)
    else if (isRefused(workload, { status: statusOf(result.code) })) ledger.leaveStepsUnanswered(trace, [step])
    else if (trace.deletion === 'none') ledger.violate(`${trace.name} ${step.name}: ${JSON.stringify(result)}`)
  }
}

async function markSome(workload: Workload): Promise<boolean> {
  const trace = someTrace(workload)
  if (trace === null || trace.busy) return true
  const { ledger, random } = workload
  return mark(workload, trace, { flagged: random.chance(0.5), reason: ledger.nextName('reason') })
}

/** Without a response the trace stays busy until a retry: a node may carry out the request later than another one. */
async function mark(workload: Workload, trace: SentTrace, wanted: SentTrace['askedMark']): Promise<boolean> {
  const { client, ledger, killed } = workload
  trace.busy = true
  trace.askedMark = wanted
  try {
    const answer = await client.call({
      method: 'PATCH',
      path: `/v1/traces/${trace.id}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(wanted),
    })
    trace.busy = false
    if (isRefused(workload, answer)) return true
    if (answer.status !== 200) ledger.violate(`PATCH ${trace.name}: ${answer.status} ${answer.text}`)
    trace.acknowledgedMark = wanted
    trace.askedMark = null
    ledger.acknowledgedRequests += 1
    return true
  } catch (error) {
    if (!killed()) ledger.violate(`PATCH ${trace.name}: no response although the service runs: ${String(error)}`)
    return false
  }
}

async function deleteSome(workload: Workload): Promise<boolean> {
  const trace = someTrace(workload)
  if (trace === null || trace.busy) return true
  trace.busy = true
  return deleteTrace(workload, trace)
}

async function deleteTrace(workload: Workload, trace: SentTrace): Promise<boolean> {
  const { client, ledger, killed } = workload
  const again = trace.deletion === 'asked'
  trace.deletion = 'asked'
  ledger.unansweredDeletions.add(trace)
  try {
    const { status, text } = await client.call({ method: 'DELETE', path: `/v1/traces/${trace.id}` })
    if (isRefused(workload, { status })) return true
    if (status !== 204 && !(again && status === 404)) ledger.violate(`DELETE ${trace.name}: ${status} ${text}`)
    trace.deletion = 'acknowledged'
    ledger.unansweredDeletions.delete(trace)
    ledger.acknowledgedRequests += 1
    return true
  } catch (error) {
    if (!killed()) ledger.violate(`DELETE ${trace.name}: no response although the service runs: ${String(error)}`)
    return false
  }
}

/** May contain duplicates. */
function someTraces(workload: Workload): readonly SentTrace[] {
  return Array.from({ length: 5 }, () => someTrace(workload)).filter((trace) => trace !== null)
}

/** Mostly one of the newest, so that several writers change the same trace. */
function someTrace({ ledger, random }: Workload): SentTrace | null {
  const traces = [...ledger.traces.values()]
  for (let tries = 0; tries < 10 && traces.length > 0; tries++) {
    const among = random.chance(0.7) ? Math.min(12, traces.length) : traces.length
    const trace = traces[traces.length - 1 - random.below(among)]
    if (trace !== undefined && trace.id !== null && trace.deletion === 'none') return trace
  }
  return null
}
