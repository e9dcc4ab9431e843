/**
 * An ordinary client of one project: sends health checks, lists and commits at a steady rate, whether or not responses
 * arrive.
 */
import { Agent, request } from 'node:http'
import { answerJobs } from './worker-process.ts'

export interface VictimJob {
  readonly port: number
  readonly key: string
  readonly durationMs: number
  /** Of POST /v1/traces. */
  readonly body: string
}

export interface VictimResult {
  /** From the due time of each request to its complete response, for successes and for failures. */
  readonly healthMs: readonly number[]
  readonly listMs: readonly number[]
  readonly commitMs: readonly number[]
  /** The outcomes other than success with their counts, by request. */
  readonly failures: Readonly<Record<'health' | 'list' | 'commit', Readonly<Record<string, number>>>>
}

const HEALTH_EVERY_MS = 20
const LIST_EVERY_MS = 200
const COMMIT_EVERY_MS = 100
/** A response that takes longer counts as missing. */
const PATIENCE_MS = 60_000

answerJobs(run)

async function run({ port, key, durationMs, body }: VictimJob): Promise<VictimResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const series = {
    health: new Series(HEALTH_EVERY_MS, () => send({ path: '/healthz' })),
    list: new Series(LIST_EVERY_MS, () => send({ path: '/v1/traces?limit=50', headers })),
    commit: new Series(COMMIT_EVERY_MS, () => send({ method: 'POST', path: '/v1/traces', headers }, body)),
  }
  const ends = performance.now() + durationMs
  await Promise.all(Object.values(series).map((each) => each.run(ends)))
  agent.destroy()
  return {
    healthMs: series.health.timesMs,
    listMs: series.list.timesMs,
    commitMs: series.commit.timesMs,
    failures: { health: series.health.failures, list: series.list.failures, commit: series.commit.failures },
  }

  /** Resolves with null for a success, otherwise with the outcome. */
  function send(
    options: { path: string; method?: string; headers?: object },
    content?: string,
  ): Promise<string | null> {
    return new Promise((resolve) => {
      const sent = request({ host: '127.0.0.1', port, agent, ...options } as object, (incoming) => {
        let text = ''
        incoming.on('data', (chunk) => (text += String(chunk)))
        incoming.on('end', () => {
          const status = incoming.statusCode ?? 0
          resolve(status < 300 ? null : `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`)
        })
        incoming.on('error', () => resolve('cut off'))
      })
      sent.setTimeout(PATIENCE_MS, () => sent.destroy())
      sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      sent.end(content)
    })
  }
}

/** One kind of request, sent when due; waiting for a response delays no other. */
class Series {
  readonly timesMs: number[] = []
  readonly failures: Record<string, number> = {}
  readonly #everyMs: number
  readonly #send: () => Promise<string | null>

  constructor(everyMs: number, send: () => Promise<string | null>) {
    this.#everyMs = everyMs
    this.#send = send
  }

  async run(ends: number): Promise<void> {
    const answers: Promise<void>[] = []
    for (let due = performance.now(); due < ends; due += this.#everyMs) {
      const left = due - performance.now()
      if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
      answers.push(this.#one(due))
    }
    await Promise.all(answers)
  }

  async #one(due: number): Promise<void> {
    const failure = await this.#send()
    this.timesMs.push(performance.now() - due)
    if (failure !== null) this.failures[failure] = (this.failures[failure] ?? 0) + 1
  }
}
