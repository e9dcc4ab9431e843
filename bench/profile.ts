/**
 * Where the main thread of the service spends its time during ingest: for tuning, without limits.
 *
 *     node bench/profile.ts [--quick]
 *
 * Work of the engine's own threads is not included: `(idle)` is mostly waiting for a commit.
 */
import { join } from 'node:path'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { profileService } from './lib/profile-service.ts'
import { amount, Report } from './lib/report.ts'
import { traceRequests } from './lib/trace-bodies.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const { quick } = readOptions()
const DURATION_MS = quick ? 12_000 : 30_000

const report = new Report('Profile of the service under ingest')
await inTemporaryFolder(async (folder) => {
  const load = await startWorker<LoadJob, LoadResult>('load-process')
  for (const connections of [64, 16]) {
    const title = `${connections} connections`
    await profileService(join(folder, String(connections)), title, async ({ port, key }) => {
      const requests = traceRequests(key)
      const { perSecond } = await load.run({ port, connections, requests, durationMs: DURATION_MS })
      report.figure(`${title}: traces, with the profiler`, amount(perSecond, '/s'))
    })
  }
  await load.stop()
})
report.end()
