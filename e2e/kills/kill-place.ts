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
  readonly #share: number
  readonly violations: string[] = []
  /** Commands and services that were killed, and those that ended before. */
  killed = 0
  ended = 0
  #paths = 0
  readonly #durations = new Map<string, number>()

  /** `share`: the share of the traces of each kind that is made. */
  constructor(service: Service, folder: string, random: Random, share: number) {
    this.service = service
    this.folder = folder
    this.random = random
    this.#share = share
  }

  shareOf(count: number): number {
    return Math.ceil(count * this.#share)
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
    for (let n = 0; n < this.shareOf(BASE_TRACES); n++)
      await this.commit(1, { name: BASE, metadata: { text: randomBytes(BASE_BYTES * 0.75).toString('base64') } })
  }

  async countTraces(): Promise<number> {
    return (await walkFeed(this.service.client)).length
  }

  /** Throws unless the command succeeds. */
  async run(kind: string, args: readonly string[], service: Service | null = null): Promise<Ended> {
    const began = performance.now()
    const ended = await runSpoor(this.service.dataDir, args, this.#settingsOf(service))
    if (ended.code !== 0) throw new Error(`spoor ${args.join(' ')}: ${ended.code} ${ended.error}`)
    // What goes on after a kill is shorter than the whole.
    this.#durations.set(kind, Math.max(this.#durations.get(kind) ?? 0, performance.now() - began))
    return ended
  }

  /** As `run`, where a failure is expected. */
  async attempt(args: readonly string[]): Promise<Ended> {
    return runSpoor(this.service.dataDir, args, this.#settingsOf(null))
  }

  /**
   * Kills a command, or the service that it uses, at a random moment of its work. False if the command did all of it.
   * A command that fails by itself is a violation, and so is one without a sentence when its service is killed.
   */
  async kill(kind: string, args: readonly string[], service: Service | null = this.service): Promise<boolean> {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: serviceEnvironment(this.service.dataDir, this.#settingsOf(service)),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const killed = service !== null && this.random.chance(0.4) ? service : null
    let restarted: Promise<void> | null = null
    const timer = setTimeout(() => {
      if (killed === null) child.kill('SIGKILL')
      else restarted = killAndStart(killed)
    }, this.#moment(kind))
    const { code, error } = await endOf(child)
    clearTimeout(timer)
    await restarted
    if (code === null || restarted !== null) this.killed += 1
    else this.ended += 1
    const mayFail = restarted !== null && !/^ +at /m.test(error)
    if (code !== null && code !== 0 && !mayFail) this.violations.push(`spoor ${args[0]}: ${code} ${error}`)
    return code !== 0
  }

  expect(holds: boolean, sentence: string): void {
    if (!holds) this.violations.push(sentence)
  }

  #moment(kind: string): number {
    const duration = this.#durations.get(kind) ?? 1000
    return duration * (START_SHARE + (1 - START_SHARE) * this.random.next())
  }

  #settingsOf(service: Service | null): Readonly<Record<string, string>> {
    const { url, key } = service ?? this.service
    return { SPOOR_URL: url, SPOOR_API_KEY: key }
  }
}

/** On the same port: what uses the service tries again. */
export async function killAndStart(service: Service): Promise<void> {
  await service.kill()
  await service.start(['--port', new URL(service.url).port])
}
