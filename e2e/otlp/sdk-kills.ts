import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { Service } from '../lib/service.ts'
import { findTrace, type FoundTrace } from './found-trace.ts'
import { agentProgram } from './run-agent.ts'

const CALLS = 20
const USED = 7
/** Within the time that the clients take for a round. */
const LATEST_KILL_MS = 1200
/** The exporters wait as long as a busy machine takes to start the service. How often they try is their own choice. */
const WAITS = {
  OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
  OTEL_BSP_EXPORT_TIMEOUT: '60000',
  OTEL_BLRP_EXPORT_TIMEOUT: '60000',
}

/**
 * Rounds in which the clients of LangSmith, Langfuse and OpenTelemetry record while the service is killed with -9 at
 * any moment and started again. What is not answered the clients send again themselves. Nothing may be lost or stored
 * twice. `onRound` is called after each round.
 */
export async function killUnderSdks(rounds: number, onRound: (round: number) => void = () => undefined): Promise<void> {
  await using service = await Service.start()
  let up = Promise.resolve(service.url)
  const front = await openFront(() => up)
  const clients = startClients(`http://127.0.0.1:${(front.address() as AddressInfo).port}`, service.key)
  try {
    const lines = createInterface(clients.stdout!)[Symbol.asyncIterator]()
    for (let round = 0; round < rounds; round++) {
      clients.stdin!.write('\n')
      const answered = lines.next()
      await setTimeout(Math.random() * LATEST_KILL_MS)
      const { promise, resolve } = Promise.withResolvers<string>()
      up = promise
      await service.kill()
      await service.start()
      resolve(service.url)
      const { value } = (await answered) as { value?: string }
      assert.ok(value !== undefined, 'the clients ended')
      const ids = JSON.parse(value) as Readonly<Record<string, string>>
      for (const [name, id] of Object.entries(ids)) {
        verify(`${name}, round ${round}`, await findTrace(service, id.replaceAll('-', '')))
      }
      onRound(round)
    }
    const scored = await service.client.get('/v1/metrics/helpful/series?bucket=all')
    const { points } = scored.json<{ points: readonly { count: number }[] }>()
    assert.equal(
      points.reduce((sum, { count }) => sum + count, 0),
      rounds * CALLS,
    )
  } finally {
    clients.kill()
    front.close()
  }
}

/** A port that stays. Connections wait there while the service is away, and end with it. */
async function openFront(up: () => Promise<string>): Promise<Server> {
  const front = createServer((incoming) => {
    incoming.on('error', () => undefined)
    void up().then((url) => {
      // It has given up waiting.
      if (incoming.destroyed) return
      pipeline(incoming, connect(Number(new URL(url).port), '127.0.0.1'), incoming, () => undefined)
    })
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  return front
}

function startClients(url: string, key: string): ChildProcess {
  const env = {
    ...process.env,
    ...WAITS,
    CALLS: String(CALLS),
    LANGSMITH_ENDPOINT: url,
    LANGSMITH_API_KEY: key,
    LANGSMITH_TRACING: 'true',
    LANGFUSE_BASEURL: url,
    LANGFUSE_SECRET_KEY: key,
    LANGFUSE_PUBLIC_KEY: 'any',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/otlp`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${key}`,
  }
  return spawn(process.execPath, [agentProgram('agents/kill-rounds.mjs')], { env, stdio: ['pipe', 'pipe', 'inherit'] })
}

function verify(what: string, { step_count: count, token_usage: usage, steps }: FoundTrace): void {
  assert.deepEqual([count, usage.input, steps.length], [CALLS + 1, CALLS * USED, CALLS + 1], what)
  const names = ['round', ...Array.from({ length: CALLS }, (_, at) => `call ${at}`)]
  assert.deepEqual(steps.map(({ name }) => name).sort(), names.sort(), what)
  for (const { name, messages = [] } of steps) {
    if (name === 'round') continue
    assert.equal(JSON.stringify(messages).split('Yes.').length, 2, `${what}, ${name}`)
  }
}
