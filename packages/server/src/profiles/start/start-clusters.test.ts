import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { systemClock } from '../../lib/time/clock.ts'
import { createIdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { createLogger } from '../../operation/logging.ts'
import { openControlStore } from '../../storage/sql/open-control-store.ts'
import { aggregateWorld } from '../../storage/clickhouse/series/aggregate-world.test-support.ts'
import { ClickHouseTraceStore } from '../../storage/clickhouse/rows/clickhouse-trace-store.ts'
import { newStep, preparedStep, traceRecord } from '../../traces/trace-builders.test-support.ts'
import { clusterThreads, openClusters } from '../embedded/open-clusters.ts'
import { startClusters } from './start-clusters.ts'

const engineWorld = await aggregateWorld()
const dataDir = mkdtempSync(join(tmpdir(), 'spoor-clusters-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))

const TOPICS = [
  'please refund the order I made last week',
  'what will the weather be tomorrow morning',
  'translate this sentence into french for me',
]

test('discovers over the real engine, in a real thread, and assigns later traces there', async () => {
  const clock = systemClock
  /** When the traces arrived: old enough to be assigned. */
  const earlier = { now: () => clock.now() - 60_000 }
  const ids = createIdGenerator(earlier, systemRandomBytes)
  const projectId = ids.newId('proj')
  const addTraces = (count: number) => {
    const traces = Array.from({ length: count }, (_, index) =>
      traceRecord(ids.newId('tr'), {
        projectId,
        createdAt: earlier.now(),
        name: `run ${index}`,
        status: index % 3 === 0 ? 'error' : 'ok',
      }),
    )
    const steps = traces.map((trace, index) => {
      const content = [{ type: 'text', text: `${TOPICS[index % 3]} (${index})` }]
      const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }] }))
      return newStep(trace, 0, { prepared: preparedStep({ type: 'llm', body }) })
    })
    return engineWorld.addTraces(traces, steps)
  }
  await addTraces(60)

  const environment = { dataDir, clock, logger: createLogger('silent') }
  const control = openControlStore({ dataDir, clock, create: true })
  const clusterStore = openClusters(environment)
  const told: string[] = []
  const engine = engineWorld.engine
  const store = new ClickHouseTraceStore(engine)
  const start = () =>
    startClusters(environment, {
      control,
      engine,
      store: { settled: async () => undefined, findTraces: (...asked) => store.findTraces(...asked) },
      lookUp: async () => null,
      findPatterns: async () => ({ patterns: [], failed: 0, succeeded: 0, complete: true }),
      traces: { commitOnce: async ({ events }) => void told.push(...events.map(({ type }) => type)) },
      ids,
      clusterStore,
      holder: 'the service of this folder',
      startClusterThread: clusterThreads(dataDir, { embeddings: null, naming: null }),
      watermark: () => ({ ...control.journal.last(), idLeadMs: control.journal.idLeadMs() }),
    })
  let clusters = start()
  clusters.start()
  try {
    const parameters = { windowHours: 1, kMin: 2, kMax: 4, onlyComplete: false, failureBy: 'status' }
    const { id } = await clusters.useCases.discover(projectId, 'requests', parameters)
    let watched = await clusters.useCases.job(projectId, id)
    while (watched.job.finishedAt === null) {
      await new Promise((go) => setImmediate(go))
      watched = await clusters.useCases.job(projectId, id)
    }
    assert.deepEqual([watched.job.status, watched.job.error], ['succeeded', null])
    assert.deepEqual([watched.job.result?.traces, watched.job.result?.clusters], [60, 3])
    const { clusters: found } = await clusters.useCases.list(projectId)
    assert.deepEqual(found.map(({ size, errorRate }) => [size, errorRate]).toSorted(), [
      [20, 0],
      [20, 0],
      [20, 1],
    ])
    const { representatives } = await clusters.useCases.read(projectId, found[0]!.id)
    assert.match(representatives[0]!.name, /^run \d+$/)
    await addTraces(6)
    await clusters.stop()
    assert.deepEqual(told, ['cluster.created', 'cluster.created', 'cluster.created'])
    clusters = start()
    const sizes = async () => (await clusters.useCases.list(projectId)).clusters.map(({ size }) => size).join(' ')
    // A read does not wait for long; the assignment goes on.
    while ((await sizes()) !== '22 22 22') await new Promise((go) => setImmediate(go))
  } finally {
    await clusters.stop()
    clusterStore.close()
    control.close()
  }
})
