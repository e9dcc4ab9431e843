/**
 * Commits one trace at a time and measures the time from each acknowledgement to the event on a tail in the same
 * process.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { httpRequest } from '../http-request.ts'
import { LoadConnection } from './load-connection.ts'
import { traceRequests } from '../trace-bodies.ts'
import { answerJobs } from './worker-process.ts'

export interface TailLatencyJob {
  readonly port: number
  /** Of the service that the tail reads from: another node of the same cluster. Default: `port`. */
  readonly tailPort?: number
  readonly key: string
  readonly traces: number
}

export interface TailLatencyResult {
  /** From acknowledgement to event; 0 if the event arrived first. */
  readonly latenciesMs: readonly number[]
}

const PAUSE_MS = 10

answerJobs(run)

async function run({ port, tailPort = port, key, traces }: TailLatencyJob): Promise<TailLatencyResult> {
  const arrivals = new Arrivals()
  const tail = connect({ port: tailPort, host: '127.0.0.1', noDelay: true })
  tail.setEncoding('latin1')
  tail.on('data', (text: string) => arrivals.take(text))
  await once(tail, 'connect')
  tail.write(httpRequest('GET', '/v1/traces/tail', key, undefined, { accept: 'text/event-stream' }))
  await once(tail, 'data')
  const connection = await LoadConnection.open(port)
  const requests = traceRequests(key, 64)
  const latenciesMs: number[] = []
  for (let index = 0; index < traces; index++) {
    const { text } = await connection.exchange(requests[index % requests.length]!)
    const acknowledgedAt = performance.now()
    const id = /"id":"(tr_[0-9a-z]{26})"/.exec(text())?.[1]
    if (id === undefined) throw new Error(`not acknowledged: ${text()}`)
    latenciesMs.push(Math.max(0, (await arrivals.of(id)) - acknowledgedAt))
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  connection.close()
  tail.destroy()
  return { latenciesMs }
}

/** Arrival time of each trace's event. */
class Arrivals {
  readonly #seen = new Map<string, number>()
  #carried = ''
  #awaited: { readonly id: string; readonly resolve: (at: number) => void } | null = null

  take(text: string): void {
    const now = performance.now()
    const whole = this.#carried + text
    const end = whole.lastIndexOf('\n\n') + 1
    this.#carried = whole.slice(end)
    for (const [, id] of whole.slice(0, end).matchAll(/"id":"(tr_[0-9a-z]{26})"/g)) {
      if (id === this.#awaited?.id) this.#awaited?.resolve(now)
      else this.#seen.set(id!, now)
    }
  }

  of(id: string): Promise<number> {
    const at = this.#seen.get(id)
    this.#seen.clear()
    if (at !== undefined) return Promise.resolve(at)
    return new Promise((resolve) => (this.#awaited = { id, resolve }))
  }
}
