/**
 * Whether nodes of a cluster add up: processor time of all nodes for a trace, through one, three and eight nodes on one
 * machine, with eight projects. Each project is sent to the node that commits for it, as with a balancer that is sticky
 * by key, or to all nodes in turns.
 *
 *     node bench/nodes.bench.ts [--quick]
 */
import { startCluster } from './lib/cluster.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import type { ServiceUnderTest } from './lib/service.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { startWorker, type WorkerProcess } from './lib/workers/worker-process.ts'

const ALLOWED = new Map([
  [3, 1.2],
  [8, 1.25],
])
const PROJECTS = 8
const CONNECTIONS = 32
/** Bodies of each project. */
const BODIES = 32

const { quick } = readOptions()
const ROUNDS = quick ? 2 : 4
const ROUND_MS = quick ? 4000 : 8000
/** Until what was acknowledged has settled. */
const SETTLE_MS = 2000
/** Until all nodes know a new one, and hold no more what it commits for. */
const KNOWN_MS = 35_000

type Spread = 'to their node' | 'in turns'
type Loads = readonly WorkerProcess<LoadJob, LoadResult>[]

const report = new Report(`Nodes that add up: medians of ${ROUNDS} rounds of ${ROUND_MS / 1000} s`)
await inTemporaryFolder(async (folder) => {
  const cluster = await startCluster(folder)
  if (typeof cluster === 'string') return report.figure('skipped', cluster)
  const nodes = [await cluster.addNode()]
  const keys = await makeProjects(nodes[0]!)
  const loads = await Promise.all(Array.from({ length: 8 }, () => startWorker<LoadJob, LoadResult>('load-process')))
  const one = await measure(nodes, keys, loads, 'to their node')
  for (const [count, allowed] of ALLOWED) {
    while (nodes.length < count) nodes.push(await cluster.addNode())
    await new Promise((resolve) => setTimeout(resolve, KNOWN_MS))
    const sticky = await measure(nodes, keys, loads, 'to their node')
    report.atMost(`${count} nodes over one: processor of all nodes for a trace`, sticky / one, allowed, '×')
    await measure(nodes, keys, loads, 'in turns')
  }
  await Promise.all(loads.map((load) => load.stop()))
  await cluster.stop()
})
report.end()

/** Returns their keys. */
async function makeProjects(node: ServiceUnderTest): Promise<readonly string[]> {
  const post = async (path: string, body: object) => {
    const { answer } = await send(node, node.key, path, body)
    return answer as Readonly<Record<'id' | 'secret', string>>
  }
  const keys: string[] = []
  for (let number = 0; number < PROJECTS; number++) {
    const { id } = await post('/v1/projects', { name: `project ${number}` })
    keys.push((await post(`/v1/projects/${id}/keys`, { name: 'bench', scopes: ['ingest'] })).secret)
  }
  return keys
}

async function send({ port }: ServiceUnderTest, key: string, path: string, body: object) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return { answer: await response.json(), isForwarded: response.headers.has('x-spoor-node') }
}

/** Milliseconds of the processors of all nodes for a trace. */
async function measure(nodes: readonly ServiceUnderTest[], keys: readonly string[], loads: Loads, spread: Spread) {
  const owned = await Promise.all(
    nodes.map(async (node) => {
      if (spread === 'in turns') return keys
      const own: string[] = []
      for (const key of keys) {
        if (!(await send(node, key, '/v1/traces', { name: 'probe', steps: [] })).isForwarded) own.push(key)
      }
      return own
    }),
  )
  await round(nodes, owned, loads)
  const rounds: Awaited<ReturnType<typeof round>>[] = []
  for (let number = 0; number < ROUNDS; number++) rounds.push(await round(nodes, owned, loads))
  const of = (name: keyof (typeof rounds)[number]) => median(rounds.map((one) => one[name]))
  const remark = `${amount(of('rate'), '/s')}, p50 ${amount(of('p50'), 'ms')}`
  report.figure(`${nodes.length} nodes, sent ${spread}: processor`, `${amount(of('cpuMs'), 'ms')} (${remark})`)
  return of('cpuMs')
}

async function round(nodes: readonly ServiceUnderTest[], owned: readonly (readonly string[])[], loads: Loads) {
  const cpu = () => nodes.reduce((sum, { pid }) => sum + (cpuSeconds(pid) ?? NaN), 0)
  const sending = nodes.flatMap((node, at) => (owned[at]!.length === 0 ? [] : [{ node, keys: owned[at]! }]))
  const before = cpu()
  const results = await Promise.all(
    sending.map(({ node, keys }, at) => {
      const ofKeys = keys.map((key) => traceRequests(key, BODIES))
      const requests = Array.from({ length: BODIES }, (_, body) => ofKeys.map((of) => of[body]!))
      const connections = Math.ceil(CONNECTIONS / sending.length)
      return loads[at]!.run({ port: node.port, connections, requests: requests.flat(), durationMs: ROUND_MS })
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const refused = results.find(({ failed }) => failed > 0)
  if (refused !== undefined) throw new Error(`${refused.failed} refused: ${refused.firstFailure}`)
  const traces = results.reduce((sum, { completed }) => sum + completed, 0)
  const rate = results.reduce((sum, { perSecond }) => sum + perSecond, 0)
  return { cpuMs: (1000 * (cpu() - before)) / traces, rate, p50: median(results.map(({ p50 }) => p50)) }
}
