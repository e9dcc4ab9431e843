import { copyFileSync, globSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { freeBytesOf } from '../../../lib/disk-full.ts'

/** A definition has some kilobytes. The rest is a margin for other programs that write between check and statement. */
export const LEAST_FREE_BYTES = 1024 * 1024

/** Statements that write the definition of a table or of a mutation. Parts need none. */
const DEFINES = /^\s*(CREATE|RENAME|ALTER TABLE \S+ (?!(DROP|DETACH|ATTACH) PART))/
/** The table whose definition a statement replaces. Mutations have files of their own. */
const REPLACED = /^\s*ALTER TABLE (\S+) (?!DELETE |UPDATE |(DROP|DETACH|ATTACH) PART)/

/** The table in memory: it has only the definition. */
const WITHOUT_DATA = 'purging'

/**
 * Runs a statement. Rejects with code ENOSPC when it writes a definition and `directory` has no space for it; the
 * definitions are then as before.
 *
 * On a full disk chDB 3 reports success, leaves an empty file, and cannot open the store afterwards. Another program
 * may take the space after it was checked. So a definition is copied before it is replaced, and one of a new table that
 * was not written is removed: nothing may be stored in that table.
 */
export async function keepDefinitions<T>(
  directory: string,
  sql: string,
  run: () => Promise<T>,
  freeBytes: (directory: string) => number = freeBytesOf,
): Promise<T> {
  if (!DEFINES.test(sql)) return run()
  if (freeBytes(directory) < LEAST_FREE_BYTES) throw noSpaceIn(directory)
  const replaced = REPLACED.exec(sql)?.[1]
  for (const path of replaced === undefined ? [] : definitionsOf(directory, `${replaced}.sql`))
    copyFileSync(path, `${path}.bak`)
  return run().finally(() => {
    const { restored, torn } = restoreDefinitions(directory)
    for (const path of torn) rmSync(path)
    if (restored.length + torn.length > 0) throw noSpaceIn(directory)
  })
}

/**
 * Repairs what a full disk left in spite of that check when the process ended meanwhile: definitions of which there is
 * a copy, and empty ones of tables without data and of mutations, which are started again when needed. Call it before
 * the engine is opened.
 */
export function repairDefinitions(directory: string): void {
  restoreDefinitions(directory)
  for (const path of definitionsOf(directory, '*.sql')) if (!hasData(path)) dropIfEmpty(path)
  for (const path of globSync('store/*/*/mutation_*.txt', { cwd: directory })) dropIfEmpty(join(directory, path))
}

/** Replaces torn definitions of tables with data by their copies. `torn`: those without one. Removes all copies. */
function restoreDefinitions(directory: string): { readonly restored: string[]; readonly torn: string[] } {
  const torn = definitionsOf(directory, '*.sql').filter((path) => hasData(path) && !isWhole(path))
  const restored: string[] = []
  // The engine ignores files of this name.
  for (const copy of definitionsOf(directory, '*.sql.bak')) {
    const path = copy.slice(0, -'.bak'.length)
    if (!torn.includes(path) || !isWhole(copy)) {
      rmSync(copy)
      continue
    }
    renameSync(copy, path)
    restored.push(path)
  }
  return { restored, torn: torn.filter((path) => !restored.includes(path)) }
}

function definitionsOf(directory: string, pattern: string): string[] {
  const tables = join(directory, 'metadata', 'spoor')
  return globSync(pattern, { cwd: tables }).map((name) => join(tables, name))
}

function hasData(path: string): boolean {
  return basename(path, '.sql') !== WITHOUT_DATA
}

/** The engine ends a definition with a line end. */
function isWhole(path: string): boolean {
  return readFileSync(path, 'utf8').endsWith('\n')
}

function dropIfEmpty(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path)
}

export function noSpaceIn(directory: string): Error {
  return Object.assign(new Error(`ENOSPC: no space left in ${directory}`), { code: 'ENOSPC' })
}
