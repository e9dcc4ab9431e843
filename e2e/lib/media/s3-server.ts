import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LIMIT_MS } from '../eventually.ts'
import { freePorts } from '../free-ports.ts'

/** A real S3 API on loopback, path style, with this one account and no bucket. */
export interface S3Server extends AsyncDisposable {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  createBucket(name: string): Promise<void>
  /** SIGKILL of all its processes. */
  kill(): Promise<void>
  /** After `kill`: on the same data and ports. */
  start(): Promise<void>
}

/** The system's Python, which has the packages of Debian: another one may be first on the PATH. */
const PYTHON = '/usr/bin/python3'
const PROGRAM = fileURLToPath(new URL('./run-swift.py', import.meta.url))
/** Importing it takes a second. */
const FIND_SWIFT = "import importlib.util, sys; sys.exit(importlib.util.find_spec('swift') is None)"
const LOOK_EVERY_MS = 100
const ACCOUNT = { accessKeyId: 'spoor:tests', secretAccessKey: 'no-secret' }
const STORES = ['account', 'container', 'object'] as const
/**
 * By default a store that ten times accepts a connection only after half a second is not asked for a minute, and a
 * listing is not updated if its store takes three seconds: on a busy machine both happen without any fault.
 */
const PATIENCE = { conn_timeout: 30, node_timeout: 60 }
const NEVER_SHUN = { error_suppression_limit: 1_000_000_000 }

/**
 * OpenStack Swift with its S3 API and its data in a temporary folder. If it is not installed, the reason; in CI an
 * error, because scripts/testing/install-s3-server.sh runs before.
 */
