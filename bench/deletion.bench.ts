/**
 * Deletion: lists while deleted traces are still stored, and how fast those leave the disk.
 *
 *     node bench/deletion.bench.ts [--quick] [--store DIRECTORY]
 *
 * Works on a copy of an archive of 100,000 traces of 10 steps (archive-process.ts): 2 GB of disk.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { PURGE_RULES } from '../packages/server/src/traces/retention/purge-deleted.ts'
import { openArchive } from './lib/archives/archive.ts'
import { httpRequest } from './lib/http-request.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { type ServiceUnderTest, startService } from './lib/service.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const LIST_ALLOWED = 1.5
const PURGED_NEEDED = 5000
/** Deleted before the lists are timed: a list has to skip all of them. */
const FEW = 5000
const LISTS = 60
const LOOK_EVERY_MS = 200

const { quick, store } = readOptions()
const TRACES = quick ? 20_000 : 100_000
const MANY = quick ? 10_000 : 50_000

await inTemporaryFolder(async (folder) => {
  const archive = await openArchive(store, TRACES)
  const dataDir = join(folder, 'service')
  cpSync(archive.directory, dataDir, { recursive: true, verbatimSymlinks: true })
  const report = new Report(`Deletion: ${amount(TRACES)} traces of 10 steps`)
  const service = await startService({ dataDir, key: archive.key })
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  const listMs = async () => {
    const requests = [httpRequest('GET', '/v1/traces?limit=50', service.key)]
    const result = await load.run({ port: service.port, connections: 1, requests, total: LISTS })
    if (result.failed > 0) throw new Error(`a list failed: ${result.firstFailure}`)
    return median(result.latenciesMs)
  }
  const remove = async (ids: readonly string[]) => {
    const requests = ids.map((id) => httpRequest('DELETE', `/v1/traces/${id}`, service.key))
    const result = await load.run({ port: service.port, connections: 16, requests, total: requests.length })
    if (result.failed > 0) throw new Error(`a deletion failed: ${result.firstFailure}`)
    return result
  }
  const ids = await newestIds(service, FEW + MANY)
  await listMs()
  const before = await listMs()

  const few = await remove(ids.slice(0, FEW))
  report.figure(`${amount(FEW)} newest deleted`, `${amount(few.perSecond)}/s`)
  const atOnce = await listMs()
  const remark = (ms: number) => `${amount(ms, 'ms')} of ${amount(before, 'ms')}`
  report.atMost('a list over them, at once', atOnce / before, LIST_ALLOWED, '', remark(atOnce))
  await purged(service)
  const after = await listMs()
  report.atMost('a list once they have left the disk', after / before, LIST_ALLOWED, '', remark(after))

  const cpuBefore = await cpuSeconds(service)
  const began = performance.now()
  const many = await remove(ids.slice(FEW))
  report.figure(`${amount(MANY)} more deleted`, `${amount(many.perSecond)}/s in ${amount(many.seconds, 's')}`)
  const deleted = performance.now()
  const pending = (await service.metrics()).get('spoor_deleted_traces_pending') ?? NaN
  report.figure('deleted traces still stored at the last deletion', amount(pending))
  const end = await purged(service)
  report.figure('from the last deletion until all have left the disk', amount((end - deleted) / 1000, 's'))
  report.figure(
    'from the first deletion',
    `${amount((end - began) / 1000, 's')}, ${amount((MANY * 1000) / (end - began))}/s`,
  )
  report.figure('processor time a deletion', amount(((await cpuSeconds(service)) - cpuBefore) * (1000 / MANY), 'ms'))
  report.atLeast('removal rate after the last deletion', (pending * 1000) / (end - deleted), PURGED_NEEDED, '/s')
  await Promise.all([load.stop(), service.stop()])
  report.end()
})

async function newestIds(service: ServiceUnderTest, count: number): Promise<string[]> {
  const ids: string[] = []
  let cursor = ''
  while (ids.length < count) {
    const response = await fetch(`${service.origin}/v1/traces?limit=1000${cursor}`, {
      headers: { 'x-api-key': service.key },
    })
    const page = (await response.json()) as { traces: readonly { id: string }[]; next_cursor: string | null }
    ids.push(...page.traces.map(({ id }) => id))
    if (page.next_cursor === null) break
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
  return ids.slice(0, count)
}

/**
 * Resolves with the time when so few deleted traces are stored that the service waits for more before removing them.
 */
async function purged(service: ServiceUnderTest): Promise<number> {
  for (;;) {
    const pending = (await service.metrics()).get('spoor_deleted_traces_pending')
    if (pending === undefined) throw new Error('the service does not report the number of stored deleted traces')
    if (pending < PURGE_RULES.many) return performance.now()
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

async function cpuSeconds(service: ServiceUnderTest): Promise<number> {
  return (await service.metrics()).get('process_cpu_seconds_total') ?? NaN
}
