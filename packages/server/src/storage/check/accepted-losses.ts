import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DATA_FILES } from '../data-files.ts'

/** How often a start continued without missing data, and where those starts are recorded. */
export function acceptedLosses(dataDir: string): { readonly count: number; readonly path: string } {
  const path = join(dataDir, DATA_FILES.acceptedLosses)
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  return { count: lines.length, path }
}
