import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import type { Received } from './received.ts'
import { Receiver } from './receiver.ts'
import { Subscriptions } from './subscriptions.ts'

export interface KillOptions {
  readonly rounds: number
  readonly seed: number
  readonly progress: (line: string) => void
}

export interface KillReport {
  readonly kills: number
  readonly receiverKills: number
  readonly acknowledgedTraces: number
  readonly acknowledgedMetricEvents: number
  readonly requestsReceived: number
  readonly eventsReceived: number
  /** Requests for events that had arrived before. */
  readonly repeated: number
  readonly violations: readonly string[]
}

const WORKERS = 6
const LONGEST_LIFE_MS = 1500
/** Acknowledged traces in every other life: their rate depends on the machine. */
const LEAST_TRACES = 12
const SECRET = 'a secret of sixteen'

/**
 * Kills the service, and sometimes the receiver, at random moments during commits and deliveries. In the end every
 * event must have arrived.
 */
export async function runKills({ rounds, seed, progress }: KillOptions): Promise<KillReport> {
  const random = createRandom(seed)
  const violations: string[] = []
  await using receiver = await Receiver.start(SECRET)
  await using service = await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1' } })
  const subscriptions = await Subscriptions.of(() => service.client)
  const events = ['trace.committed', 'trace.flagged', 'metric.event']
  const webhookId = await subscriptions.create({ url: receiver.url, events, secret: SECRET })
  await post(service, '/v1/metrics', { name: 'score', kind: 'numeric' })

  const traceIds = new Set<string>()
  const metricEventIds = new Set<string>()
  const life = { isKilled: false }
  let receiverKills = 0
  const work = async () => {
    while (!life.isKilled) {
      try {
        const failed = random.chance(0.1)
        const steps = [{ name: 'turn', status: failed ? 'error' : 'ok' }]
        const answer = await service.client.postTrace({ name: 'a run', steps })
        if (answer.status !== 202) violations.push(`a trace was answered ${answer.status} ${answer.text}`)
        const { id } = answer.json<{ id: string }>()
        traceIds.add(id)
        if (!random.chance(0.5)) continue
        const recorded = await post(service, '/v1/metrics/events', {
          name: 'score',
          trace_id: id,
          value: random.next(),
        })
        if (recorded.status !== 201) violations.push(`a metric event was answered ${recorded.status} ${recorded.text}`)
        metricEventIds.add(recorded.json<{ id: string }>().id)
      } catch (error) {
        if (!life.isKilled) violations.push(`no answer although the service runs: ${String(error)}`)
        return
      }
    }
  }
  for (let round = 1; round <= rounds; round++) {
    life.isKilled = false
    const working = Array.from({ length: WORKERS }, work)
    const enough = round % 2 === 0 ? 0 : traceIds.size + LEAST_TRACES
    await eventually('traces are acknowledged', () => traceIds.size >= enough)
    await sleep(random.below(LONGEST_LIFE_MS))
    const killsReceiver = random.chance(0.25)
    if (killsReceiver) {
      await receiver.kill()
      receiverKills += 1
      await sleep(random.below(300))
    }
    life.isKilled = true
    await service.kill()
    await Promise.all(working)
    if (killsReceiver) await receiver.start()
    await service.start()
    progress(`round ${round}: ${traceIds.size} traces and ${metricEventIds.size} metric events acknowledged`)
  }
  await eventually('everything is delivered', async () => {
    // First this: what is dispatched between the two questions is pending.
    const metrics = await service.client.get('/metrics')
    if (/^spoor_webhook_journal_behind (\d+)/m.exec(metrics.text)?.[1] !== '0') return false
    return !(await subscriptions.hasPending(webhookId))
  })

  const received = receiver.received()
  const byEvent = Map.groupBy(received, ({ eventId }) => eventId)
  for (const one of received) if (one.problem !== null) violations.push(`${one.eventId}: ${one.problem} is wrong`)
  for (const [eventId, all] of byEvent) {
    if (new Set(all.map(({ bodyHash }) => bodyHash)).size > 1)
      violations.push(`${eventId} arrived with different bytes`)
    if (new Set(all.map(({ deliveryId }) => deliveryId)).size > 1)
      violations.push(`${eventId} arrived as two deliveries`)
  }
  const firsts = [...byEvent.values()].map((all) => all[0]!)
  const feed = await walkFeed(service.client)
  compare(
    'trace.committed',
    feed.map(({ id }) => id),
    idsOf(firsts, 'trace.committed', 'trace'),
    violations,
  )
  const failed = feed.filter(({ status }) => status === 'error').map(({ id }) => id)
  compare('trace.flagged', failed, idsOf(firsts, 'trace.flagged', 'trace'), violations)
  for (const id of traceIds) if (!feed.some((row) => row.id === id)) violations.push(`${id} is lost`)
  const recorded = idsOf(firsts, 'metric.event', 'event')
  for (const id of metricEventIds) if (!recorded.includes(id)) violations.push(`${id} never arrived`)
  if (new Set(recorded).size < recorded.length) violations.push('a metric event arrived under two event ids')

  const log = await subscriptions.deliveries(webhookId)
  compare(
    'the log',
    log.map(({ event_id }) => event_id),
    [...byEvent.keys()],
    violations,
  )
  for (const { id, status } of log) if (status !== 'succeeded') violations.push(`the log says ${id} ${status}`)
  return {
    kills: rounds,
    receiverKills,
    acknowledgedTraces: traceIds.size,
    acknowledgedMetricEvents: metricEventIds.size,
    requestsReceived: received.length,
    eventsReceived: byEvent.size,
    repeated: received.length - byEvent.size,
    violations,
  }
}

function idsOf(received: readonly Received[], type: string, field: 'trace' | 'event'): string[] {
  return received.filter((one) => one.type === type).map(({ data }) => (data[field] as { id: string }).id)
}

/** Checks that both have the same elements, each once. */
function compare(what: string, wanted: readonly string[], found: readonly string[], violations: string[]): void {
  const [all, arrived] = [new Set(wanted), new Set(found)]
  if (arrived.size < found.length) violations.push(`${what}: ${found.length - arrived.size} arrived under two ids`)
  for (const id of all) if (!arrived.has(id)) violations.push(`${what}: ${id} never arrived`)
  for (const id of arrived) if (!all.has(id)) violations.push(`${what}: ${id} arrived and does not exist`)
}

function post(service: Service, path: string, body: object) {
  const headers = { 'content-type': 'application/json' }
  return service.client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
}
