import { statSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'

/**
 * Whom the modes of the data folder may let in beside the account of the service: nobody, its group, or they are not
 * looked at.
 */
export type DataAccess = 'owner' | 'group' | 'unchecked'

const KEY_FILES = ['secrets.key', 'signing.key']

/**
 * Rights that others must not have: to the keys any, to the folder those to put files in the place of ours. What this
 * service makes has neither, under any umask.
 */
const FORBIDDEN: Readonly<Record<DataAccess, { readonly folder: number; readonly key: number }>> = {
  owner: { folder: 0o022, key: 0o077 },
  group: { folder: 0o002, key: 0o007 },
  unchecked: { folder: 0, key: 0 },
}

/**
 * Looks at the data folder and its keys, as far as they are there, before anything is opened. Throws OperatorError,
 * with the commands that mend it, when other accounts could change what the service goes by, or read what it seals and
 * signs with.
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

/** 0 when nothing is there, or nothing can be known: what opens it says so. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode
  } catch {
    return 0
  }
}

/** For a shell. */
function quote(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
