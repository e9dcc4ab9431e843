import { closeSync, openSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../../lib/operator-error.ts'
import { SQLITE, sqliteCode } from './sqlite-error.ts'

/** SQLite makes a file of this size beside a database. Where there is no space for it, it reports `ioError`. */
const SHARED_MEMORY_BYTES = 32 * 1024

type Migrations = readonly { readonly version: number }[]

/** `found` is 0 for an empty store, which is never too old. */
export function refuseOtherSchema(database: string, found: number, migrations: Migrations): void {
  const [oldest, newest] = [migrations[0]?.version ?? 0, migrations.at(-1)?.version ?? 0]
  const which = `(schema ${found}; this one knows ${newest})`
  if (found > newest)
    throw new OperatorError(
      `${database} was written by a newer version of Spoor ${which}. ` +
        'Start that version or a newer one, or restore a backup from before the upgrade.',
    )
  if (found > 0 && found < oldest)
    throw new OperatorError(
      `${database} was written by a development version of Spoor from before its first release ${which}, ` +
        'which it cannot bring up to date. Start with another one, or move this one away.',
    )
}

/** The problems of a report on a store with this schema; 0 for none yet. */
export function schemaProblems(found: number, migrations: Migrations): readonly string[] {
  const [oldest, newest] = [migrations[0]?.version ?? 0, migrations.at(-1)?.version ?? 0]
  if (found === 0 || found === newest) return []
  if (found > newest) return [`Its schema ${found} is of a newer Spoor; this one knows ${newest}.`]
  if (found < oldest) return [`Its schema ${found} is from before the first release; start with an empty one.`]
  return [`Its schema is to be brought from ${found} to ${newest}: start the service.`]
}

/**
 * An OperatorError that says why a store could not be opened and what to do about it. An unexpected error is returned
 * unchanged. SQLite only says that it cannot open or write a file, so `findWriteError` asks the system why.
 */
export function explainOpenFailure(error: unknown, path: string, findWriteError = writeErrorOf): unknown {
  const code = sqliteCode(rootCause(error))
  const isVague = code === SQLITE.cannotOpen || code === SQLITE.readOnly || code === SQLITE.ioError
  const explanation = (isVague ? sentenceFor(findWriteError(path), path) : null) ?? sentenceFor(error, path)
  return explanation === null ? error : new OperatorError(explanation, { cause: error })
}

function sentenceFor(error: unknown, path: string): string | null {
  switch (sqliteCode(rootCause(error))) {
    case SQLITE.notADatabase:
      return `${path} is not a Spoor database. Move the file away, or name Spoor's own folder with --data-dir.`
    case SQLITE.corrupt:
      return `${path} is damaged. Restore it from a backup.`
    case SQLITE.cannotOpen:
    case SQLITE.readOnly:
      return notWritable(path)
    case SQLITE.full:
      return `The disk that holds ${path} is full. Make space and start again.`
    case SQLITE.busy:
      return `${path} is locked by another process. Stop that process and start again.`
    case SQLITE.ioError:
      return notReadable(path, rootCause(error))
  }
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return notWritable(path)
    case 'EROFS':
      return `The file system of ${path} is read-only. If it was not mounted so, its disk has failed: see the log of the system.`
    case 'EIO':
      return notReadable(path, error)
    case 'ENOTDIR':
    case 'EEXIST':
      return `${path} cannot be created: a part of that path is a file, not a folder. Name a folder with --data-dir.`
    case 'ENOENT':
      return `${path} cannot be created there. Name a folder that can exist with --data-dir.`
    case 'ENOSPC':
      return `The disk that holds ${path} is full. Make space and start again.`
    default:
      return null
  }
}

/** A failing migration comes wrapped as a DomainError. */
function rootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined && sqliteCode(error) === null ? error.cause : error
}

/** The system's error when the file is opened for writing, or for a disk without space; null when there is none. */
function writeErrorOf(path: string): unknown {
  try {
    closeSync(openSync(path, 'a'))
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize < SHARED_MEMORY_BYTES ? Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }) : null
  } catch (error) {
    return error
  }
}

function notReadable(path: string, error: unknown): string {
  return `${path} could not be read or written (${error instanceof Error ? error.message : String(error)}). Check the disk.`
}

function notWritable(path: string): string {
  return `${path} cannot be opened for writing. Give the account that runs Spoor the right to write there, or name another folder with --data-dir.`
}
