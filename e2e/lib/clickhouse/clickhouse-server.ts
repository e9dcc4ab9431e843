import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LIMIT_MS } from '../eventually.ts'
import { freePorts } from '../free-ports.ts'

/** A real ClickHouse server on loopback, without data. It ends with this process, however that ends. */
export interface ClickHouseServer extends AsyncDisposable {
  readonly url: string
  readonly user: string
  readonly password: string
  /** SIGKILL. */
  kill(): Promise<void>
  /** After `kill`: on the same data and ports. */
  start(): Promise<void>
}

/** The name of the cluster in which each of the servers is a shard. */
export const SHARDS = 'spoor_shards'
/** May change nothing, settings included. */
export const READ_ONLY_USER = 'reader'

const PROGRAM = fileURLToPath(new URL('../../../scripts/testing/clickhouse-server.py', import.meta.url))
const LIBRARIES = fileURLToPath(new URL('../../../node_modules/@chdb', import.meta.url))
const LOOK_EVERY_MS = 50
/** Characters that a URL, a header or XML would have to escape. */
const ACCOUNT = { user: 'spoor', password: 'p@ss:w&rd/"%20ü' }

/**
 * Starts `count` servers, which takes some seconds and 250 MB for each. If Python or the library is missing, the
 * reason; in CI an error.
 */
export async function startClickHouse(count = 1): Promise<readonly ClickHouseServer[] | string> {
  const library = findLibrary()
  const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))'])
  if (library === undefined || python.status !== 0) {
    const advice =
      library === undefined
        ? 'there is no ClickHouse server to test with: npm install gets it with the package chdb'
        : 'a ClickHouse server for tests needs Python 3.8 or later: install the package python3'
    if (process.env['CI'] === 'true') throw new Error(advice)
    return advice
  }
  const ports = await freePorts(2 * count)
  const tcpPorts = ports.slice(count)
  const servers = tcpPorts.map(
    (tcp, index) => new RunningServer(library, { http: ports[index] as number, tcp }, tcpPorts),
  )
  try {
    await Promise.all(servers.map((server) => server.start()))
  } catch (error) {
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()))
    throw error
  }
  return servers
}

function findLibrary(): string | undefined {
  if (!existsSync(LIBRARIES)) return undefined
  return readdirSync(LIBRARIES, { recursive: true, encoding: 'utf8' })
    .filter((name) => /libchdb\.(so|dylib)$/.test(name))
    .map((name) => join(LIBRARIES, name))[0]
}

class RunningServer implements ClickHouseServer {
  readonly user = ACCOUNT.user
  readonly password = ACCOUNT.password
  readonly url: string
  readonly #library: string
  readonly #ports: { readonly http: number; readonly tcp: number }
  readonly #folder = mkdtempSync(join(tmpdir(), 'spoor-clickhouse-'))
  #process: ChildProcess | null = null

  constructor(library: string, ports: { readonly http: number; readonly tcp: number }, shards: readonly number[]) {
    this.#library = library
    this.#ports = ports
    this.url = `http://127.0.0.1:${ports.http}`
    mkdirSync(join(this.#folder, 'data'))
    const config = join(this.#folder, 'config.xml')
    writeFileSync(config, configuration(config, join(this.#folder, 'backups/'), shards))
  }

  async start(): Promise<void> {
    const log = openSync(join(this.#folder, 'log'), 'w')
    const given = [this.#library, join(this.#folder, 'config.xml'), join(this.#folder, 'data')]
    const started = spawn('python3', [PROGRAM, ...given, String(this.#ports.http), String(this.#ports.tcp)], {
      // The server reads this pipe, which closes when this process ends.
      stdio: ['pipe', log, log],
    })
    closeSync(log)
    // Neither the server nor the pipe keeps this process running.
    started.unref()
    ;(started.stdin as unknown as { unref(): void }).unref()
    this.#process = started
    const deadline = performance.now() + LIMIT_MS
    while (!(await answers(`${this.url}/ping`))) {
      if (hasEnded(started) || performance.now() > deadline) {
        const output = readFileSync(join(this.#folder, 'log'), 'utf8').slice(-2000)
        throw new Error(`the ClickHouse server does not start:\n${output}`)
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }

  async kill(): Promise<void> {
    const running = this.#process
    if (running === null || hasEnded(running)) return
    running.ref()
    const exited = once(running, 'exit')
    running.kill('SIGKILL')
    await exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The local user `default` is the one that starts the server's own query. */
function configuration(file: string, backups: string, shards: readonly number[]): string {
  const account = { ...ACCOUNT, password: escaped(ACCOUNT.password) }
  const loopback = '<networks><ip>127.0.0.1</ip><ip>::1</ip></networks>'
  const replicas = shards.map(
    (port) =>
      `<shard><replica><host>127.0.0.1</host><port>${port}</port>` +
      `<user>${account.user}</user><password>${account.password}</password></replica></shard>`,
  )
  return `<clickhouse>
  <logger><level>warning</level></logger>
  <user_directories><users_xml><path>${file}</path></users_xml></user_directories>
  <profiles><default><max_threads>4</max_threads></default><read_only><readonly>1</readonly></read_only></profiles>
  <users>
    <default><password></password>${loopback}<profile>default</profile></default>
    <${account.user}><password>${account.password}</password>${loopback}<profile>default</profile></${account.user}>
    <${READ_ONLY_USER}><password>${account.password}</password>${loopback}<profile>read_only</profile></${READ_ONLY_USER}>
  </users>
  <storage_configuration><disks><backups><type>local</type><path>${backups}</path></backups></disks></storage_configuration>
  <backups><allowed_disk>backups</allowed_disk></backups>
  <remote_servers><${SHARDS}>${replicas.join('')}</${SHARDS}></remote_servers>
</clickhouse>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}
