import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Received } from './received.ts'

const PROGRAM = fileURLToPath(new URL('receiver-process.ts', import.meta.url))

/**
 * A receiver in a child process that can be killed and restarted at the same port. Requests of all its processes are
 * recorded.
 */
export class Receiver {
  readonly #folder = mkdtempSync(join(tmpdir(), 'spoor-receiver-'))
  readonly #secrets: readonly string[]
  #port = 0
  #process: ChildProcess | null = null

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
  }

  static async start(...secrets: readonly string[]): Promise<Receiver> {
    const receiver = new Receiver(secrets)
    await receiver.start()
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/events?of=spoor`
  }

  async start(): Promise<void> {
    const args = [PROGRAM, String(this.#port), this.#file, ...this.#secrets]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#process = child
    const killAtExit = () => {
      child.kill('SIGKILL')
      rmSync(this.#folder, { recursive: true, force: true })
    }
    process.once('exit', killAtExit)
    child.once('exit', () => process.removeListener('exit', killAtExit))
    const [line] = (await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => {
        throw new Error('the receiver ended before it was ready')
      }),
    ])) as [Buffer]
    this.#port = Number(line.toString())
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#process
    if (child === null) return
    this.#process = null
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  /** Reads complete lines only: the process may have been killed while it wrote one. */
  received(): Received[] {
    if (!existsSync(this.#file)) return []
    const text = readFileSync(this.#file, 'utf8')
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Received)
  }

  get #file(): string {
    return join(this.#folder, 'received.ndjson')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