export async function startS3Server(): Promise<S3Server | string> {
  if (!isInstalled()) {
    const advice =
      'there is no S3 service to test against: scripts/testing/install-s3-server.sh installs one (Debian, Ubuntu; as root)'
    if (process.env['CI'] === 'true') throw new Error(advice)
    return advice
  }
  const folder = mkdtempSync(join(tmpdir(), 'spoor-s3-'))
  let swift: ChildProcess | null = null
  const kill = async () => {
    if (swift !== null) await end(swift)
    swift = null
  }
  const stop = async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const ports = await prepare(folder)
    const endpoint = `http://127.0.0.1:${ports.proxy}`
    const start = async () => {
      swift = run(folder, ports)
      await ready(swift, ports)
    }
    await start()
    return {
      endpoint,
      region: 'us-east-1',
      ...ACCOUNT,
      createBucket: (name) => createContainer(endpoint, name),
      kill,
      start,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The settings of a service that stores its media there. */
export function bucketEnvironment(server: S3Server, bucket: string): Record<string, string> {
  return {
    SPOOR_S3_BUCKET: bucket,
    SPOOR_S3_ENDPOINT: server.endpoint,
    SPOOR_S3_REGION: server.region,
    SPOOR_S3_ACCESS_KEY_ID: server.accessKeyId,
    SPOOR_S3_SECRET_ACCESS_KEY: server.secretAccessKey,
  }
}

/** By the API of Swift, which needs no signature: its containers are the buckets. */
async function createContainer(endpoint: string, name: string): Promise<void> {
  const { accessKeyId, secretAccessKey } = ACCOUNT
  const login = await fetch(`${endpoint}/auth/v1.0`, {
    headers: { 'x-auth-user': accessKeyId, 'x-auth-key': secretAccessKey },
  })
  const token = login.headers.get('x-auth-token')
  const account = login.headers.get('x-storage-url')
  if (token === null || account === null) throw new Error(`no token: ${login.status} ${await login.text()}`)
  const made = await fetch(`${account}/${name}`, { method: 'PUT', headers: { 'x-auth-token': token } })
  if (!made.ok) throw new Error(`no bucket: ${made.status} ${await made.text()}`)
}

function isInstalled(): boolean {
  return (
    existsSync(PYTHON) &&
    spawnSync(PYTHON, ['-c', FIND_SWIFT]).status === 0 &&
    spawnSync('memcached', ['-V']).status === 0
  )
}

async function prepare(folder: string): Promise<Ports> {
  const [proxy = 0, cache = 0, account = 0, container = 0, object = 0] = await freePorts(5)
  const ports = { proxy, cache, account, container, object }
  mkdirSync(join(folder, 'disks', 'disk'), { recursive: true })
  for (const [name, text] of Object.entries(configuration(folder, ports))) {
    writeFileSync(join(folder, name), text)
  }
  return ports
}

function run(folder: string, ports: Ports): ChildProcess {
  const servers = [...STORES, 'proxy' as const].map((name) => `${name}=${ports[name]}`)
  const argv = [PROGRAM, folder, String(ports.cache), ...servers]
  return spawn(PYTHON, argv, { stdio: ['ignore', 'ignore', 'pipe'] })
}

async function ready(swift: ChildProcess, ports: Ports): Promise<void> {
  let log = ''
  swift.stderr?.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-5000)))
  const deadline = performance.now() + LIMIT_MS
  // The proxy answers before its stores listen.
  for (const name of ['proxy' as const, ...STORES]) {
    while (!(await answers(`http://127.0.0.1:${ports[name]}/healthcheck`))) {
      if (hasEnded(swift) || performance.now() > deadline) throw new Error(`the S3 service does not start:\n${log}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }
}

type Ports = Readonly<Record<(typeof STORES)[number] | 'proxy' | 'cache', number>>

/** The configuration files of Swift by name: a proxy with the S3 API, and one server for each kind of data. */
function configuration(folder: string, ports: Ports): Record<string, string> {
  const common = (port: number) => ({
    bind_ip: '127.0.0.1',
    bind_port: port,
    workers: 0,
    user: userInfo().username,
    swift_dir: folder,
  })
  const filter = (name: string, settings: Settings = {}) => ({
    [`filter:${name}`]: { use: `egg:swift#${name}`, ...settings },
  })
  const files: Record<string, string> = {
    'swift.conf': sections({
      'swift-hash': { swift_hash_path_prefix: 'spoor', swift_hash_path_suffix: 'spoor' },
      'storage-policy:0': { name: 'one', default: 'yes' },
    }),
    'proxy-server.conf': sections({
      DEFAULT: common(ports.proxy),
      'pipeline:main': {
        pipeline:
          'catch_errors gatekeeper healthcheck cache listing_formats s3api tempauth copy slo dlo versioned_writes symlink proxy-server',
      },
      'app:proxy-server': {
        use: 'egg:swift#proxy',
        allow_account_management: 'true',
        account_autocreate: 'true',
        ...PATIENCE,
        ...NEVER_SHUN,
      },
      ...filter('catch_errors'),
      ...filter('gatekeeper'),
      ...filter('healthcheck'),
      'filter:cache': { use: 'egg:swift#memcache', memcache_servers: `127.0.0.1:${ports.cache}` },
      ...filter('listing_formats'),
      // The minimum size of a part is that of S3.
      ...filter('s3api', { location: 'us-east-1', allow_multipart_uploads: 'true', min_segment_size: 5 * 1024 * 1024 }),
      ...filter('tempauth', { user_spoor_tests: 'no-secret .admin .reseller_admin' }),
      ...filter('copy'),
      ...filter('slo'),
      ...filter('dlo'),
      ...filter('versioned_writes', { allow_object_versioning: 'true' }),
      ...filter('symlink'),
    }),
  }
  for (const name of STORES) {
    files[`${name}-server.conf`] = sections({
      DEFAULT: {
        ...common(ports[name]),
        devices: join(folder, 'disks'),
        mount_check: 'false',
        disable_fallocate: 'true',
      },
      'pipeline:main': { pipeline: `healthcheck ${name}-server` },
      ...filter('healthcheck'),
      [`app:${name}-server`]: { use: `egg:swift#${name}`, ...PATIENCE },
    })
  }
  return files
}

type Settings = Readonly<Record<string, string | number>>

function sections(content: Readonly<Record<string, Settings>>): string {
  return Object.entries(content)
    .map(([name, settings]) =>
      [`[${name}]`, ...Object.entries(settings).map(([key, value]) => `${key} = ${value}`)].join('\n'),
    )
    .join('\n')
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

async function end(swift: ChildProcess): Promise<void> {
  // Its processes share its standard error, which closes when the last of them has ended.
  const closed = once(swift, 'close')
  if (hasEnded(swift) && swift.stderr?.closed !== false) return
  swift.kill('SIGKILL')
  await closed
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
