import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Service } from '../lib/service.ts'
import type { KillPlace } from './kill-place.ts'

/** Traces that come between two backups. */
const NEW_TRACES = 10

interface Backup {
  readonly id: string
  readonly traces: number
}

/** Kills of full and incremental backups and of restores. */
export class BackupKills {
  readonly #place: KillPlace
  readonly #target: string
  /** How many traces the store had at each backup of `#target`. */
  readonly #traces = new Map<string, number>()

  constructor(place: KillPlace) {
    this.#place = place
    this.#target = place.newPath('target')
  }

  async full(): Promise<void> {
    const place = this.#place
    const target = place.newPath('target')
    const traces = await place.countTraces()
    const args = ['backup', target, '--json']
    if (await place.kill('full', args)) {
      const found = await place.attempt(['restore', target, '--verify', '--json'])
      if (found.code === 0) place.expect(read(found.out).traces === traces, `a killed backup has ${found.out}`)
      else place.expect(found.error.includes('There is no backup in'), `a killed backup: ${found.error}`)
      await place.run('full', args)
    }
    const whole = await this.#verify(target)
    place.expect(whole.traces === traces, `a backup has ${whole.traces} of ${traces} traces`)
    rmSync(target, { recursive: true })
  }

  async incremental(): Promise<void> {
    const place = this.#place
    const args = ['backup', this.#target, '--json']
    if (this.#traces.size === 0) await this.#count(args)
    await place.commit(NEW_TRACES, { name: 'between backups', steps: [{ name: 'step' }] })
    const traces = await place.countTraces()
    await place.kill('incremental', args)
    const { id, traces: found } = await this.#verify(this.#target)
    const before = this.#traces.get(id)
    if (before === undefined) {
      place.expect(Number(id) === this.#traces.size + 1, `backup ${id} follows ${this.#traces.size}`)
      this.#traces.set(id, traces)
    }
    place.expect(found === (before ?? traces), `backup ${id} has ${found} of ${before ?? traces} traces`)
    await this.#count(args)
  }

  async restore(): Promise<void> {
    const place = this.#place
    if (this.#traces.size === 0) await this.#count(['backup', this.#target, '--json'])
    const traces = this.#traces.get(String(this.#traces.size))
    const dataDir = place.newPath('restored')
    const args = ['restore', this.#target, '--data-dir', dataDir, '--json']
    if ((await place.kill('restore', args, null)) && !existsSync(join(dataDir, 'control.db'))) {
      if (existsSync(dataDir) && readdirSync(dataDir).length > 0) {
        const started = await this.#startOn(dataDir)
        place.expect(started === null, 'a service starts on half a restored folder')
      }
      rmSync(dataDir, { recursive: true, force: true })
      await place.run('restore', args)
    }
    const count = await this.#startOn(dataDir)
    place.expect(count === traces, `a restored store has ${count} of ${traces} traces`)
    rmSync(dataDir, { recursive: true })
  }

  /** Null if it refuses to start, else how many traces it has. */
  async #startOn(dataDir: string): Promise<number | null> {
    await using service = new Service({ dataDir, environment: { SPOOR_BOOTSTRAP_KEY: this.#place.service.key } })
    try {
      await service.start()
    } catch (error) {
      if (/before it was ready/.test(String(error))) return null
      throw error
    }
    const answer = await service.client.get(
      '/v1/traces/series?measure=count&bucket=all&start_time=2020-01-01T00:00:00Z',
    )
    const { points } = answer.json<{ points: readonly { value: number }[] }>()
    return points.reduce((sum, { value }) => sum + value, 0)
  }

  async #count(args: readonly string[]): Promise<void> {
    const traces = await this.#place.countTraces()
    const kind = this.#traces.size === 0 ? 'full' : 'incremental'
    const { id } = read((await this.#place.run(kind, args)).out)
    this.#traces.set(id, traces)
  }

  async #verify(target: string): Promise<Backup> {
    return read((await this.#place.run('verify', ['restore', target, '--verify', '--json'])).out)
  }
}

const read = (out: string) => JSON.parse(out) as Backup
