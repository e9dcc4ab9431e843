import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findNode } from '../../packages/server/bin/find-node.mjs'
import { builtFrom, STAMP_FILE } from '../../packages/server/bin/source-hash.mjs'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')

/**
 * Builds a folder unless it is up to date. Several processes may build at once, each in its own folder; the last one
 * wins.
 * @param {object} build
 * @param {string} build.title starts a sentence: "The dashboard"
 * @param {string} build.folder the absolute path of the folder to replace
 * @param {string} build.stamp hash of the inputs
 * @param {boolean} build.quiet no output if there is nothing to do
 * @param {(scratch: string) => readonly string[]} build.command Node arguments that fill the empty folder `scratch`
 * @param {string} build.cwd working directory of the command
 * @param {(scratch: string) => void} [build.finish] runs after the command
 */
export function buildFolder({ title, folder, stamp, quiet, command, cwd, finish }) {
  if (builtFrom(folder) === stamp) {
    if (!quiet) console.error(`${title} is built and up to date.`)
    return
  }
  console.error(`Building ${title[0]?.toLowerCase()}${title.slice(1)} …`)
  const scratch = join(dirname(folder), `.building-${process.pid}`)
  mkdirSync(scratch, { recursive: true })
  const run = spawnSync(findNode() ?? process.execPath, command(scratch), { cwd, stdio: ['ignore', 2, 2] })
  if (run.status !== 0) {
    rmSync(scratch, { recursive: true, force: true })
    console.error(`${title} could not be built: see above.`)
    process.exit(run.status ?? 1)
  }
  finish?.(scratch)
  writeFileSync(join(scratch, STAMP_FILE), stamp)
  const old = `${scratch}-old`
  if (existsSync(folder)) renameSync(folder, old)
  renameSync(scratch, folder)
  rmSync(old, { recursive: true, force: true })
}
