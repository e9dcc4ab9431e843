import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { LIMIT_MS } from './eventually.ts'
import { findProgram } from '../../packages/server/bin/source-hash.mjs'
import { newSecret } from '../../packages/server/src/projects/key-format.ts'
import { type Client, createClient } from './client.ts'

/** The program of `npm start`. */
export const MAIN = findProgram()

/** V8's space for new objects has its size of production at once: a start takes a tenth less processor time. */
export const NODE_ARGUMENTS = ['--min-semi-space-size=16', '--max-semi-space-size=16']

export interface ServiceOptions {
  /** Default: a new folder, removed at the end. */
  readonly dataDir?: string
  readonly environment?: Readonly<Record<string, string>>
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * The real service as a child process on one data directory. It can be stopped, killed and started again there with the
 * same key and another port. `await using` stops it and removes a folder that it created.
 */
export class Service {
  readonly dataDir: string
  /** The key of the first project, with every scope including `admin`. */
  readonly key: string
  readonly #environment: NodeJS.ProcessEnv
  readonly #ownsDataDir: boolean
  #process: ChildProcess | null = null
  #exited: Promise<Exit> | null = null
  #url = ''
  #log = ''
  #greeting = ''
  #client: Client | null = null
  #ending = false

  constructor(options: ServiceOptions = {}) {
    this.#ownsDataDir = options.dataDir === undefined
    this.dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'spoor-e2e-'))
    this.key = options.environment?.['SPOOR_BOOTSTRAP_KEY'] ?? newSecret(randomBytes)
    this.#environment = serviceEnvironment(this.dataDir, { SPOOR_BOOTSTRAP_KEY: this.key, ...options.environment })
  }

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const service = new Service(options)
    try {
      await service.start()
    } catch (error) {
      await service[Symbol.asyncDispose]()
      throw error
    }
    return service
  }

  get url(): string {
    return this.#url
  }

  /** Standard error of all its processes. */
  get log(): string {
    return this.#log
  }

  /** Standard output of the current process. */
  get greeting(): string {
    return this.#greeting
  }

  get isRunning(): boolean {
    return this.#client !== null && this.#process?.exitCode === null && this.#process.signalCode === null
  }

  get pid(): number {
    const pid = this.#process?.pid
    if (pid === undefined) throw new Error('the service does not run')
    return pid
  }

  /** A client of the current process, with the key of the first project. */
  get client(): Client {
    if (this.#client === null) throw new Error('the service does not run')
    return this.#client
  }

  /**
   * Resolves when it reports that it is ready. Rejects with its output if it ends before. `program` and `settings` hold
   * for this process only.
   */
  async start(
    flags: readonly string[] = [],
    { program = MAIN, settings = {} }: { program?: string; settings?: Readonly<Record<string, string>> } = {},
  ): Promise<void> {
    const process = spawn(globalThis.process.execPath, [...NODE_ARGUMENTS, program, 'serve', ...flags], {
      env: { ...this.#environment, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const exited = once(process, 'exit').then(([code, signal]): Exit => ({ code, signal }))
    const killAtExit = () => process.kill('SIGKILL')
    globalThis.process.once('exit', killAtExit)
    void exited.then(() => globalThis.process.removeListener('exit', killAtExit))
    this.#process = process
    this.#exited = exited
    this.#ending = false
    void exited.then(({ code, signal }) => {
      if (!this.#ending && this.#client !== null)
        console.error(`the service ended by itself (${code ?? signal}):\n${logged.slice(-5000)}`)
    })
    let logged = ''
    process.stderr.setEncoding('utf8').on('data', (text: string) => {
      logged += text
      this.#log += text
    })
    const ready = new Promise<string>((resolve) => {
      this.#greeting = ''
      process.stdout.setEncoding('utf8').on('data', (text: string) => {
        this.#greeting += text
        const url = /^spoor ready at (\S+)$/m.exec(this.#greeting)?.[1]
        if (url !== undefined) resolve(url)
      })
    })
    const tooLate = setTimeout(() => process.kill('SIGKILL'), LIMIT_MS)
    const failed = exited.then(({ code, signal }) => {
      throw new Error(`the service ended (${code ?? signal}) before it was ready:\n${logged}`)
    })
    try {
      this.#url = await Promise.race([ready, failed])
    } finally {
      clearTimeout(tooLate)
      // `exited` covers its end from here on.
      failed.catch(() => undefined)
    }
    this.#client = createClient(this.#url, this.key)
  }

  /** Sends SIGTERM and resolves with the exit code and signal. */
  async stop(): Promise<Exit> {
    this.#ending = true
    this.#process?.kill('SIGTERM')
    return this.#end()
  }

  /** Kills it like a crash: no handler runs and nothing is flushed. */
  async kill(): Promise<Exit> {
    this.#ending = true
    this.#process?.kill('SIGKILL')
    return this.#end()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async #end(): Promise<Exit> {
    const exit = (await this.#exited) ?? { code: null, signal: null }
    this.#client?.close()
    this.#client = null
    this.#process = null
    return exit
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process !== null) await this.kill()
    if (this.#ownsDataDir) rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The environment without settings of the calling shell, which must not reach the service. */
export function serviceEnvironment(dataDir: string, settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const outer = Object.entries(process.env).filter(([name]) => !/^(SPOOR_|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/.test(name))
  return {
    ...Object.fromEntries(outer),
    UV_THREADPOOL_SIZE: '16',
    SPOOR_DATA_DIR: dataDir,
    SPOOR_PORT: '0',
    SPOOR_LOG_LEVEL: 'info',
    ...settings,
  }
}
