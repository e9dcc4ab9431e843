import { hash } from 'node:crypto'
import { OccurrenceCounter } from './occurrence-counter.ts'

/**
 * Names each line of a file by its content, so that whatever is sent again, by a retry, a second run or a run on a file that has grown, counts once.
 * A line that stands in the file n times is n traces: the key also says which of them it is. Where it stands does not matter.
 *
 * @param importId lines of imports with different ids are different traces; null for the default one
 * @returns gives the idempotency key of the next line; MUST be called in the order of the file
 */
export function createLineKeys(importId: string | null): (line: Buffer) => string {
  const seen = new OccurrenceCounter()
  const prefix = importId === null ? 'import-' : `import-${importId}-`
  return (line) => {
    const digest = hash('sha256', line, 'buffer')
    return `${prefix}${digest.toString('hex')}-${seen.count(digest)}`
  }
}
