/**
 * Half of a store leaves it by a filter that picks traces of every day, then a quarter of the rest by retention:
 * interactive reads meanwhile next to those before, and how soon the disk is free.
 *
 *     node bench/halving.bench.ts [--quick] [--store DIRECTORY] [--only retention]
 *
 * Works on a copy of an archive of a million traces over 60 days (archive-process.ts): 9 GB of disk, an hour.
 */
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '../packages/contract/src/schemas/deletion.ts'
import { PURGE_RULES } from '../packages/server/src/traces/retention/purge-deleted.ts'
import { openArchive } from './lib/archives/archive.ts'
import { needleOf } from './lib/archives/archive-sql.ts'
import { httpRequest } from './lib/http-request.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { percentile } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const BESIDE_DELETION_ALLOWED = 1.5
const BESIDE_RETENTION_ALLOWED = 1.2
const SECONDS_ALLOWED = 3600
const [DAYS, KEPT_DAYS] = [60, 45]
/** Of the steps of a trace, evenly between 0.5 and 30.5 seconds in all: half of the traces last longer. */
const LONG_MS = 15_500
/** The pause of a reader between two reads: a person, not a load. */
const THINK_MS = 150
const READS_TOGETHER = 20

const { quick, store, only } = readOptions()
/** The engine removes the files of replaced parts some minutes later. */
const QUIET_MS = quick ? 60_000 : 600_000
const READS_AT_REST = quick ? 80 : 200
const TRACES = quick ? 100_000 : 1_000_000

