import { copyFile, link, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../lib/error-code.ts'
import { parsePartName } from '../clickhouse/parts/part-name.ts'

/**
 * Makes a second folder of the engine's store: hard links to the parts, which never change, and copies of everything
 * else. The engine can open it beside a running service without changing the store. It must be on the same disk, and
 * takes almost no space. Parts that the service removes meanwhile have been replaced by others.
 */
export async function linkTelemetry(from: string, to: string, isPart = false): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (isLeftOut(entry.name)) continue
    try {
      if (entry.isDirectory()) await linkTelemetry(source, target, parsePartName(entry.name) !== null)
      else if (isPart) await link(source, target)
      else if (entry.isFile()) await copyFile(source, target)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

/** Unfinished files, parts that were set aside, and the engine's own lock. */
function isLeftOut(name: string): boolean {
  return name.startsWith('tmp') || name.startsWith('delete_tmp') || name === 'detached' || name === 'status'
}
