import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { MAIN, NODE_ARGUMENTS, serviceEnvironment } from '../lib/service.ts'

export interface SpoorRun {
  readonly out: string
  readonly errors: string
  readonly code: number | null
}

export interface SpoorProcess {
  /** Writes to its standard input. */
  write(text: string): void
  end(): void
  interrupt(): void
  readonly finished: Promise<SpoorRun>
}

/** The real command line as a child process, with a piped standard input. */
export function startSpoor(args: readonly string[], settings: Readonly<Record<string, string>> = {}): SpoorProcess {
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, MAIN, ...args], {
    env: serviceEnvironment('unused', settings),
  })
  let out = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const finished = once(child, 'close').then(([code]) => ({ out, errors, code: code as number | null }))
  return {
    write: (text) => child.stdin.write(text),
    end: () => child.stdin.end(),
    interrupt: () => child.kill('SIGINT'),
    finished,
  }
}

export async function runSpoor(
  args: readonly string[],
  { settings = {}, input = '' }: { settings?: Readonly<Record<string, string>>; input?: string } = {},
): Promise<SpoorRun> {
  const child = startSpoor(args, settings)
  child.write(input)
  child.end()
  return child.finished
}
