import { OperatorError } from '../../lib/operator-error.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import { checkStore } from '../check/check-store.ts'
import { type RestoreOptions, restore } from './restore.ts'
import { readTotals } from './telemetry-totals.ts'

export interface VerifyOptions extends Omit<RestoreOptions, 'dataDir' | 'openBlobs'> {
  /** An empty folder with space for the whole store. */
  readonly folder: string
  readonly openBlobs: () => Promise<{ readonly blobs: BlobStore; close(): void }>
  readonly memoryBytes: number
}

/**
 * Restores a backup, verifies every byte of it as `spoor check` does, opens it and compares counts and sums with those
 * of the time when it was made. Throws OperatorError with everything that differs.
 */
export async function verify({ target, manifest, folder, openBlobs, memoryBytes }: VerifyOptions): Promise<void> {
  await restore({ target, manifest, dataDir: folder, openBlobs })
  const problems: string[] = []
  for await (const result of checkStore(folder, memoryBytes, openBlobs)) problems.push(...result.problems)
  if (problems.length === 0) {
    const found = await readTotals(folder, manifest.commit, memoryBytes)
    for (const [table, { rows, hash }] of Object.entries(manifest.totals.tables)) {
      const here = found.tables[table]
      if (here?.rows !== rows || here.hash !== hash)
        problems.push(
          `The table ${table} has ${here?.rows} rows with the sum ${here?.hash}, and had ${rows} with ${hash}.`,
        )
    }
    if (found.traces !== manifest.totals.traces)
      problems.push(`There are ${found.traces} traces, and there were ${manifest.totals.traces}.`)
  }
  if (problems.length > 0)
    throw new OperatorError([`Backup ${manifest.number} in ${target.name} is not whole:`, ...problems].join('\n'))
}
