import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ifThere, syncPath } from '../../files.ts'

/** A segment by its name: the version of its first record, in 20 digits so that names sort like numbers. */
export interface SegmentFile {
  readonly firstVersion: number
  readonly path: string
}

export function segmentFile(directory: string, firstVersion: number): SegmentFile {
  return { firstVersion, path: join(directory, `${String(firstVersion).padStart(20, '0')}.log`) }
}

/** In order of version. Other files are not listed; without the directory the list is empty. */
export async function listSegmentFiles(directory: string): Promise<SegmentFile[]> {
  const entries = await ifThere(readdir(directory, { withFileTypes: true }), [])
  return entries
    .filter((entry) => entry.isFile() && /^\d{20}\.log$/.test(entry.name))
    .map((entry) => ({ firstVersion: Number.parseInt(entry.name, 10), path: join(directory, entry.name) }))
    .sort((one, other) => one.firstVersion - other.firstVersion)
}

/**
 * Removes segments in the order given, each durably before the next: if the power fails in between, the newest segments
 * remain, without a hole, when they are given oldest first.
 */
export async function removeSegmentFile(directory: string, { path }: SegmentFile): Promise<void> {
  await rm(path, { force: true })
  await syncPath(directory)
}
