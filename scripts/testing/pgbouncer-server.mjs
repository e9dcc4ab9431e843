import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort, unprivilegedAccount } from './postgresql-server.mjs'

/**
 * @typedef {{ through: (url: string) => string, stop: () => Promise<void> }} PgBouncerServer
 * `through`: the URL for Spoor of a database of the server, by way of the pooler. `stop` is the last call.
 */

/** Until its own input ends: when `stop` closes it, and when the process that started it dies. */
const RUN_UNTIL_INPUT_ENDS = `
folder=$1
shift
"$@" </dev/null >/dev/null &
pooler=$!
read -r _
kill -KILL "$pooler"
wait "$pooler"
rm -rf "$folder"
`

/**
 * Starts a PgBouncer of its own on loopback, in transaction mode, before all databases of the PostgreSQL at `url`. If
 * PgBouncer is not installed, resolves with the reason; in CI that is an error.
 * @param {string} url of PostgreSQL, with a user and a password
 * @param {{ poolSize: number, waitSeconds?: number }} options connections to PostgreSQL for each database, and how
 *   long a statement waits for one
 * @param {readonly string[]} folders where the program may be
 * @returns {Promise<PgBouncerServer | string>}
 */
export async function startPgBouncer(url, { poolSize, waitSeconds = 120 }, folders = programFolders()) {
  const program = folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))
  if (program === undefined) {
    const advice =
      'there is no PgBouncer to test against: scripts/testing/install-postgresql.sh installs one (Debian, Ubuntu; as root)'
    if (process.env['CI'] === 'true') throw new Error(advice)
    return advice
  }
  const server = new URL(url)
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'spoor-pgbouncer-'))
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: 'users.txt',
    pool_mode: 'transaction',
    default_pool_size: poolSize,
    query_wait_timeout: waitSeconds,
  }
  const files = {
    'pgbouncer.ini': [
      `[databases]\n* = host=${server.hostname} port=${server.port}\n[pgbouncer]`,
      ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
    ].join('\n'),
    'users.txt': `"${server.username}" "${server.password}"\n`,
  }
  const account = unprivilegedAccount()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  if (account.uid !== undefined) {
    for (const path of ['.', ...Object.keys(files)])
      chownSync(join(folder, path), account.uid, account.gid ?? account.uid)
  }
  const child = spawn('sh', ['-c', RUN_UNTIL_INPUT_ENDS, 'sh', folder, program, 'pgbouncer.ini'], {
    ...account,
    cwd: folder,
    // A signal to the terminal's processes must not end it before it has removed the folder.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  // It must not keep a process alive that forgets to stop it.
  for (const one of [child, child.stdin, child.stderr]) /** @type {{ unref?: () => void }} */ (one).unref?.()
  const ended = once(child, 'exit')
  const stop = async () => {
    child.ref()
    child.stdin.end()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  let log = ''
  for await (const text of child.stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    log += text
    if (log.includes('process up')) break
    if (!log.includes('FATAL')) continue
    await stop()
    throw new Error(`PgBouncer does not start:\n${log}`)
  }
  child.stderr.resume()
  return {
    through(direct) {
      const pooled = new URL(direct)
      pooled.port = String(port)
      pooled.searchParams.set('pgbouncer', 'true')
      return pooled.href
    },
    stop,
  }
}

/** Those on the PATH, then Debian's. */
function programFolders() {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
}
