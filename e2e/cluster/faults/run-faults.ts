import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '../../crash/ledger.ts'
import { type Load, WatchedLoad } from '../../crash/watched-load.ts'
import { WatchedDeliveries } from '../../crash/watched-deliveries.ts'
import type { Verified } from '../../crash/verify.ts'
import { eventually } from '../../lib/eventually.ts'
import { Nodes } from '../../lib/cluster/nodes.ts'
import { type ClusterParts, startClusterParts } from '../../lib/cluster/parts.ts'
import { createRandom, type Random } from '../../lib/random.ts'
import { checkJournal } from './check-journal.ts'
import { CLUSTER_FAULTS, type Fault, type FaultName, mayRefuse, NODE_FAULTS } from './faults.ts'
import { RepeatedDiscoveries } from './repeated-discoveries.ts'
import { readOwnWrites } from './read-your-writes.ts'
import { roam } from './roaming-tail.ts'
import { ToggledMonitor } from './toggled-monitor.ts'
import { Uploads } from '../../crash/uploads.ts'

export interface FaultOptions {
  readonly rounds: number
  readonly seed: number
  /** Faults that come in turn. Empty: any of all, by chance. */
  readonly only?: readonly FaultName[]
  /** Of `only`, the index of the first; it counts on from the end. */
  readonly firstTurn?: number
  readonly nodes?: number
  /** Servers of ClickHouse. */
  readonly shards?: number
  /** One process of the embedded profile, struck by the faults of nodes. */
  readonly embedded?: boolean
  readonly isLong?: boolean
  /** The program of the version before, for `upgraded-in-turn`: the nodes begin with it. */
  readonly before?: string | null
  readonly progress?: (line: string) => void
}

/** Of all rounds with one fault. */
export interface FaultCounts {
  readonly rounds: number
  readonly acknowledgedRequests: number
  readonly violations: number
}

export interface FaultReport extends Verified {
  readonly rounds: number
  readonly faults: Readonly<Record<string, FaultCounts>>
  readonly acknowledgedRequests: number
  readonly uploads: number
  readonly monitorTurns: number
  readonly discoveries: number
  readonly tailConnections: number
  readonly cutCommits: number
  readonly violations: readonly string[]
}

const NODES = 3
const LONGEST_LEAD_MS = 1500
const REQUESTS_OF_A_LEAD = 60
const LATEST_LEAD_MS = 10_000
const ENVIRONMENT = { ...WatchedDeliveries.environment, SPOOR_MONITOR_INTERVAL_SECONDS: '1' }

/**
 * Strikes a service with faults under load. After each, everything that it acknowledged must hold. If a part of the
 * cluster is not installed, the reason.
 */
export async function runFaults(options: FaultOptions): Promise<FaultReport | string> {
  const random = createRandom(options.seed)
  if (options.embedded === true) return strikeNodes(options, random, null)
  const parts = await startClusterParts(options.shards)
  if (typeof parts === 'string') return parts
  await using _parts = parts
  return await strikeNodes(options, random, parts)
}

