import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { walkFeed } from '../lib/feed.ts'
import { freePorts } from '../lib/free-ports.ts'
import { Service } from '../lib/service.ts'
import type { PythonPackage } from './python-package.ts'

const AGENT = fileURLToPath(new URL('agent.py', import.meta.url))
const STEPS = 3

/** A service that keeps its address when it is started again. */
export async function startAtFixedPort(): Promise<Service> {
  const [port] = await freePorts(1)
  return Service.start({ environment: { SPOOR_PORT: String(port) } })
}

/**
 * In each round an agent records traces. Then it is killed, in every other round after the service was killed and
 * started again. What the recorder has acknowledged must be stored, once.
 */
export async function killAndResend(
  service: Service,
  python: PythonPackage,
  rounds: number,
  onRound: (round: number, kept: number, repeated: number) => void = () => undefined,
): Promise<void> {
  const metric = await service.client.call({
    method: 'POST',
    path: '/v1/metrics',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'solved', kind: 'boolean' }),
  })
  assert.ok(metric.status < 300, metric.text)
  const kept = new Set<string>()
  let repeated = 0
  for (let round = 0; round < rounds; round++) {
    const agent = new Agent(service, python, `run ${round}`, 1000)
    await agent.keeps(2 + (round % 5))
    if (round % 2 === 1) {
      await service.kill()
      await agent.keeps(2)
      await service.start()
      await agent.keeps(1 + (round % 3))
    }
    await agent.kill()
    for (const id of agent.kept) kept.add(id)
    repeated += agent.repeated
    onRound(round, kept.size, repeated)
  }
  const last = new Agent(service, python, 'the last', 1)
  assert.equal(await last.ended(), 0)
  for (const id of last.kept) kept.add(id)
  await assertKeptOnce(service, kept)
}

/** Traces that were not acknowledged may be there in part, but nothing of them twice. */
async function assertKeptOnce(service: Service, kept: ReadonlySet<string>): Promise<void> {
  for (const { name, step_count: count } of await walkFeed(service.client)) assert.ok(count <= STEPS, name)
  for (const id of kept) {
    const answer = await service.client.get(`/v1/traces/${id}`)
    assert.equal(answer.status, 200, `${id} was acknowledged: ${answer.text}`)
    const trace = answer.json<{
      token_usage: { input: number }
      steps: { name: string }[]
      metric_events: unknown[]
    }>()
    const names = trace.steps.map(({ name }) => name).sort()
    assert.deepEqual(names, ['step 0', 'step 1', 'step 2'])
    assert.deepEqual([trace.token_usage.input, trace.metric_events.length], [7 * STEPS, 1], id)
  }
}

class Agent {
  readonly kept: string[] = []
  /** Flushes that had to be repeated, as they took longer than a minute. */
  repeated = 0
  readonly #process: ChildProcess
  readonly #closed: Promise<unknown>
  #lost = ''
  #onLine: () => void = () => undefined

  constructor(service: Service, python: PythonPackage, name: string, most: number) {
    this.#process = spawn('python3', [AGENT, name, String(most)], {
      env: python.environment({
        SPOOR_URL: service.url,
        SPOOR_API_KEY: service.key,
        SPOOR_SPOOL_DIR: join(python.folder, 'spool'),
      }),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    this.#closed = once(this.#process, 'close').then(() => this.#onLine())
    assert.ok(this.#process.stdout !== null)
    createInterface(this.#process.stdout).on('line', (line) => {
      const [word, id = ''] = line.split(' ')
      if (word === 'kept') this.kept.push(id)
      else if (word === 'repeated') this.repeated++
      else this.#lost = line
      this.#onLine()
    })
  }

  /** Resolves when it has acknowledged so many traces more. */
  async keeps(count: number): Promise<void> {
    const target = this.kept.length + count
    while (this.kept.length < target) {
      assert.equal(this.#lost, '')
      assert.equal(this.#process.exitCode, null, 'the agent has ended')
      await new Promise<void>((resolve) => (this.#onLine = resolve))
    }
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#closed
  }

  async ended(): Promise<number | null> {
    await this.#closed
    assert.equal(this.#lost, '')
    return this.#process.exitCode
  }
}
