import { rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A definition has some kilobytes. What other programs may write between the look and the statement is to spare. */
const LEAST_FREE_BYTES = 1024 * 1024

/** Statements that write the definition of a table. */
const DEFINES = /^\s*(CREATE|RENAME|ALTER TABLE \S+ (ADD|MODIFY|RENAME|DROP (COLUMN|INDEX|PROJECTION)))\b/

/**
 * Throws an error with code ENOSPC when the statement writes the definition of a table and `directory` has no space for
 * one: on a full disk chDB 3 answers that all went well and leaves an empty file, with which it does not open any more.
 */
export function refuseDefinitionWithoutSpace(
  directory: string,
  sql: string,
  freeBytes: (directory: string) => number = freeBytesOf,
): void {
  if (!DEFINES.test(sql) || freeBytes(directory) >= LEAST_FREE_BYTES) return
  const error = new Error(`ENOSPC: no space left in ${directory} for the definition of a table`)
  throw Object.assign(error, { code: 'ENOSPC' })
}

/** Tables in memory: an empty definition of one is all that there is of it. */
const IN_MEMORY = ['purging']

/** Removes empty definitions that a full disk left before the space was asked for. Before the engine is opened. */
export function dropEmptyDefinitions(directory: string): void {
  for (const table of IN_MEMORY) {
    const path = join(directory, 'metadata', 'spoor', `${table}.sql`)
    if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path)
  }
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}
