/**
 * The cost of patterns of failure, over public runs of an agent that are sent again and again, 10,000 in all.
 *
 *     node bench/patterns.bench.ts [--quick]
 */
import { PATTERN_TRACES } from '../packages/contract/src/schemas/traces/failure-patterns.ts'
import { readLines } from './lib/clusters/labelled-traces.ts'
import { httpRequest } from './lib/http-request.ts'
import { cpuSeconds } from './lib/machine-load.ts'
import { inTemporaryFolder, readOptions } from './lib/options.ts'
import { amount, Report } from './lib/report.ts'
import { startService } from './lib/service.ts'
import type { LoadJob, LoadResult } from './lib/workers/load-process.ts'
import { startWorker } from './lib/workers/worker-process.ts'

const PROCESSOR_SECONDS = 10
/** Of them in the main thread, which serves others meanwhile. */
const MAIN_SECONDS = 1

const { quick } = readOptions()
const total = quick ? PATTERN_TRACES / 10 : PATTERN_TRACES
const report = new Report(`Patterns: ${amount(total)} runs`)
const lines = readLines<object, object>('airline-traces.jsonl', (line) => line)
if (lines === null) report.figure('cost', 'left out: there is no ../shared/data')
else {
  await inTemporaryFolder(async (folder) => {
    const service = await startService({ dataDir: folder })
    const load = await startWorker<LoadJob, LoadResult>('load-process')
    const { port, key, pid } = service
    const type = 'application/json'
    const posted = lines.map((line) =>
      httpRequest('POST', '/v1/traces', key, { type, bytes: Buffer.from(JSON.stringify(line)) }),
    )
    const written = await load.run({ port, connections: 16, requests: posted, total })
    if (written.failed > 0) throw new Error(`a trace was refused: ${written.firstFailure}`)
    const asked = [httpRequest('GET', '/v1/patterns?failure_by=metadata:reward=0', key)]
    const ask = async () => {
      const answered = await load.run({ port, connections: 1, requests: asked, total: 1 })
      if (answered.failed > 0) throw new Error(`patterns were refused: ${answered.firstFailure}`)
      return answered.latenciesMs[0] ?? NaN
    }
    report.figure('first, while rows settle', amount(await ask(), 'ms'))
    const spent = () => [pid, `${pid}/task/${pid}`].map((of) => cpuSeconds(of) ?? NaN) as [number, number]
    const [all, main] = spent()
    report.figure('again', amount(await ask(), 'ms'))
    const [allAfter, mainAfter] = spent()
    report.atMost('processor time', allAfter - all, PROCESSOR_SECONDS, 's')
    report.atMost('in the main thread', mainAfter - main, MAIN_SECONDS, 's')
    await Promise.all([service.stop(), load.stop()])
  })
}
report.end()