await inTemporaryFolder(async (folder) => {
  const archive = await openArchive(store, TRACES, (DAYS * 86_400_000) / TRACES)
  const dataDir = join(folder, 'service')
  cpSync(archive.directory, dataDir, { recursive: true, verbatimSymlinks: true })
  const report = new Report(`Half of ${amount(TRACES)} traces of 10 steps leave, then a quarter of the rest`)
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  let service = await startService({ dataDir, key: archive.key })
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { 'x-api-key': service.key, 'content-type': 'application/json' }
    const text = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(`${service.origin}${path}`, { method, headers, body: text })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }
  const diskMb = () => Number(execFileSync('du', ['-sm', dataDir], { encoding: 'utf8' }).split('\t')[0])
  const kept = await call<{ traces: readonly { id: string }[] }>('GET', `/v1/traces?limit=1&max_duration_ms=${LONG_MS}`)
  const paths = {
    'newest page': '/v1/traces?limit=50',
    'failed traces': '/v1/traces?limit=50&status=error',
    'a word of one trace': `/v1/traces?q=${needleOf(TRACES / 2)}`,
    'one trace': `/v1/traces/${kept.traces[0]!.id}`,
  }
  const read = async (latencies: Map<string, number[]>, total: number) => {
    for (const [name, path] of Object.entries(paths)) {
      const requests = [httpRequest('GET', path, service.key)]
      const result = await load.run({ port: service.port, connections: 1, requests, total, thinkMs: THINK_MS })
      if (result.failed > 0) throw new Error(`${name} failed: ${result.firstFailure}`)
      latencies.set(name, [...(latencies.get(name) ?? []), ...result.latenciesMs])
    }
  }
  const atRest = async () => {
    const latencies = new Map<string, number[]>()
    for (let done = 0; done < READS_AT_REST; done += READS_TOGETHER) await read(latencies, READS_TOGETHER)
    return latencies
  }
  /** Reads until `hasEnded` and the files are gone, and reports both against `before`. */
  const watch = async (before: ReadonlyMap<string, number[]>, allowed: number, hasEnded: () => Promise<boolean>) => {
    const began = performance.now()
    const cpuBegan = cpuSeconds(service.pid) ?? NaN
    const [tracesAtFirst, diskAtFirst] = [await countTraces(call), diskMb()]
    const secondsSince = () => (performance.now() - began) / 1000
    const besideReads = async (what: string, goesOn: () => Promise<boolean>) => {
      const latencies = new Map<string, number[]>()
      while (await goesOn()) await read(latencies, READS_TOGETHER)
      report.figure(`${what} until`, amount(secondsSince(), 's'))
      for (const [name, during] of latencies) {
        const alone = before.get(name) ?? []
        const [beside, rest] = [percentile(during, 0.95), percentile(alone, 0.95)]
        const medians = `${amount(percentile(during, 0.5))} of ${amount(percentile(alone, 0.5), 'ms')}`
        const remark = `p95 ${amount(beside)} of ${amount(rest, 'ms')}; median ${medians}; ${during.length} reads`
        report.atMost(`${what}: ${name}`, beside / rest, allowed, '', remark)
      }
    }
    await besideReads('traces are deleted', async () => !(await hasEnded()))
    await besideReads('rows are removed', () => isPurging(service))
    const cpu = (cpuSeconds(service.pid) ?? NaN) - cpuBegan
    const traces = await countTraces(call)
    const share = traces / tracesAtFirst
    let disk = diskMb()
    const quietFrom = performance.now()
    while (disk > diskAtFirst * share * 1.05 && performance.now() - quietFrom < QUIET_MS) {
      await sleep(5000)
      disk = diskMb()
    }
    report.figure('processor time a deletion', amount((cpu * 1000) / (tracesAtFirst - traces), 'ms'))
    report.atMost(
      'disk of a trace',
      disk / traces / (diskAtFirst / tracesAtFirst),
      1.05,
      '',
      `${disk} of ${diskAtFirst} MB`,
    )
    report.atMost(
      'the disk is free after',
      secondsSince(),
      SECONDS_ALLOWED,
      's',
      `${amount(share)} of the traces are left`,
    )
  }

  await read(new Map(), READS_TOGETHER)
  if (only !== 'retention') {
    const before = await atRest()
    const { job_id: id } = await call<{ job_id: string }>('POST', '/v1/traces/delete', { min_duration_ms: LONG_MS })
    const hasEnded = async () => (await call<Job>('GET', `/v1/jobs/${id}`)).status === 'succeeded'
    await watch(before, BESIDE_DELETION_ALLOWED, hasEnded)
  }

  const { projects } = await call<{ projects: readonly { id: string }[] }>('GET', '/v1/projects')
  const retention = { days: KEPT_DAYS, flagged_days: KEPT_DAYS }
  const beforeRetention = await atRest()
  await call('PATCH', `/v1/projects/${projects[0]!.id}`, { retention })
  await service.stop()
  // Retention is applied once an hour, and soon after a start.
  service = await startService({ dataDir, key: archive.key })
  await read(new Map(), READS_TOGETHER)
  const expired = `/v1/projects/${projects[0]!.id}/expired?days=${KEPT_DAYS}&flagged_days=${KEPT_DAYS}`
  await watch(beforeRetention, BESIDE_RETENTION_ALLOWED, async () => {
    const { traces, flagged_traces: flagged } = await call<{ traces: number; flagged_traces: number }>('GET', expired)
    return traces + flagged < TRACES / 1000
  })
  await Promise.all([load.stop(), service.stop()])
  report.end()
})

async function countTraces(call: <T>(method: string, path: string) => Promise<T>): Promise<number> {
  const path = '/v1/traces/series?measure=count&bucket=all&start_time=2020-01-01T00:00:00Z'
  const { points } = await call<{ points: readonly { value: number }[] }>('GET', path)
  return points.reduce((sum, { value }) => sum + value, 0)
}

/** Few deletions are held back for ten minutes. */
async function isPurging(service: ServiceUnderTest): Promise<boolean> {
  const pending = (await service.metrics()).get('spoor_deleted_traces_pending')
  if (pending === undefined) throw new Error('the service does not report the number of stored deleted traces')
  return pending >= PURGE_RULES.many
}
