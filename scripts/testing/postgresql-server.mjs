import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * @typedef {{ url: string, stop: () => Promise<void> }} PostgresqlServer
 * `url` is that of a superuser and ends with the database `postgres`.
 */

/** The URL of the server that `npm test` started for all test files. */
export const SERVER_VARIABLE = 'SPOOR_TEST_POSTGRESQL_URL'

const OLDEST = 15
const START_TIMEOUT_MS = 60_000
const LOOK_EVERY_MS = 50
/** PostgreSQL refuses to run as root. */
const ACCOUNTS = ['postgres', 'nobody']

/**
 * Runs the server until its own input ends: when `stop` closes it, and when the process that started it dies, however
 * that happens. Then it removes the data.
 */
const RUN_UNTIL_INPUT_ENDS = `
folder=$1
shift
"$@" </dev/null &
server=$!
read -r _
kill -QUIT "$server"
wait "$server"
rm -rf "$folder"
`

/** No data outlives the tests, so nothing is flushed. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', max_connections: '300', unix_socket_directories: '' }

/**
 * Starts a PostgreSQL of its own on loopback, with its data in a temporary folder. Its databases sort text by the rules
 * of a language, so that tests notice a column without a collation of its own. If PostgreSQL is not installed, resolves
 * with the reason; in CI that is an error.
 * @param {readonly string[]} folders where its programs may be
 * @returns {Promise<PostgresqlServer | string>}
 */
export async function startPostgresql(folders = programFolders()) {
  const programs = folders.find((folder) => existsSync(join(folder, 'initdb')) && versionIn(folder) >= OLDEST)
  if (programs === undefined) {
    const advice = `there is no PostgreSQL ${OLDEST} or later to test against: scripts/testing/install-postgresql.sh installs one (Debian, Ubuntu; as root)`
    if (process.env['CI'] === 'true') throw new Error(advice)
    return advice
  }
  const folder = mkdtempSync(join(tmpdir(), 'spoor-postgresql-'))
  try {
    return await start(programs, folder)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * @param {string} programs the folder of initdb and postgres
 * @param {string} folder
 * @returns {Promise<PostgresqlServer>}
 */
async function start(programs, folder) {
  const account = unprivilegedAccount()
  const password = randomBytes(12).toString('hex')
  writeFileSync(join(folder, 'password'), password)
  if (account.uid !== undefined) {
    for (const path of [folder, join(folder, 'password')]) chownSync(path, account.uid, account.gid ?? account.uid)
  }
  const made = spawnSync(
    join(programs, 'initdb'),
    ['--pgdata=data', '--username=spoor', '--pwfile=password', '--auth=scram-sha-256', '--no-sync'].concat([
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=icu',
      '--icu-locale=en',
    ]),
    { ...account, cwd: folder, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`)

  const port = await freePort()
  const settings = Object.entries({ ...SETTINGS, listen_addresses: '127.0.0.1', port: String(port) })
  const command = [
    join(programs, 'postgres'),
    '-D',
    'data',
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const child = spawn('sh', ['-c', RUN_UNTIL_INPUT_ENDS, 'sh', folder, ...command], {
    ...account,
    cwd: folder,
    // A signal to the terminal's processes must not end it before it has removed the data.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (log = (log + text).slice(-5000)))
  const stop = async () => {
    child.ref()
    child.stdin.end()
    await ended
  }
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!log.includes('database system is ready to accept connections')) {
    if (performance.now() > deadline || /\b(FATAL|PANIC):/.test(log)) {
      await stop()
      throw new Error(`PostgreSQL does not start:\n${log}`)
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  // It must not keep a process alive that forgets to stop it.
  for (const one of [child, child.stdin, child.stderr]) /** @type {{ unref?: () => void }} */ (one).unref?.()
  return { url: `postgresql://spoor:${password}@127.0.0.1:${port}/postgres`, stop }
}

/** Those on the PATH, then Debian's, newest version first. */
function programFolders() {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return [...(process.env['PATH'] ?? '').split(delimiter), ...versions.map((name) => join(debian, name, 'bin'))]
}

/** @param {string} folder */
function versionIn(folder) {
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1] ?? 0)
}

/** @returns {{ uid?: number, gid?: number }} */
function unprivilegedAccount() {
  if (process.getuid?.() !== 0) return {}
  const known = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const account of ACCOUNTS) {
    const [, , uid, gid] = known.find((line) => line.startsWith(`${account}:`))?.split(':') ?? []
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(`PostgreSQL does not run as root, and there is no account ${ACCOUNTS.join(' or ')} to run it`)
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  await once(server.close(), 'close')
  return port
}
