import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { LIMIT_MS } from './eventually.ts'
import { MAIN, NODE_ARGUMENTS, serviceEnvironment } from './service.ts'

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

/** Runs `spoor …` on a data directory until it ends. If it takes LIMIT_MS, it is killed and its code is null. */
export async function runSpoor(
  dataDir: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  asUser?: number,
): Promise<Ended> {
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, MAIN, ...args], {
    env: serviceEnvironment(dataDir, settings),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    ...(asUser === undefined ? {} : { uid: asUser, gid: asUser }),
  })
  return endOf(child)
}

/** The output of a program until it ends. */
export async function endOf(
  child: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable },
): Promise<Ended> {
  let out = ''
  let error = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, error }
}
