import { texts } from '../engine/literal.ts'

/**
 * One term of each group must be among a row's `terms`. Required single terms go into one call, so that the index reads
 * their postings together.
 */
export function termConditions(termGroups: readonly (readonly string[])[]): string[] {
  const needed = termGroups.filter((group) => group.length === 1).flat()
  const choices = termGroups.filter((group) => group.length > 1)
  const conditions = choices.map((group) => `hasAny(terms, [${texts(group)}])`)
  return needed.length === 0 ? conditions : [`hasAll(terms, [${texts(needed)}])`, ...conditions]
}
