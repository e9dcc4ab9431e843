import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'

const LISTENING = '0A'

/**
 * The process that listens on a TCP port of this machine, such as `process 4711 (node server.js)`. Null if unknown, for
 * example because it belongs to another account.
 */
export function portOwner(port: number): Promise<string | null> {
  return process.platform === 'linux' ? linuxPortOwner(port) : lsofPortOwner(port)
}

/** As in `proc(5)`: sockets by inode, and the links of each process to its sockets. */
async function linuxPortOwner(port: number): Promise<string | null> {
  const inodes = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const rows = await readFile(table, 'latin1').catch(() => '')
    for (const row of rows.split('\n').slice(1)) {
      const [, local, , state, , , , , , inode] = row.trim().split(/\s+/)
      if (inode === undefined || state !== LISTENING) continue
      if (Number.parseInt(local?.split(':')[1] ?? '', 16) === port) inodes.add(`socket:[${inode}]`)
    }
  }
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    // Processes may end while they are read, and processes of other accounts cannot be read.
    const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const file of files) {
      const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '')
      if (!inodes.has(target)) continue
      // The program and its first two arguments identify it. Later ones may be secrets.
      const words = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').slice(0, 3)
      const command = [basename(words[0] ?? ''), ...words.slice(1)].join(' ').trim().slice(0, 100)
      return `process ${pid}${command === '' ? '' : ` (${command})`}`
    }
  }
  return null
}

async function lsofPortOwner(port: number): Promise<string | null> {
  const output = await promisify(execFile)('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']).then(
    ({ stdout }) => stdout,
    // Not installed, or it found nothing.
    () => '',
  )
  const pid = /^p(\d+)$/m.exec(output)?.[1]
  const name = /^c(.+)$/m.exec(output)?.[1]
  return pid === undefined ? null : `process ${pid}${name === undefined ? '' : ` (${name})`}`
}
