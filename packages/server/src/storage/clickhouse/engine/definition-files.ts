import { globSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A definition has some kilobytes. What other programs may write between the look and the statement is to spare. */
const LEAST_FREE_BYTES = 1024 * 1024

/** Statements that write the definition of a table or of a mutation. Parts come and go without. */
const DEFINES = /^\s*(CREATE|RENAME|ALTER TABLE \S+ (?!(DROP|DETACH|ATTACH) PART))/

/**
 * Throws an error with code ENOSPC when the statement writes a definition and `directory` has no space for one: on a
 * full disk chDB 3 answers that all went well and leaves an empty file, with which it does not open any more.
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

/** Tables in memory: an empty definition of one is all that there is of it. */
const IN_MEMORY = ['purging']

/**
 * Removes empty definitions that a full disk left before the space was asked for: of tables in memory, and of
 * mutations, which are begun anew by whoever wants them. Before the engine is opened.
 */
export function dropEmptyDefinitions(directory: string): void {
  const tables = join(directory, 'metadata', 'spoor')
  for (const table of IN_MEMORY) dropIfEmpty(join(tables, `${table}.sql`))
  for (const path of globSync('store/*/*/mutation_*.txt', { cwd: directory })) dropIfEmpty(join(directory, path))
}

function dropIfEmpty(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path)
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}
