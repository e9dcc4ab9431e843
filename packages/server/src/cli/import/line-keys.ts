import { hash } from 'node:crypto'
import { OccurrenceCounter } from './occurrence-counter.ts'

/**
 * Names each line of a file by its content, so that a line counts once if a retry, a second run or a run on a grown
 * file sends it again. A line that occurs n times in the file is n traces: the key includes the number of the
 * occurrence. Its position does not matter.
 *
 * @param importId lines of imports with different ids are different traces; null for the default one
 * @returns a function that returns the idempotency key of the next line; MUST be called in the order of the file
 */
export function createLineKeys(importId: string | null): (line: Buffer) => string {
  const seen = new OccurrenceCounter()
  const prefix = importId === null ? 'import-' : `import-${importId}-`
  return (line) => {
    const digest = hash('sha256', line, 'buffer')
    return `${prefix}${digest.toString('hex')}-${seen.count(digest)}`
  }
}
