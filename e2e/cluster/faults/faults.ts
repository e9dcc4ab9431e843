import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Nodes } from '../../lib/cluster/nodes.ts'
import type { ClusterParts } from '../../lib/cluster/parts.ts'
import type { FaultProxy } from '../../lib/faults/fault-proxy.ts'
import type { Random } from '../../lib/random.ts'
import { leaseHolders } from './lease-holders.ts'

interface FaultWorld {
  readonly nodes: Nodes
  readonly random: Random
  /** Whether faults last as long as in production, or only moments. */
  readonly isLong: boolean
}

/**
 * Requests that may be refused with 503 from when the fault strikes. `settled`: reads, and writes that need a settled
 * trace; never a new trace.
 */
type Refused = 'nothing' | 'settled' | 'uploads' | 'everything'

export interface Fault {
  /** Requests to nodes may get no response. */
  readonly loses: boolean
  readonly refuses: Refused
  /** Resolves when the fault is over. Nodes that it ended may still be down. */
  readonly strike: (world: FaultWorld, parts: ClusterParts) => Promise<void>
  /** Takes back what would outlast the round. */
  readonly after?: (world: FaultWorld) => Promise<void>
}

/** A lease lasts 8 s. */
const LONGER_THAN_A_LEASE_MS = 12_000
const HOUR_MS = 3600 * 1000
const SHIFT_CLOCK = new URL('shift-clock.mjs', import.meta.url).href

/** Faults of nodes alone: they also strike a service of the embedded profile. */
export const NODE_FAULTS = {
  none: { loses: false, refuses: 'nothing', strike: async ({ random }) => moments(random, 1500) },
  'node-killed': {
    loses: true,
    refuses: 'everything',
    strike: async ({ nodes, random }) => {
      const node = random.pick(nodes.all)
      await node.kill()
      await moments(random, 2000)
      await node.start()
    },
  },
  'node-killed-while-starting': {
    loses: true,
    refuses: 'everything',
    strike: async ({ nodes, random }) => {
      const node = random.pick(nodes.all)
      await node.kill()
      const started = node.start().catch(() => undefined)
      await moments(random, 1500)
      await node.kill()
      await started
    },
  },
  'all-nodes-killed': {
    loses: true,
    refuses: 'everything',
    strike: async ({ nodes }) => {
      await Promise.all(nodes.all.map((node) => node.kill()))
      await nodes.start()
    },
  },
  'nodes-restarted-in-turn': {
    loses: true,
    refuses: 'everything',
    strike: async ({ nodes }) => {
      for (const node of nodes.all) await node.restart()
    },
  },
} as const satisfies Readonly<Record<string, Fault>>

