/**
 * The load generator. Requests are prepared bytes, and only the status and the end of a response are parsed, because
 * the service needs both cores.
 */
import { LoadConnection } from './load-connection.ts'
import { percentile } from '../percentile.ts'
import { answerJobs } from './worker-process.ts'

export interface LoadJob {
  readonly port: number
  readonly connections: number
  /** Sent in turn, over and over. */
  readonly requests: readonly Uint8Array[]
  /** No request is sent after this time, or after this number. */
  readonly durationMs?: number
  readonly total?: number
  /** Pause of a connection between a response and its next request. */
  readonly thinkMs?: number
  /** Whether a refused connection waits as long as Retry-After says. */
  readonly obeysRetryAfter?: boolean
  /** Instead of a pause, the target rate of all connections together; late requests catch up. */
  readonly ratePerSecond?: number
}

export interface LoadResult {
  readonly completed: number
  /** Responses other than 2xx. */
  readonly failed: number
  readonly firstFailure: string | null
  readonly seconds: number
  readonly perSecond: number
  readonly latenciesMs: readonly number[]
  readonly p50: number
  readonly p95: number
  /** CPU time of this generator. */
  readonly cpuSeconds: number
}

answerJobs(run)

async function run(job: LoadJob): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: job.connections }, () => LoadConnection.open(job.port)))
  const latenciesMs: number[] = []
  let failed = 0
  let firstFailure: string | null = null
  let sent = 0
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  const ends = began + (job.durationMs ?? Infinity)

  const everyMs = job.ratePerSecond === undefined ? null : (1000 * job.connections) / job.ratePerSecond

  async function drive(connection: LoadConnection, place: number): Promise<void> {
    let due = began + ((everyMs ?? 0) * place) / job.connections
    if (everyMs !== null) await until(due)
    while (performance.now() < ends && sent < (job.total ?? Infinity)) {
      const request = job.requests[sent++ % job.requests.length]!
      const sentAt = performance.now()
      const { status, retryAfterMs, text } = await connection.exchange(request)
      if (status >= 200 && status < 300) {
        latenciesMs.push(performance.now() - sentAt)
      } else {
        failed += 1
        firstFailure ??= text()
        if (job.obeysRetryAfter === true) await until(Math.min(ends, performance.now() + retryAfterMs))
      }
      if (job.thinkMs !== undefined) await new Promise((resolve) => setTimeout(resolve, job.thinkMs))
      if (everyMs !== null) await until((due += everyMs))
    }
    connection.close()
  }

  await Promise.all(connections.map(drive))
  const seconds = (performance.now() - began) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  return {
    completed: latenciesMs.length,
    failed,
    firstFailure,
    seconds,
    perSecond: latenciesMs.length / seconds,
    latenciesMs,
    p50: percentile(latenciesMs, 0.5),
    p95: percentile(latenciesMs, 0.95),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }
}

async function until(due: number): Promise<void> {
  const left = due - performance.now()
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
}
