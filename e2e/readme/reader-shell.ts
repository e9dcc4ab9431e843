import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 30_000

/** A command that continues while the reader pastes the next block, as in another terminal. */
export interface Followed {
  /** Its output so far. */
  output(): string
  /** Resolves when it has printed this. Rejects after 30 s with its output. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends what Ctrl-C sends. Resolves when it has ended. */
  stop(): Promise<void>
}

/** One bash that runs blocks in sequence, so that they share variables. */
export class ReaderShell {
  readonly #shell: ChildProcess
  readonly #folder: string
  #output = ''
  #ended = false

  constructor(folder: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#folder = folder
    this.#shell = spawn('bash', ['-o', 'pipefail', '-s'], { cwd: folder, env: environment })
    void once(this.#shell, 'close').then(() => (this.#ended = true))
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
    }
  }

  /** The output of all blocks that are not followed. */
  get output(): string {
    return this.#output
  }

  /** Resolves with the exit code of the last command. */
  async run(block: string): Promise<number> {
    const [, code] = await this.#until(`{\n${block}\n} </dev/null`, '$?')
    return Number(code)
  }

  /** Starts a block that does not end by itself. Later blocks do not see what it exports. */
  async follow(block: string): Promise<Followed> {
    const file = join(this.#folder, `output-${randomUUID()}.txt`)
    // With job control, it and its children are one process group.
    const [, id] = await this.#until(`set -m\n{\n${block}\n} </dev/null >${file} 2>&1 &\nset +m`, '$!')
    return new Group(Number(id), file)
  }

  export(name: string, value: string): void {
    this.#shell.stdin?.write(`export ${name}='${value}'\n`)
  }

  async end(): Promise<void> {
    this.#shell.stdin?.end()
    while (!this.#ended) await sleep(10)
  }

  /** Resolves when bash has finished `commands`, with the exit code and the output. */
  async #until(commands: string, printed: string): Promise<RegExpExecArray> {
    const mark = randomUUID()
    this.#shell.stdin?.write(`${commands}\nprintf '\\n%s %s\\n' ${mark} "${printed}"\n`)
    const pattern = new RegExp(`^${mark} (\\d+)$`, 'm')
    const found = await waitFor(pattern, () => this.#output)
    this.#output = this.#output.replace(pattern, '')
    return found
  }
}

class Group implements Followed {
  readonly #id: number
  readonly #file: string

  constructor(id: number, file: string) {
    this.#id = id
    this.#file = file
  }

  output(): string {
    return existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : ''
  }

  shows(pattern: RegExp): Promise<RegExpExecArray> {
    return waitFor(pattern, () => this.output())
  }

  async stop(): Promise<void> {
    const stopsAt = Date.now() + PATIENCE_MS
    if (!this.#signal('SIGINT')) return
    while (this.#signal(0)) {
      if (Date.now() > stopsAt) this.#signal('SIGKILL')
      await sleep(20)
    }
  }

  /** False when no process was left to receive it. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-this.#id, signal)
    } catch {
      return false
    }
  }
}

async function waitFor(pattern: RegExp, read: () => string): Promise<RegExpExecArray> {
  const endsAt = Date.now() + PATIENCE_MS
  for (;;) {
    const found = pattern.exec(read())
    if (found !== null) return found
    if (Date.now() > endsAt) throw new Error(`${pattern} was not printed, but this was:\n${read()}`)
    await sleep(20)
  }
}
