import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * @typedef {{
 *   url: string,
 *   kill: () => Promise<void>,
 *   shutDown: () => Promise<void>,
 *   start: () => Promise<void>,
 *   stop: () => Promise<void>,
 *   addStandby: (name: string) => Promise<PostgresqlServer>,
 * }} PostgresqlServer
 * `url` is that of a superuser and ends with the database `postgres`. `kill` is SIGKILL, `shutDown` ends all sessions
 * and flushes; after either, `start` continues on the same data and port. `stop` is the last call and removes the data.
 * `addStandby` copies the server while it runs and starts a standby, which replicates it by streaming under this name.
 */

/** The URL of the server that `npm test` started for all test files. */
export const SERVER_VARIABLE = 'SPOOR_TEST_POSTGRESQL_URL'

const OLDEST = 15
const START_TIMEOUT_MS = 60_000
const LOOK_EVERY_MS = 50
/** PostgreSQL and PgBouncer refuse to run as root. */
const ACCOUNTS = ['postgres', 'nobody']

/**
 * Starts the server at each line "start", and ends it with the signal that another line names. Runs until its own input
 * ends: when `stop` closes it, and when the process that started it dies, however that happens. Then it removes the
 * data.
 */
const RUN_UNTIL_INPUT_ENDS = `
folder=$1
shift
server=
end() {
  [ -z "$server" ] || { kill "-$1" "$server"; wait "$server"; }
  server=
}
while read -r order; do
  if [ "$order" = start ]; then
    "$@" </dev/null >/dev/null &
    server=$!
  else
    end "$order"
    echo ended
  fi
done
end QUIT
rm -rf "$folder"
`
/** Also of a standby. */
const READY = /database system is ready to accept (read-only )?connections/
/** What the server says while the processes of a killed one still run. */
const STILL_IN_USE = /FATAL:  (pre-existing shared memory block|lock file "postmaster\.pid" already exists)/

const SETTINGS = { max_connections: '300', unix_socket_directories: '' }
/** No data outlives the tests, so nothing is flushed. */
const UNFLUSHED = { fsync: 'off', full_page_writes: 'off' }

/**
 * Starts a PostgreSQL of its own on loopback, with its data in a temporary folder. Its databases sort text by the rules
 * of a language, so that tests notice a column without a collation of its own. If PostgreSQL is not installed, resolves
 * with the reason; in CI that is an error.
 * @param {readonly string[]} folders where its programs may be
 * @param {{ isDurable?: boolean }} options whether commits are flushed to the disk, as in production
 * @returns {Promise<PostgresqlServer | string>}
 */
export async function startPostgresql(folders = programFolders(), { isDurable = false } = {}) {
  const programs = folders.find((folder) => existsSync(join(folder, 'initdb')) && versionIn(folder) >= OLDEST)
  if (programs === undefined) {
    const advice = `there is no PostgreSQL ${OLDEST} or later to test against: scripts/testing/install-postgresql.sh installs one (Debian, Ubuntu; as root)`
    if (process.env['CI'] === 'true') throw new Error(advice)
    return advice
  }
  const folder = mkdtempSync(join(tmpdir(), 'spoor-postgresql-'))
  try {
    return await start(programs, folder, isDurable ? {} : UNFLUSHED)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/**
 * @param {string} programs the folder of initdb and postgres
 * @param {string} folder
 * @param {Readonly<Record<string, string>>} flushing
 * @returns {Promise<PostgresqlServer>}
 */
async function start(programs, folder, flushing) {
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
  return run(programs, folder, password, flushing)
}

/**
 * @param {string} programs
 * @param {string} folder that has `data`, removed at the end
 * @param {string} password
 * @param {Readonly<Record<string, string>>} flushing
 * @returns {Promise<PostgresqlServer>}
 */
async function run(programs, folder, password, flushing) {
  const account = unprivilegedAccount()
  const port = await freePort()
  const settings = Object.entries({ ...SETTINGS, ...flushing, listen_addresses: '127.0.0.1', port: String(port) })
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
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // It must not keep a process alive that forgets to stop it.
  for (const one of [child, child.stdin, child.stdout, child.stderr])
    /** @type {{ unref?: () => void }} */ (one).unref?.()
  const ended = once(child, 'exit')
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (log = (log + text).slice(-5000)))

  const stop = async () => {
    child.ref()
    child.stdin.end()
    await ended
  }
  /** @param {string} signal */
  const end = async (signal) => {
    const reported = once(child.stdout, 'data')
    child.stdin.write(`${signal}\n`)
    await reported
  }
  const begin = async () => {
    const deadline = performance.now() + START_TIMEOUT_MS
    const order = () => {
      log = ''
      child.stdin.write('start\n')
    }
    order()
    while (!READY.test(log)) {
      if (performance.now() > deadline) throw new Error(`PostgreSQL does not start:\n${log}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      if (!STILL_IN_USE.test(log)) continue
      await end('KILL')
      order()
    }
  }
  try {
    await begin()
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `postgresql://spoor:${password}@127.0.0.1:${port}/postgres`,
    kill: () => end('KILL'),
    shutDown: () => end('INT'),
    start: begin,
    stop,
    addStandby: (name) => startStandby(programs, { name, password, port, flushing }),
  }
}

/**
 * @param {string} programs
 * @param {{ name: string, password: string, port: number, flushing: Readonly<Record<string, string>> }} primary
 * @returns {Promise<PostgresqlServer>}
 */
async function startStandby(programs, { name, password, port, flushing }) {
  const account = unprivilegedAccount()
  const copies = programFolders().find((folder) => existsSync(join(folder, 'pg_basebackup')))
  if (copies === undefined) throw new Error('there is no pg_basebackup, which comes with PostgreSQL')
  const folder = mkdtempSync(join(tmpdir(), 'spoor-postgresql-'))
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid ?? account.uid)
  const from = `host=127.0.0.1 port=${port} user=spoor password=${password} application_name=${name}`
  const options = ['--pgdata=data', `--dbname=${from}`, '--checkpoint=fast', '--write-recovery-conf', '--no-sync']
  const copied = spawnSync(join(copies, 'pg_basebackup'), options, { ...account, cwd: folder, encoding: 'utf8' })
  try {
    if (copied.status !== 0) throw new Error(`pg_basebackup failed: ${copied.error?.message ?? copied.stderr}`)
    return await run(programs, folder, password, flushing)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
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
export function unprivilegedAccount() {
  if (process.getuid?.() !== 0) return {}
  const known = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const account of ACCOUNTS) {
    const [, , uid, gid] = known.find((line) => line.startsWith(`${account}:`))?.split(':') ?? []
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(`neither PostgreSQL nor PgBouncer runs as root, and there is no account ${ACCOUNTS.join(' or ')}`)
}

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  await once(server.close(), 'close')
  return port
}
