import { covers } from '../clickhouse/parts/part-name.ts'

/**
 * Which of the parts in a table's folder make a whole table, each row once: the recorded ones, which are flushed and
 * complete, and the newer ones that were not merged from them. Null when a recorded part is neither there nor contained
 * in a chosen one.
 */
export function chooseParts(names: readonly string[], recorded: readonly string[]): readonly string[] | null {
  const isThere = new Set(names)
  const known = recorded.filter((name) => isThere.has(name))
  const candidates = names.filter((name) => !known.some((part) => part !== name && covers(name, part)))
  const chosen = candidates.filter((name) => !candidates.some((other) => other !== name && covers(other, name)))
  return recorded.every((name) => chosen.some((other) => covers(other, name))) ? chosen : null
}
