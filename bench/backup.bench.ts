/**
 * Backups of a running service: the time of a full one and of an incremental one after 1 % more traces came, and ingest
 * beside backups next to ingest alone.
 *
 *     node bench/backup.bench.ts [--quick] [--store DIRECTORY]
 *
 * Works on copies of the archives of growth.bench.ts. A million traces take 15 GB of disk beside the archive.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findProgram } from '../packages/server/bin/source-hash.mjs'
import { openArchive } from './lib/archives/archive.ts'
import { DENSE_MS } from './lib/archives/archive-sql.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { median } from './lib/percentile.ts'
import { amount, Report } from './lib/report.ts'
import { startService } from './lib/service.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const INCREMENTAL_SECONDS_ALLOWED = 10
const NEW_SHARE = 0.01
const BESIDE_NEEDED = 0.8
const CONNECTIONS = 16

interface Backup {
  readonly kind: 'full' | 'incremental'
  readonly traces: number
  readonly bytes: number
  readonly new_bytes: number
}

const { quick, store } = readOptions()
const SIZES = quick ? [20_000] : [100_000, 1_000_000]
const TURNS = quick ? 2 : 6
const TURN_MS = quick ? 3000 : 8000

for (const traces of SIZES) await measure(traces)

async function measure(traces: number): Promise<void> {
  const archive = await openArchive(store, traces, DENSE_MS)
  await inTemporaryFolder(async (folder) => {
    const dataDir = join(folder, 'service')
    cpSync(archive.directory, dataDir, { recursive: true, verbatimSymlinks: true })
    const report = new Report(`Backups: ${amount(traces)} traces of 10 steps`)
    const service = await startService({ dataDir, key: archive.key })
    const load = await startWorker<LoadJob, LoadResult>('load-process')
    const ingest = async (extent: Pick<LoadJob, 'total' | 'durationMs'>) => {
      const requests = traceRequests(service.key)
      const result = await load.run({ port: service.port, connections: CONNECTIONS, requests, ...extent })
      if (result.failed > 0) throw new Error(`a trace was refused: ${result.firstFailure}`)
      return result.perSecond
    }

    const target = join(folder, 'target')
    const full = await backUp(dataDir, target)
    report.figure('a full backup', said(full))
    await ingest({ total: traces * NEW_SHARE })
    const more = await backUp(dataDir, target)
    report.atMost('incremental, 1 % new', more.seconds, INCREMENTAL_SECONDS_ALLOWED, 's', said(more))
    const none = await backUp(dataDir, target)
    report.figure('incremental, nothing new', said(none))

    const alone: number[] = []
    const beside: number[] = []
    for (let turn = 0; turn < TURNS; turn++) {
      alone.push(await ingest({ durationMs: TURN_MS }))
      const running = new AbortController()
      const backups = backUpRepeatedly(dataDir, target, running.signal)
      beside.push(await ingest({ durationMs: TURN_MS }))
      running.abort()
      await backups
    }
    const remark = `${amount(median(beside))}/s of ${amount(median(alone))}/s`
    report.atLeast('ingest beside backups', median(beside) / median(alone), BESIDE_NEEDED, '', remark)
    await Promise.all([load.stop(), service.stop()])
    rmSync(target, { recursive: true })
    report.end()
  })
}

/** Incremental backups, one after the other: the last one may end later than the load. */
async function backUpRepeatedly(dataDir: string, target: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await backUp(dataDir, target)
}

/** As the command: with the start of its process. */
async function backUp(dataDir: string, target: string): Promise<Backup & { readonly seconds: number }> {
  const began = performance.now()
  const child = spawn(process.execPath, [findProgram(), 'backup', target, '--json', `--data-dir=${dataDir}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>])
  if (code !== 0) throw new Error(`the backup ended with exit code ${code}`)
  return { ...(JSON.parse(printed) as Backup), seconds: (performance.now() - began) / 1000 }
}

function said({ seconds, bytes, new_bytes: newBytes }: Awaited<ReturnType<typeof backUp>>): string {
  return `${amount(seconds, 's')}; ${amount(newBytes / 1e6)} of ${amount(bytes / 1e6)} MB written`
}
