/** Uploads small files over several connections. Each file has eight unique bytes. */
import { randomBytes } from 'node:crypto'
import { LoadConnection } from './load-connection.ts'
import { type MediaPlace, uploadParts } from '../media-requests.ts'
import { percentile } from '../percentile.ts'
import { answerJobs } from './worker-process.ts'

export interface SmallUploadsJob {
  readonly port: number
  readonly key: string
  readonly connections: number
  readonly fileBytes: number
  readonly total: number
  /** Targets of the files, in turn. */
  readonly places: readonly MediaPlace[]
}

export interface SmallUploadsResult {
  readonly perSecond: number
  readonly p50: number
  readonly p95: number
  readonly cpuSeconds: number
}

const MARK_BYTES = 8

answerJobs(run)

async function run(job: SmallUploadsJob): Promise<SmallUploadsResult> {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => LoadConnection.open(job.port)))
  const content = randomBytes(job.fileBytes)
  const latenciesMs: number[] = []
  let sent = 0
  const cpuBefore = process.cpuUsage()
  const began = performance.now()

  async function drive(connection: LoadConnection): Promise<void> {
    const file = Buffer.from(content)
    while (sent < job.total) {
      const { head, tail } = uploadParts(job.key, job.places[sent++ % job.places.length]!, file.length)
      randomBytes(MARK_BYTES).copy(file)
      const sentAt = performance.now()
      const { status, text } = await connection.exchange(Buffer.concat([head, file, tail]))
      if (status !== 201) throw new Error(`an upload returned ${status}: ${text()}`)
      latenciesMs.push(performance.now() - sentAt)
    }
    connection.close()
  }

  await Promise.all(connections.map(drive))
  const seconds = (performance.now() - began) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  return {
    perSecond: job.total / seconds,
    p50: percentile(latenciesMs, 0.5),
    p95: percentile(latenciesMs, 0.95),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }
}
