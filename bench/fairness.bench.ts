/**
 * One project during attacks by another: health, lists and commits of the first, undisturbed before and after, and
 * during each attack of the external reviews. A new service is started for each.
 *
 *     node bench/fairness.bench.ts [--quick] [--attack PART_OF_A_NAME]
 */
import { join } from 'node:path'
import type { AttackJob, AttackResult } from './lib/workers/attack-process.ts'
import { attacks, type AttackerProject } from './lib/attacks.ts'
import type { VictimJob, VictimResult } from './lib/workers/fairness-victim-process.ts'
import { httpRequest } from './lib/http-request.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { mean, percentile } from './lib/percentile.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { largeTraceBodies, traceBodies, traceRequests } from './lib/trace-bodies.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const HEALTH_ALLOWED_MS = 50
/** Times the mean of what it was before and after. */
const SLOWER_ALLOWED = 3
const LARGE_TRACE_BYTES = 15 * 1024 * 1024
const VICTIM_TRACES = 2000
const ATTACKER_TRACES = 5000
/** Of the attacker, which a filter by metadata must scan. */
const METRIC_EVENTS = 100_000
const EVENTS_PER_BATCH = 500

const { quick, attack: chosen } = readOptions()
const WARM_UP_MS = 2000
const UNDISTURBED_MS = quick ? 4000 : 8000
const ATTACK_MS = quick ? 12_000 : 24_000
/** For slow clients: until those that read too slowly have been disconnected. */
const SLOW_ATTACK_MS = quick ? ATTACK_MS : 80_000

const report = new Report(
  `Fairness: a project beside an attack by another, ${ATTACK_MS / 1000} s each, ${SLOW_ATTACK_MS / 1000} s of slow clients`,
)
await inTemporaryFolder(async (folder) => {
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const victim = await startWorker<VictimJob, VictimResult>('fairness-victim-process')
  const attacker = await startWorker<AttackJob, AttackResult>('attack-process')
  const dataDir = join(folder, 'service')
  const first = await startService({ dataDir })
  const own = { requests: traceRequests(first.key), port: first.port }
  await load.run({ ...own, connections: 16, total: VICTIM_TRACES })
  const project = await makeAttackerProject(first, load)
  await first.stop()

  for (const [name, attack] of Object.entries(attacks(project))) {
    if (chosen !== null && !name.includes(chosen)) continue
    const service = await startService({ dataDir, key: first.key })
    const { port, key, pid } = service
    const durationMs = attack.manner.kind.endsWith('slowly') ? SLOW_ATTACK_MS : ATTACK_MS
    const job = { port, key, body: traceBodies(1)[0]!.toString() }
    await victim.run({ ...job, durationMs: WARM_UP_MS })
    const before = await victim.run({ ...job, durationMs: UNDISTURBED_MS })
    const cpuBefore = cpuSeconds(pid) ?? NaN
    const [during, outcome] = await Promise.all([
      victim.run({ ...job, durationMs }),
      attacker.run({ ...attack, port, durationMs }),
    ])
    const cpuShare = ((cpuSeconds(pid) ?? NaN) - cpuBefore) / (durationMs / 1000)
    const after = await victim.run({ ...job, durationMs: UNDISTURBED_MS })
    printFigures(name, [before, after], during)
    report.figure(`${name}: processors of the service`, amount(cpuShare))
    report.figure(`${name}: answers to the attacker`, show(outcome))
    const ended = (await service.metrics()).get('spoor_slow_readers_ended_total')
    // A reader that reads nothing does not notice that its connection was closed.
    if (ended !== undefined && ended > 0) report.figure(`${name}: readers ended`, String(ended))
    await service.stop()
  }
  await Promise.all([load.stop(), victim.stop(), attacker.stop()])
})
report.end()

function printFigures(name: string, undisturbed: readonly VictimResult[], during: VictimResult): void {
  const health = (result: VictimResult) => percentile(result.healthMs, 0.99)
  const longest = amount(percentile(during.healthMs, 1))
  const healthNote = `undisturbed ${amount(mean(undisturbed.map(health)))}, longest ${longest}`
  report.atMost(`${name}: /healthz p99`, health(during), HEALTH_ALLOWED_MS, 'ms', healthNote)
  for (const [what, timesOf] of [
    ['list', (result: VictimResult) => result.listMs],
    ['commit', (result: VictimResult) => result.commitMs],
  ] as const) {
    const [now, usual] = [
      percentile(timesOf(during), 0.95),
      mean(undisturbed.map((one) => percentile(timesOf(one), 0.95))),
    ]
    const note = `${amount(now)} ms, undisturbed ${amount(usual)}, longest ${amount(percentile(timesOf(during), 1))}`
    report.atMost(`${name}: ${what} p95`, now / usual, SLOWER_ALLOWED, 'times', note)
  }
  const failures = Object.entries(during.failures).map(([what, counts]) => `${what}:${show(counts)}`)
  const failed = Object.values(during.failures).flatMap((counts) => Object.values(counts))
  const refused = failed.reduce((sum, count) => sum + count, 0)
  report.atMost(`${name}: requests refused`, refused, 0, '', refused === 0 ? '' : failures.join(' '))
}

function show(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => ` ${count} × ${what}`)
    .join(',')
}

async function makeAttackerProject(
  service: ServiceUnderTest,
  load: { run(job: LoadJob): Promise<LoadResult> },
): Promise<AttackerProject> {
  const post = async (path: string, key: string, body: object | Buffer): Promise<Record<string, unknown>> => {
    const content = Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body)
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const response = await fetch(`${service.origin}${path}`, { method: 'POST', headers, body: content })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
    return JSON.parse(text) as Record<string, unknown>
  }
  const { id } = await post('/v1/projects', service.key, { name: 'attacker' })
  const scopes = ['ingest', 'read', 'media:sign', 'manage']
  const { secret } = await post(`/v1/projects/${String(id)}/keys`, service.key, { name: 'attacker', scopes })
  const key = String(secret)
  const small = await post('/v1/traces', key, { name: 'x', steps: [{ name: 's' }] })
  const large = await post('/v1/traces', key, largeTraceBodies(1, LARGE_TRACE_BYTES)[0]!)
  await load.run({ port: service.port, connections: 16, requests: traceRequests(key), total: ATTACKER_TRACES })
  await post('/v1/metrics', key, { name: 'score', kind: 'numeric' })
  const traceId = String(small['id'])
  const bytes = Buffer.from(
    JSON.stringify(
      Array.from({ length: EVENTS_PER_BATCH }, (_, n) => ({
        name: 'score',
        trace_id: traceId,
        value: n,
        metadata: { g: `g${n % 100}` },
      })),
    ),
  )
  const requests = [httpRequest('POST', '/v1/metrics/events', key, { type: 'application/json', bytes })]
  const { failed, firstFailure } = await load.run({
    port: service.port,
    connections: 4,
    requests,
    total: METRIC_EVENTS / EVENTS_PER_BATCH,
  })
  if (failed > 0) throw new Error(`events were refused: ${firstFailure}`)
  const response = await fetch(`${service.origin}/v1/traces/${traceId}/steps`, { headers: { 'x-api-key': key } })
  const { steps } = (await response.json()) as { steps: readonly { id: string }[] }
  return { key, traceId, stepId: steps[0]!.id, largeTraceId: String(large['id']) }
}