export const CLUSTER_FAULTS = {
  ...NODE_FAULTS,
  'node-frozen-beyond-its-lease': {
    loses: true,
    refuses: 'everything',
    strike: async ({ nodes, random }, { postgresql }) => {
      const { pid } = random.pick(await leaseHolders(nodes, postgresql.url))
      process.kill(pid, 'SIGSTOP')
      await sleep(LONGER_THAN_A_LEASE_MS)
      process.kill(pid, 'SIGCONT')
      await moments(random, 2000)
    },
  },
  'clickhouse-killed': {
    loses: false,
    refuses: 'settled',
    strike: async ({ random }, { shards }) => {
      const server = random.pick(shards)
      await server.kill()
      await moments(random, 3000)
      await server.start()
    },
  },
  'clickhouse-away': {
    loses: false,
    refuses: 'settled',
    strike: (world, { proxies }) => away(world, proxies.clickhouse, 60_000),
  },
  'clickhouse-slow': {
    loses: false,
    refuses: 'nothing',
    strike: async ({ random }, { proxies }) => {
      proxies.clickhouse.latencyMs = 50 + random.below(300)
      await sleep(3000)
      proxies.clickhouse.heal()
    },
  },
  'clickhouse-hangs': {
    loses: false,
    refuses: 'settled',
    strike: async ({ isLong }, { proxies }) => {
      proxies.clickhouse.hangs = true
      await sleep(isLong ? 20_000 : 2000)
      proxies.clickhouse.heal()
    },
  },
  'clickhouse-answers-half': {
    loses: false,
    refuses: 'settled',
    strike: async ({ random }, { proxies }) => {
      for (let times = 0; times < 6; times++) {
        proxies.clickhouse.answerBytes = random.below(600)
        await sleep(500)
      }
      proxies.clickhouse.heal()
      proxies.clickhouse.cutAll()
    },
  },
  'postgresql-killed': {
    loses: false,
    refuses: 'everything',
    strike: async ({ random }, { postgresql }) => {
      await postgresql.kill()
      await moments(random, 2000)
      await postgresql.start()
    },
  },
  'postgresql-restarted': {
    loses: false,
    refuses: 'everything',
    strike: async (_, { postgresql }) => {
      await postgresql.shutDown()
      await postgresql.start()
    },
  },
  'postgresql-away': {
    loses: false,
    refuses: 'everything',
    strike: (world, { proxies }) => away(world, proxies.postgresql, 20_000),
  },
  'postgresql-hangs': {
    loses: false,
    refuses: 'everything',
    strike: async ({ isLong }, { proxies }) => {
      proxies.postgresql.hangs = true
      await sleep(isLong ? 20_000 : 2000)
      proxies.postgresql.heal()
    },
  },
  'postgresql-slow': {
    loses: false,
    refuses: 'nothing',
    strike: async ({ random }, { proxies }) => {
      proxies.postgresql.latencyMs = 5 + random.below(30)
      await sleep(3000)
      proxies.postgresql.heal()
    },
  },
  'connections-cut': {
    loses: false,
    refuses: 'everything',
    strike: async ({ random }, { proxies }) => {
      for (let times = 0; times < 10; times++) {
        random.pick([proxies.postgresql, proxies.clickhouse]).cutAll()
        await moments(random, 400)
      }
    },
  },
  'commit-cut': {
    loses: false,
    refuses: 'everything',
    strike: async ({ random }, { proxies }) => {
      for (let times = 0; times < 20; times++) {
        proxies.postgresql.cutNextCommit(random.pick(['unanswered', 'unanswered', 'unsent', 'late']))
        await moments(random, 200)
      }
      proxies.postgresql.heal()
    },
  },
  's3-away': {
    loses: false,
    refuses: 'uploads',
    strike: (world, { proxies }) => away(world, proxies.s3, 20_000),
  },
  's3-killed': {
    loses: false,
    refuses: 'uploads',
    strike: async (_, { s3 }) => {
      await s3.kill()
      await s3.start()
    },
  },
  'clocks-an-hour-apart': {
    loses: true,
    refuses: 'everything',
    strike: async ({ nodes, random }) => {
      for (const [index, node] of nodes.all.entries()) {
        await node.stop()
        await node.start([], { settings: clockOf((index - 1) * HOUR_MS) })
      }
      await moments(random, 3000)
    },
    after: ({ nodes }) => restartAll(nodes),
  },
  /** The nodes are of the version before when it strikes. */
  'upgraded-in-turn': {
    loses: true,
    refuses: 'everything',
    strike: async ({ nodes, random }) => {
      for (const node of nodes.all) {
        await node.stop()
        await moments(random, 1000)
        await node.start()
        await moments(random, 3000)
        await random.pick(nodes.all).kill()
      }
    },
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof CLUSTER_FAULTS

/** Whether the fault may refuse requests of this kind. `settled` stands for all that is neither of the others. */
export function mayRefuse({ refuses }: Fault, what: 'new traces' | 'settled' | 'uploads'): boolean {
  if (refuses === 'everything') return true
  return what === 'uploads' ? refuses !== 'nothing' : what === refuses
}

/** The program of another checkout. */
export async function programOf(checkout: string): Promise<string> {
  const finder = pathToFileURL(join(checkout, 'packages/server/bin/source-hash.mjs')).href
  return ((await import(finder)) as { findProgram(): string }).findProgram()
}

function moments(random: Random, mostMs: number): Promise<void> {
  return sleep(random.below(mostMs))
}

async function away({ isLong, random }: FaultWorld, proxy: FaultProxy, longMs: number): Promise<void> {
  proxy.refuses = true
  proxy.cutAll()
  await sleep(isLong ? longMs : 1000 + random.below(2000))
  proxy.heal()
}

function clockOf(shiftMs: number): Record<string, string> {
  return { NODE_OPTIONS: `--import ${SHIFT_CLOCK}`, TEST_CLOCK_SHIFT_MS: String(shiftMs) }
}

async function restartAll(nodes: Nodes): Promise<void> {
  for (const node of nodes.all) if (node.isRunning) await node.restart()
}
