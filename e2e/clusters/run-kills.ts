import { setTimeout as sleep } from 'node:timers/promises'
import type { DiscoveryJob } from '@spoor/contract/schemas/cluster'
import { eventually } from '../lib/eventually.ts'
import { walkFeed } from '../lib/feed.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { Receiver } from '../webhooks/receiver.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'
import { askForDiscovery, jobEnd, listClusters, readJob } from './discoveries.ts'
import { TOPIC_COUNT, topicTrace } from './topic-traces.ts'

interface KillOptions {
  readonly rounds: number
  readonly seed: number
  readonly progress: (line: string) => void
}

interface KillReport {
  readonly kills: number
  /** The phase of the discovery before each kill. */
  readonly phases: Readonly<Record<string, number>>
  readonly succeeded: number
  /** Jobs that were interrupted three times. */
  readonly givenUp: number
  readonly eventsReceived: number
  readonly violations: readonly string[]
}

const SECRET = 'a secret of nobody else'
/** A job that was started this often without an end fails. */
const STARTS = 3
/** About as long as a discovery of one round's traces takes. */
const LONGEST_LIFE_MS = 1200
const TRACES_OF_ROUND = 120

/**
 * Kills the service during discoveries. Each discovery must still end, its events must be emitted once, and the stored
 * clusters must match them.
 */
export async function runKills({ rounds, seed, progress }: KillOptions): Promise<KillReport> {
  const random = createRandom(seed)
  const violations: string[] = []
  const phases: Record<string, number> = {}
  const ended: DiscoveryJob[] = []
  let kills = 0
  await using receiver = await Receiver.start(SECRET)
  await using service = await Service.start({ environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1' } })
  const subscriptions = await Subscriptions.of(() => service.client)
  const events = ['cluster.created', 'cluster.shifted']
  await subscriptions.create({ url: receiver.url, events, secret: SECRET })

  for (let round = 0; round < rounds; round++) {
    // One more topic now and then, so that there are events.
    const topics = Math.min(TOPIC_COUNT, 2 + Math.floor(round / 2))
    await Promise.all(
      Array.from({ length: TRACES_OF_ROUND }, (_, n) => service.client.postTrace(topicTrace(n % topics, random))),
    )
    const jobId = await askForDiscovery(service.client)
    const killed = round % 2 === 1 ? 1 + random.below(STARTS - 1) : random.below(STARTS)
    for (let life = 0; life < killed; life++) {
      // Every other round, the first process ends while traces are listed: that phase is too short to be hit by chance.
      const aimed = life === 0 && round % 2 === 1
      const phase = aimed
        ? await listingOrLater(service, jobId)
        : await lastPhaseWithin(service, jobId, random.below(LONGEST_LIFE_MS))
      await service.kill()
      kills += 1
      phases[phase] = (phases[phase] ?? 0) + 1
      await service.start()
    }
    const job = await jobEnd(() => service.client, jobId)
    ended.push(job)
    progress(`round ${round}: ${killed} kills, ${job.status} ${job.error ?? JSON.stringify(job.result)}`)
    if (job.status === 'failed') violations.push(`a discovery that was begun ${killed + 1} times failed: ${job.error}`)
  }

  const results = ended.flatMap(({ result }) => (result === null ? [] : [result]))
  const expected = results.reduce((sum, { created, shifted }) => sum + created + shifted, 0)
  const distinct = () => new Set(receiver.received().map(({ eventId }) => eventId)).size
  await eventually('every event arrives', () => distinct() >= expected)
  if (distinct() !== expected) violations.push(`${distinct()} of ${expected} events were emitted`)
  const created = new Map<string, string>()
  for (const { type, eventId, data, problem } of receiver.received()) {
    if (problem !== null) violations.push(`${problem} of ${eventId} did not verify`)
    if (type !== 'cluster.created') continue
    const { id } = (data as { cluster: { id: string } }).cluster
    if ((created.get(id) ?? eventId) !== eventId) violations.push(`${id} was reported as new by two events`)
    created.set(id, eventId)
  }
  let members = 0
  for (const { id, size } of await listClusters(service.client)) {
    if (!created.has(id)) violations.push(`${id} is stored but was never reported`)
    const rows = await walkFeed(service.client, { cluster: id })
    if (rows.length !== size) violations.push(`${id} has ${rows.length} traces in the feed, and says ${size}`)
    members += rows.length
  }
  if (members !== rounds * TRACES_OF_ROUND)
    violations.push(`${members} of ${rounds * TRACES_OF_ROUND} traces have a cluster`)
  const succeeded = ended.filter(({ status }) => status === 'succeeded').length
  return { kills, phases, succeeded, givenUp: ended.length - succeeded, eventsReceived: distinct(), violations }
}

/** Waits this long and returns the phase that was seen last. */
async function lastPhaseWithin({ client }: Service, jobId: string, ms: number): Promise<string> {
  const until = performance.now() + ms
  for (;;) {
    const { status, progress } = await readJob(client, jobId)
    if (performance.now() >= until) return progress?.phase ?? status
    await sleep(5)
  }
}

/** Resolves with the phase as soon as the discovery is no longer queued: nearly always the first phase. */
async function listingOrLater({ client }: Service, jobId: string): Promise<string> {
  for (;;) {
    const { status, progress } = await readJob(client, jobId)
    if (status !== 'queued') return progress?.phase ?? status
  }
}
