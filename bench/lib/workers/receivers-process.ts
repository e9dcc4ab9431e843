/** Receivers of deliveries that count requests. */
import { LeanServer } from './lean-server.ts'
import { answerJobs } from './worker-process.ts'

export type ReceiversJob =
  /** Opens this many; replies with their ports. */
  | { readonly open: number }
  /**
   * Waits, at most this long, until the receivers at these indices have got `count` requests each since the last job.
   */
  | { readonly count: number; readonly among: readonly number[]; readonly withinMs: number }
  /** From now on these accept requests and do not answer. */
  | { readonly silent: readonly number[] }
  /** Counts for this long. */
  | { readonly forMs: number }

export interface ReceiversResult {
  readonly ports: readonly number[]
  /** Requests of each since the last job. */
  readonly requests: readonly number[]
  readonly seconds: number
}

const servers: LeanServer[] = []
let requests: number[] = []
let onRequest: (() => void) | null = null

answerJobs<ReceiversJob, ReceiversResult>(run)

async function run(job: ReceiversJob): Promise<ReceiversResult> {
  const began = performance.now()
  if ('open' in job) {
    for (let index = servers.length; index < job.open; index++) {
      servers.push(await LeanServer.listen(() => take(index)))
    }
  } else if ('forMs' in job) {
    requests = servers.map(() => 0)
    await new Promise((resolve) => setTimeout(resolve, job.forMs))
  } else if ('silent' in job) {
    for (const index of job.silent) servers[index]!.answers = false
  } else {
    await untilCounted(job)
  }
  const result = {
    ports: servers.map(({ port }) => port),
    requests,
    seconds: (performance.now() - began) / 1000,
  }
  requests = servers.map(() => 0)
  return result
}

function take(index: number): void {
  requests[index] = (requests[index] ?? 0) + 1
  onRequest?.()
}

async function untilCounted({ count, among, withinMs }: Extract<ReceiversJob, { count: number }>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const impatience = setTimeout(resolve, withinMs)
  onRequest = () => {
    if (among.every((index) => (requests[index] ?? 0) >= count)) resolve()
  }
  onRequest()
  await promise
  clearTimeout(impatience)
  onRequest = null
}
