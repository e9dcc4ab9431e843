import { statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'

/**
 * Who besides the service's own account may have access by the modes of the data folder: nobody, its group, or anybody
 * (no check).
 */
export type DataAccess = 'owner' | 'group' | 'unchecked'

const KEY_FILES = ['secrets.key', 'signing.key']

/**
 * Rights that others must not have: any on the keys, and write on the folder, which would let them replace files.
 * Whatever the service creates has neither, under any umask.
 */
const FORBIDDEN: Readonly<Record<DataAccess, { readonly folder: number; readonly key: number }>> = {
  owner: { folder: 0o022, key: 0o077 },
  group: { folder: 0o002, key: 0o007 },
  unchecked: { folder: 0, key: 0 },
}

/**
 * Checks the modes of the data folder and its keys, if they exist. Call it before anything is opened. Throws
 * OperatorError, with the commands that repair it, when other accounts could replace the service's files or read the
 * keys that it seals and signs with.
 */
export function checkDataModes(dataDir: string, access: DataAccess): void {
  const forbidden = FORBIDDEN[access]
  const who = access === 'group' ? 'o' : 'go'
  const problems: string[] = []
  if ((modeOf(dataDir) & forbidden.folder) !== 0) {
    problems.push(`Other accounts can write to the data folder. Run: chmod ${who}-w ${quote(dataDir)}`)
  }
  for (const path of KEY_FILES.map((name) => join(dataDir, name))) {
    if ((modeOf(path) & forbidden.key) === 0) continue
    problems.push(`Other accounts have rights to the key ${path}. Run: chmod ${who}-rwx ${quote(path)}`)
  }
  if (problems.length === 0) return
  const wayOut =
    'Where the modes cannot be changed, as on some volumes, see SPOOR_DATA_ACCESS in docs/operate/security.md.'
  throw new OperatorError([...problems, wayOut].join('\n'))
}

/** 0 when the file does not exist or cannot be inspected; opening it will report that. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode
  } catch {
    return 0
  }
}

/** Quoted for a shell. */
function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
