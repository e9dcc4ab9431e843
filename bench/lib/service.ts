import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { systemRandomBytes } from '../../packages/server/src/lib/ids/random.ts'
import { BUILT_SERVER, findProgram } from '../../packages/server/bin/source-hash.mjs'
import { newSecret } from '../../packages/server/src/projects/key-format.ts'
import { rssMb } from './machine-load.ts'

export interface ServiceUnderTest {
  readonly port: number
  /** `http://host:port`. */
  readonly origin: string
  readonly key: string
  readonly pid: number
  /** From the start of the process to its ready line. */
  readonly startMs: number
  /** Resident memory now, MB; NaN where the system does not report it. */
  rssMb(): number
  /** Current sums and counts of its metrics, by name with labels as printed. */
  metrics(): Promise<ReadonlyMap<string, number>>
  /** Resolves when the process has ended. */
  stop(): Promise<void>
}

export interface ServiceOptions {
  readonly dataDir: string
  /** A key of the store; without it a new one is added. */
  readonly key?: string
  /** Runs the sources, not what is built from them. */
  readonly fromSources?: boolean
  /** Flags of node itself. */
  readonly nodeFlags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Another checkout whose service to run. */
  readonly root?: string
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The service as `npm start` runs it, on a free port with its defaults. */
export async function startService(options: ServiceOptions): Promise<ServiceUnderTest> {
  const { dataDir, key, nodeFlags = [], environment = {}, root = ROOT, fromSources = false } = options
  const secret = key ?? newSecret(systemRandomBytes)
  if (!fromSources && root === ROOT && !findProgram().startsWith(BUILT_SERVER))
    throw new Error('the build is older than the sources, which load more slowly: node scripts/build.mjs')
  const began = performance.now()
  // What `npm start` runs; with flags of node, the program that it starts.
  const server = join(root, 'packages/server')
  const main = fromSources ? join(server, 'src/main.ts') : findProgram()
  const isPlain = nodeFlags.length === 0 && !fromSources
  const program = isPlain ? [join(server, 'bin/spoor.mjs')] : [...nodeFlags, main]
  const child = spawn(process.execPath, [...program, 'serve', '--port=0', `--data-dir=${dataDir}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      UV_THREADPOOL_SIZE: '16',
      SPOOR_BOOTSTRAP_KEY: secret,
      SPOOR_LOG_LEVEL: 'warn',
      ...environment,
    },
  })
  const ended = once(child, 'exit')
  // A bench that fails leaves no service running.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const lines = createInterface({ input: child.stdout })
  const ready = once(lines, 'line') as Promise<[string]>
  const first = await Promise.race([ready, ended.then(([code]) => [`exit code ${code as number | null}`])])
  const port = /^spoor ready at .*:(\d+)$/.exec(first[0] ?? '')?.[1]
  if (port === undefined || child.pid === undefined) throw new Error(`the service did not start: ${first[0]}`)
  const { pid } = child
  return {
    port: Number(port),
    origin: `http://127.0.0.1:${port}`,
    key: secret,
    pid,
    startMs: performance.now() - began,
    rssMb: () => rssMb(pid) ?? NaN,
    metrics: () => readMetrics(Number(port)),
    async stop() {
      child.kill('SIGTERM')
      await ended
      process.removeListener('exit', kill)
    },
  }
}

async function readMetrics(port: number): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  const text = await response.text()
  const entries = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    entries.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
}