async function strikeNodes(options: FaultOptions, random: Random, parts: ClusterParts | null): Promise<FaultReport> {
  const { rounds, before = null, isLong = false, progress = () => undefined } = options
  const environment = { ...ENVIRONMENT, ...parts?.environment }
  await using nodes = new Nodes(parts === null ? 1 : (options.nodes ?? NODES), random, { environment })
  await nodes.start(before ?? undefined)
  await using deliveries = await WatchedDeliveries.start(nodes)
  const watched = new WatchedLoad(nodes, deliveries, random)
  await watched.begin()
  await using monitor = await ToggledMonitor.create(nodes.client, 'monitored')
  // They take too much time for a short form.
  await using discoveries = isLong ? await RepeatedDiscoveries.create(nodes.client, 'discovered', random) : null
  const uploads = new Uploads()
  const { ledger } = watched
  const choose = faultsInTurn(options, random, parts !== null)
  const faults: Record<string, FaultCounts> = {}
  let verified: Verified = { traces: 0, steps: 0, metricEvents: 0 }

  for (let round = 1; round <= rounds; round++) {
    const { name, fault } = choose()
    const known = ledger.violations.length
    const acknowledgedBefore = ledger.acknowledgedRequests
    const world = { nodes, random, isLong }
    let struck = false
    const refused = (what: Parameters<typeof mayRefuse>[1]) => (status: number) =>
      struck && status === 503 && mayRefuse(fault, what)
    const load = watched.loadThrough({
      loses: () => struck && fault.loses,
      mayRefuse: refused('settled'),
      mayRefuseTraces: refused('new traces'),
    })
    const working = Promise.all([
      load.ended,
      readOwnWrites(load.workload),
      uploads.run(load.workload, refused('uploads')),
      monitor.run(load.workload),
      discoveries?.run(load.workload),
      roam(watched.tail, nodes, load.workload),
    ])
    await lead(random, ledger)
    struck = true
    await watched.attempt(() => fault.strike(world, parts as ClusterParts))
    await lead(random, ledger)
    for (const node of nodes.all) if (!node.isRunning && !fault.loses) ledger.violate('a node has ended by itself')
    await endLoad(load, working, nodes)
    if (fault.after !== undefined) await fault.after(world)
    await allReady(nodes)
    await watched.attempt(() => watched.tail.connect(nodes))
    verified = await watched.verify()
    await watched.attempt(() => watched.tail.disconnect())
    await watched.attempt(() => uploads.verify({ client: nodes.client, ledger }))
    await watched.attempt(() => monitor.verify({ ledger }))
    await watched.attempt(async () => discoveries?.verify({ ledger }))
    if (parts !== null) for (const violation of await checkJournal(parts.postgresql.url)) ledger.violate(violation)
    for (const node of nodes.all)
      for (const line of node.log.split('\n')) if (line.includes('"level":"fatal"')) ledger.violate(line)
    const counts: FaultCounts = {
      rounds: 1,
      acknowledgedRequests: ledger.acknowledgedRequests - acknowledgedBefore,
      violations: ledger.violations.length - known,
    }
    faults[name] = sumOf(faults[name], counts)
    progress(`round ${round} ${name}: ${JSON.stringify(counts)}`)
    for (const violation of ledger.violations.slice(known, known + 5)) progress(`  ${violation.slice(0, 400)}`)
  }
  return {
    ...verified,
    rounds,
    faults,
    acknowledgedRequests: ledger.acknowledgedRequests,
    uploads: uploads.count,
    monitorTurns: monitor.turns,
    discoveries: discoveries?.count ?? 0,
    tailConnections: watched.tail.connections,
    cutCommits: parts?.proxies.postgresql.cutCommits ?? 0,
    violations: ledger.violations,
  }
}

/** A while of load; on a slow machine a longer one. */
async function lead(random: Random, ledger: Ledger): Promise<void> {
  const until = ledger.acknowledgedRequests + REQUESTS_OF_A_LEAD
  const latest = performance.now() + LATEST_LEAD_MS
  await sleep(random.below(LONGEST_LEAD_MS))
  while (ledger.acknowledgedRequests < until && performance.now() < latest) await sleep(20)
}

async function endLoad(load: Load, working: Promise<unknown>, nodes: Nodes): Promise<void> {
  load.expectEnd()
  // Requests wait for a node.
  await nodes.start()
  await working
}

/** All nodes run and say that they are ready. */
async function allReady(nodes: Nodes): Promise<void> {
  await nodes.start()
  for (const { client } of nodes.all)
    await eventually('a node is ready', async () => (await client.get('/readyz')).status === 200)
}

export function sumOf(one: FaultCounts | undefined, other: FaultCounts): FaultCounts {
  if (one === undefined) return other
  return {
    rounds: one.rounds + other.rounds,
    acknowledgedRequests: one.acknowledgedRequests + other.acknowledgedRequests,
    violations: one.violations + other.violations,
  }
}

function faultsInTurn({ only = [], firstTurn = 0 }: FaultOptions, random: Random, isCluster: boolean) {
  const table: Readonly<Record<string, Fault>> = isCluster ? CLUSTER_FAULTS : NODE_FAULTS
  const names = Object.keys(table).filter((name) => name !== 'upgraded-in-turn')
  let turn = firstTurn
  return (): { name: string; fault: Fault } => {
    const name = only[turn++ % only.length] ?? random.pick(names)
    const fault = table[name]
    if (fault === undefined)
      throw new Error(`there is no fault ${name} here; there are ${Object.keys(table).join(', ')}`)
    return { name, fault }
  }
}
