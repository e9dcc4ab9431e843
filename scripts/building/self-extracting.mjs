import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'

/**
 * Writes a program for `sh` that has a folder inside: the first run unpacks it beside the file, each run starts
 * `command` in it with its own arguments, or with `serve`.
 * @param {object} file
 * @param {string} file.path
 * @param {string} file.name of the folder
 * @param {string} file.folder whose content is packed
 * @param {readonly string[]} file.command paths within the folder
 * @param {number} [file.level] of gzip
 */
export async function writeSelfExtracting({ path, name, folder, command, level = 6 }) {
  const tar = spawn('tar', ['--create', '--file=-', '--directory', folder, '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(tar, 'close')
  const out = createWriteStream(path)
  out.write(header(name, command))
  await pipeline(tar.stdout, createGzip({ level }), out)
  const [code] = await ended
  if (code !== 0) throw new Error(`tar ended with ${code}`)
  chmodSync(path, 0o755)
}

/**
 * @param {string} name
 * @param {readonly string[]} command
 */
function header(name, command) {
  const lines = [
    '#!/bin/sh',
    `# ${name}: unpacks itself beside this file, then starts. Needs sh, tail, tar and gzip, and no network.`,
    'set -e',
    'here=$(cd "$(dirname "$0")" && pwd)',
    `folder="$here/${name}"`,
    'if [ ! -e "$folder" ]; then',
    '  part="$folder.part-$$"',
    '  trap \'rm -rf "$part"\' EXIT',
    '  echo "Unpacking to $folder, once." >&2',
    '  mkdir "$part"',
    '  tail -n +LINES "$0" | tar -xzf - -C "$part"',
    '  # Another start may have been first.',
    '  [ -e "$folder" ] || mv "$part" "$folder"',
    '  rm -rf "$part"',
    'fi',
    '[ $# -gt 0 ] || set -- serve',
    `exec ${command.map((path) => `"$folder/${path}"`).join(' ')} "$@"`,
  ]
  return `${lines.join('\n').replace('LINES', String(lines.length + 1))}\n`
}
