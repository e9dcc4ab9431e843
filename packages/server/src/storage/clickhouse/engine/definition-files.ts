import { globSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A definition has some kilobytes. The rest is a margin for other programs that write between check and statement. */
const LEAST_FREE_BYTES = 1024 * 1024

/** Statements that write the definition of a table or of a mutation. Parts need none. */
const DEFINES = /^\s*(CREATE|RENAME|ALTER TABLE \S+ (?!(DROP|DETACH|ATTACH) PART))/

/**
 * Throws an error with code ENOSPC when the statement writes a definition and `directory` has no space for it. On a
 * full disk chDB 3 reports success and leaves an empty file, and cannot open the store afterwards.
 */
export function refuseDefinitionWithoutSpace(
  directory: string,
  sql: string,
  freeBytes: (directory: string) => number = freeBytesOf,
): void {
  if (!DEFINES.test(sql) || freeBytes(directory) >= LEAST_FREE_BYTES) return
  const error = new Error(`ENOSPC: no space left in ${directory} for a definition`)
  throw Object.assign(error, { code: 'ENOSPC' })
}

/** Tables in memory, and those that a salvage had just begun to fill: they have no other data than the definition. */
const WITHOUT_DATA = ['purging', 'salvage_of_*']

/**
 * Removes empty definitions that a full disk left in spite of that check: of tables without data, and of mutations,
 * which are started again when needed. Call it before the engine is opened.
 */
export function dropEmptyDefinitions(directory: string): void {
  const tables = join(directory, 'metadata', 'spoor')
  for (const path of globSync(
    WITHOUT_DATA.map((table) => `${table}.sql`),
    { cwd: tables },
  ))
    dropIfEmpty(join(tables, path))
  for (const path of globSync('store/*/*/mutation_*.txt', { cwd: directory })) dropIfEmpty(join(directory, path))
}

function dropIfEmpty(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path)
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}
