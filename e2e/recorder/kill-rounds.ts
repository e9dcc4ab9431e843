import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Service } from '../lib/service.ts'

/** Steps of each trace of the recording process. */
const STEPS = 5
/** Traces that must be acknowledged before a kill. */
const BEFORE_KILL = 3

/**
 * Kills a recording process and the service in turns, with requests under way. Every acknowledged trace must be stored
 * whole and once; of the others there may be parts, but nothing twice. The service must keep its port. Resolves
 * with the number of acknowledged traces.
 */
export async function killRounds(
  service: Service,
  rounds: number,
  onRound: (round: number) => void = () => undefined,
): Promise<number> {
  const acknowledged = new Set<number>()
  let first = 0
  for (let round = 0; round < rounds; round++) {
    const recorder = new RecordingProcess(service, first, acknowledged)
    await recorder.acknowledges(BEFORE_KILL)
    if (round % 2 === 1) {
      // The recorder sends again what the service may have stored or not.
      await service.kill()
      await service.start()
      await recorder.acknowledges(BEFORE_KILL)
    }
    await recorder.kill()
    // The one trace that was under way is not taken up again.
    first = Math.max(...acknowledged) + 2
    onRound(round)
  }
  await verify(service, acknowledged)
  return acknowledged.size
}

class RecordingProcess {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #acknowledged: Set<number>

  constructor({ url, key }: Service, first: number, acknowledged: Set<number>) {
    this.#acknowledged = acknowledged
    this.#process = spawn(process.execPath, [join(import.meta.dirname, 'recording-process.ts'), String(first)], {
      env: { ...process.env, SPOOR_URL: url, SPOOR_API_KEY: key, SPOOR_SPOOL_DIR: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { stdout } = this.#process
    assert.ok(stdout !== null)
    this.#lines = createInterface(stdout)[Symbol.asyncIterator]()
  }

  async acknowledges(count: number): Promise<void> {
    for (let at = 0; at < count; at++) assert.ok(await this.#readsOne(), 'the recording process ended')
  }

  /** What it acknowledged before its end counts too. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await once(this.#process, 'close')
    while (await this.#readsOne());
  }

  async #readsOne(): Promise<boolean> {
    const line = await this.#lines.next()
    if (line.done !== true) this.#acknowledged.add(Number(line.value))
    return line.done !== true
  }
}

interface Page {
  readonly traces: readonly {
    readonly name: string
    readonly step_count: number
    readonly token_usage: { readonly input: number }
    readonly metadata: { readonly at?: number }
  }[]
  readonly next_cursor: string | null
}

async function verify({ client }: Service, acknowledged: ReadonlySet<number>): Promise<void> {
  const found = new Set<string>()
  let cursor: string | null = null
  do {
    const path: string = `/v1/traces?limit=100${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const page: Page = (await client.get(path)).json<Page>()
    for (const { name, step_count: steps, token_usage: usage, metadata } of page.traces) {
      // Parts of a trace that was under way when its recorder was killed are named after a step.
      if (!name.startsWith('run ')) continue
      assert.ok(!found.has(name), `${name} is stored twice`)
      found.add(name)
      if (acknowledged.has(Number(metadata.at))) assert.deepEqual([steps, usage.input], [STEPS, STEPS], name)
    }
    cursor = page.next_cursor
  } while (cursor !== null)
  for (const at of acknowledged) assert.ok(found.has(`run ${at}`), `run ${at} is lost`)
}
