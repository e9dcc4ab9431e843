import type { LineGroup, PendingLine } from './line-group.ts'
import type { InTurns } from '../work/work-turns.ts'

/** Groups being written and not yet answered: one that is written and one that waits its turn. */
export const GROUPS_AHEAD = 2

/** How groups of lines become verdicts. `P` is what is known of a group before it is written. */
export interface LineWriter<T, P, V> {
  /** Awaited before the next group may be written, so that groups are written in the order sent. */
  prepare(pending: readonly PendingLine<T>[]): P | Promise<P>
  /** One verdict for each line of the group, in order, once what it says is durable. */
  write(prepared: P): Promise<readonly V[]>
  /** Told once, when the stream has ended or was left, with the groups whose writing is still under way. */
  left?(outstanding: readonly Promise<unknown>[]): void
}

/**
 * Judges NDJSON lines as they arrive and as `inTurns` lets it, writes them in groups, and yields their verdicts in order.
 * - While a group is written the next is read; after that the stream is not read on until the consumer has taken the
 *   verdicts, so memory stays flat however long it is.
 * - While a line is parsed apart, lines in front of it are written; lines behind it are not read.
 * - When `chunks` throws, or the parse of a line apart rejects, complete lines received before are still written, the
 *   partial one is dropped, and the iteration ends with that error after their verdicts.
 */
export async function* judgeLines<T, P, V>(
  chunks: AsyncIterable<Buffer>,
  group: LineGroup<T>,
  writer: LineWriter<T, P, V>,
  inTurns: InTurns,
): AsyncGenerator<readonly V[]> {
  const input = chunks[Symbol.asyncIterator]()
  const outstanding: Promise<readonly V[]>[] = []
  const submit = async () => {
    const written = writer.write(await writer.prepare(group.take()))
    // The generator may be left before this is awaited; the error is seen by whoever awaits it.
    written.catch(() => undefined)
    outstanding.push(written)
  }
  const read = async () => {
    if (group.hasApart) return group.readApart()
    if (!group.hasUnread) {
      const result = await input.next()
      if (result.done === true) {
        group.end()
        await group.readApart()
        // Here and not when the race is over: a group that is written in the same turn may win it, and nobody asks again.
        ended = true
        return
      }
      group.add(result.value)
    }
    await inTurns(() => group.readLine())
    group.charge()
  }
  let ended = false
  let failure: { readonly error: unknown } | null = null
  let reading: Promise<'read'> | null = null
  try {
    group.charge()
    while (!ended || group.lines > 0 || outstanding.length > 0) {
      if (!ended && reading === null && !group.full) {
        reading = read()
          .catch((error: unknown) => {
            ended = true
            failure = { error }
          })
          .then(() => 'read' as const)
      }
      const first = outstanding[0]
      const racers: Promise<'read' | 'written'>[] = []
      if (reading !== null) racers.push(reading)
      if (first !== undefined) racers.push(first.then(() => 'written' as const))
      if (racers.length > 0 && (await Promise.race(racers)) === 'read') {
        reading = null
      } else if (first !== undefined) {
        void outstanding.shift()
        yield await first
      }
      if (group.stopped) ended = true
      const due = outstanding.length === 0 || group.full || ended
      if (group.lines > 0 && due && outstanding.length < GROUPS_AHEAD) await submit()
    }
    if (failure !== null) throw (failure as { error: unknown }).error
  } finally {
    writer.left?.(outstanding)
    group.letGo()
    await input.return?.()
  }
}
