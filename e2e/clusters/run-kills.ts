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
  /** Where the discovery was last seen before each kill. */
  readonly phases: Readonly<Record<string, number>>
  readonly succeeded: number
  /** Broken off three times. */
  readonly givenUp: number
  readonly eventsReceived: number
  readonly violations: readonly string[]
}

const SECRET = 'a secret of nobody else'
/** A job that was begun so often and came to no end fails. */
const STARTS = 3
/** About as long as a discovery of what a round commits takes. */
const LONGEST_LIFE_MS = 1200
const TRACES_OF_ROUND = 120

/** Kills the service in the middle of discoveries. Each must end all the same, and what they found must be told once and stand as it was told. */
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
    // One topic more now and then, so that there is news.
    const topics = Math.min(TOPIC_COUNT, 2 + Math.floor(round / 2))
    await Promise.all(
      Array.from({ length: TRACES_OF_ROUND }, (_, n) => service.client.postTrace(topicTrace(n % topics, random))),
    )
    const jobId = await askForDiscovery(service.client)
    const killed = round % 2 === 1 ? 1 + random.below(STARTS - 1) : random.below(STARTS)
    for (let life = 0; life < killed; life++) {
      // The first life of every other round ends while the traces are listed: a moment that is too short to be met by chance.
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
  if (distinct() !== expected) violations.push(`${distinct()} events were told of ${expected}`)
  const created = new Map<string, string>()
  for (const { type, eventId, data, problem } of receiver.received()) {
    if (problem !== null) violations.push(`${problem} of ${eventId} did not verify`)
    if (type !== 'cluster.created') continue
    const { id } = (data as { cluster: { id: string } }).cluster
    if ((created.get(id) ?? eventId) !== eventId) violations.push(`${id} was told as new by two events`)
    created.set(id, eventId)
  }
  let members = 0
  for (const { id, size } of await listClusters(service.client)) {
    if (!created.has(id)) violations.push(`${id} stands there and was never told`)
    const rows = await walkFeed(service.client, { cluster: id })
    if (rows.length !== size) violations.push(`${id} has ${rows.length} traces in the feed, and says ${size}`)
    members += rows.length
  }
  if (members !== rounds * TRACES_OF_ROUND)
    violations.push(`${members} of ${rounds * TRACES_OF_ROUND} traces have a cluster`)
  const succeeded = ended.filter(({ status }) => status === 'succeeded').length
  return { kills, phases, succeeded, givenUp: ended.length - succeeded, eventsReceived: distinct(), violations }
}

/** Lets the discovery go on for so long and says in which phase it was seen last. */
async function lastPhaseWithin({ client }: Service, jobId: string, ms: number): Promise<string> {
  const until = performance.now() + ms
  for (;;) {
    const { status, progress } = await readJob(client, jobId)
    if (performance.now() >= until) return progress?.phase ?? status
    await sleep(5)
  }
}

/** Resolves as soon as the discovery is seen past waiting, with the phase it is in then: nearly always the first. */
async function listingOrLater({ client }: Service, jobId: string): Promise<string> {
  for (;;) {
    const { status, progress } = await readJob(client, jobId)
    if (status !== 'queued') return progress?.phase ?? status
  }
}
