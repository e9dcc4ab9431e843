import { asApiError } from '../api/client/api-error.ts'

/** Requests at once: a browser has six connections, and others may need one. */
const AT_ONCE = 4

export interface Changed {
  readonly done: readonly string[]
  /** Messages of the others, by id. */
  readonly failed: ReadonlyMap<string, string>
}

/** Calls `change` for each id, some at once, and goes on after failures. */
export async function changeEach(ids: readonly string[], change: (id: string) => Promise<unknown>): Promise<Changed> {
  const left = [...ids]
  const done: string[] = []
  const failed = new Map<string, string>()
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await change(id)
        done.push(id)
      } catch (error) {
        failed.set(id, asApiError(error).message)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { done, failed }
}

/** "3 traces flagged", or what failed. The note is about those that were changed. */
export function changedWords({ done, failed }: Changed, what: string, note?: string): string {
  const traces = (count: number) => `${count} ${count === 1 ? 'trace' : 'traces'}`
  const count = failed.size === 0 ? traces(done.length) : `${done.length} of ${traces(done.length + failed.size)}`
  const sentences = [...new Set(failed.values())].slice(0, 3)
  if (note !== undefined && done.length > 0) sentences.push(note)
  return sentences.length === 0 ? `${count} ${what}` : `${count} ${what}. ${sentences.join(' ')}`
}
