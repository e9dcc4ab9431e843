import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { PythonPackage } from '../../recorder-python/python-package.ts'

/** Steps of each trace. */
export const STEPS = 10

interface RateProcessOptions {
  readonly url: string
  readonly key: string
  /** Steps a second. */
  readonly rate: number
  readonly seconds: number
  /** Null: TypeScript. */
  readonly python: PythonPackage | null
}

/** A process that records at a rate, then waits for a line, sends the rest and ends when another line comes. */
export class RateProcess {
  readonly #process: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #spool = mkdtempSync(join(tmpdir(), 'spoor-away-'))
  readonly #python: PythonPackage | null
  readonly #startedAt = performance.now()

  constructor({ url, key, rate, seconds, python }: RateProcessOptions) {
    const settings = { SPOOR_URL: url, SPOOR_API_KEY: key, SPOOR_SPOOL_DIR: this.#spool }
    const [program, file] = python === null ? [process.execPath, 'at-a-rate.ts'] : ['python3', 'at_a_rate.py']
    this.#python = python
    this.#process = spawn(program, [join(import.meta.dirname, file), String(rate / STEPS), String(seconds)], {
      env: python === null ? { ...process.env, ...settings } : python.environment(settings),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    if (this.#process.stdout === null) throw new Error('the process has no output')
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]()
  }

  /** How many traces it has recorded, at the end of its time. */
  async recorded(): Promise<number> {
    return Number(await this.#line())
  }

  /** Resolves so many seconds after its start. */
  async reaches(seconds: number): Promise<void> {
    const leftMs = this.#startedAt + seconds * 1000 - performance.now()
    // The first moment is that of a process that has begun to record.
    await new Promise((resolve) => setTimeout(resolve, Math.max(2000, leftMs)))
  }

  residentBytes(): number {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
  }

  spooled(): { readonly files: number; readonly bytes: number } {
    const names = readdirSync(this.#spool)
    const sizes = names.map((name) => statSync(join(this.#spool, name), { throwIfNoEntry: false })?.size ?? 0)
    return { files: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
  }

  /** Makes it send all it has; resolves with its verdicts. */
  async sends(): Promise<string> {
    this.#process.stdin?.write('\n')
    return this.#line()
  }

  async #line(): Promise<string> {
    const line = await this.#lines.next()
    if (line.done === true) throw new Error('the recording process ended')
    return line.value
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null) {
      this.#process.kill('SIGKILL')
      await once(this.#process, 'close')
    }
    rmSync(this.#spool, { recursive: true, force: true })
    this.#python?.[Symbol.dispose]()
  }
}
