import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Ended, endOf, runSpoor } from '../lib/command.ts'
import { walkFeed } from '../lib/feed.ts'
import type { Random } from '../lib/random.ts'
import { MAIN, type Service, serviceEnvironment } from '../lib/service.ts'

/** Name of the traces that stay as they are. */
export const BASE = 'base'
const BASE_TRACES = 400
const BASE_BYTES = 10_000
/** Of a command, the time in which its process starts. Nothing is written yet. */
const START_SHARE = 0.3

/** A running store, and the commands that are killed beside it. */
export class KillPlace {
  readonly service: Service
  readonly folder: string
  readonly random: Random
  readonly violations: string[] = []
  /** Commands and services that were killed, and those that ended before. */
  killed = 0
  ended = 0
  #paths = 0
  readonly #durations = new Map<string, number>()

  constructor(service: Service, folder: string, random: Random) {
    this.service = service
    this.folder = folder
    this.random = random
  }

  newPath(name: string): string {
    this.#paths += 1
    return join(this.folder, `${name}-${this.#paths}`)
  }

  async commit(count: number, body: object): Promise<readonly string[]> {
    const ids: string[] = []
    for (let n = 0; n < count; n++) {
      const answer = await this.service.client.postTrace(body)
      if (answer.status !== 202) throw new Error(answer.text)
      ids.push(answer.json<{ id: string }>().id)
    }
    return ids
  }

  async commitBase(): Promise<void> {
    for (let n = 0; n < BASE_TRACES; n++)
      await this.commit(1, { name: BASE, metadata: { text: randomBytes(BASE_BYTES * 0.75).toString('base64') } })
  }

  async countTraces(): Promise<number> {
    return (await walkFeed(this.service.client)).length
  }

  /** Throws unless the command succeeds. */
  async run(kind: string, args: readonly string[]): Promise<Ended> {
    const began = performance.now()
    const ended = await runSpoor(this.service.dataDir, args, this.#settings)
    if (ended.code !== 0) throw new Error(`spoor ${args.join(' ')}: ${ended.code} ${ended.error}`)
    this.#durations.set(kind, performance.now() - began)
    return ended
  }

  /** As `run`, where a failure is expected. */
  async attempt(args: readonly string[]): Promise<Ended> {
    return runSpoor(this.service.dataDir, args, this.#settings)
  }

  /** Kills a command at a random moment of its work. False when it had ended. A command that fails is a violation. */
  async kill(kind: string, args: readonly string[]): Promise<boolean> {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: serviceEnvironment(this.service.dataDir, this.#settings),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), this.#moment(kind))
    const { code, error } = await endOf(child)
    clearTimeout(timer)
    if (code === null) this.killed += 1
    else this.ended += 1
    if (code !== null && code !== 0) this.violations.push(`spoor ${args[0]}: ${code} ${error}`)
    return code === null
  }

  expect(holds: boolean, sentence: string): void {
    if (!holds) this.violations.push(sentence)
  }

  #moment(kind: string): number {
    const duration = this.#durations.get(kind) ?? 1000
    return duration * (START_SHARE + (1 - START_SHARE) * this.random.next())
  }

  get #settings(): Readonly<Record<string, string>> {
    return { SPOOR_URL: this.service.url, SPOOR_API_KEY: this.service.key }
  }
}
