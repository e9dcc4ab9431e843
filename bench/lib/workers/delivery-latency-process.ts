/**
 * Commits one trace at a time and measures the time from each acknowledgement to the delivery at a receiver in the same
 * process.
 */
import { LeanServer } from './lean-server.ts'
import { LoadConnection } from './load-connection.ts'
import { traceRequests } from '../trace-bodies.ts'
import { answerJobs } from './worker-process.ts'

/** Without `port`, only opens the receiver. */
export interface DeliveryLatencyJob {
  readonly port: number | null
  readonly key: string
  readonly traces: number
}

export interface DeliveryLatencyResult {
  readonly receiverPort: number
  /** From acknowledgement to the complete request at the receiver; 0 if the request arrived first. */
  readonly latenciesMs: readonly number[]
}

const PAUSE_MS = 10
const arrivals = new Map<string, PromiseWithResolvers<number>>()
const receiver = await LeanServer.listen((request) => {
  const now = performance.now()
  const id = /"id":"(tr_[0-9a-z]{26})"/.exec(request.toString('latin1'))?.[1]
  if (id !== undefined) arrivalOf(id).resolve(now)
})

answerJobs<DeliveryLatencyJob, DeliveryLatencyResult>(run)

async function run({ port, key, traces }: DeliveryLatencyJob): Promise<DeliveryLatencyResult> {
  const latenciesMs: number[] = []
  if (port !== null) {
    const connection = await LoadConnection.open(port)
    const requests = traceRequests(key, 64)
    for (let index = 0; index < traces; index++) {
      const { text } = await connection.exchange(requests[index % requests.length]!)
      const acknowledgedAt = performance.now()
      const id = /"id":"(tr_[0-9a-z]{26})"/.exec(text())?.[1]
      if (id === undefined) throw new Error(`not acknowledged: ${text()}`)
      latenciesMs.push(Math.max(0, (await arrivalOf(id).promise) - acknowledgedAt))
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    connection.close()
    arrivals.clear()
  }
  return { receiverPort: receiver.port, latenciesMs }
}

function arrivalOf(id: string): PromiseWithResolvers<number> {
  const known = arrivals.get(id)
  if (known !== undefined) return known
  const made = Promise.withResolvers<number>()
  arrivals.set(id, made)
  return made
}
