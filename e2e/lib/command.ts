import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { LIMIT_MS } from './eventually.ts'
import { MAIN, NODE_ARGUMENTS, serviceEnvironment } from './service.ts'

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly error: string
}

/**
 * Runs `spoor …` on a data directory until it ends. If it takes LIMIT_MS, it is killed and its code is null. `outPath`:
 * a new file for its standard output.
 */
export async function runSpoor(
  dataDir: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  { asUser, outPath }: { readonly asUser?: number; readonly outPath?: string } = {},
): Promise<Ended> {
  const file = outPath === undefined ? null : openSync(outPath, 'w')
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, MAIN, ...args], {
    env: serviceEnvironment(dataDir, settings),
    stdio: ['ignore', file ?? 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    ...(asUser === undefined ? {} : { uid: asUser, gid: asUser }),
  })
  if (file !== null) closeSync(file)
  return endOf(child)
}

/** The output of a program until it ends. */
export async function endOf(
  child: ChildProcess & { readonly stdout: Readable | null; readonly stderr: Readable | null },
): Promise<Ended> {
  let out = ''
  let error = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (error += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, error }
}
