import type { LineGroup, PendingLine } from './line-group.ts'
import type { InTurns } from '../flow/work-turns.ts'

/** Groups whose results are pending: one that is being written and one that waits for it. */
export const GROUPS_AHEAD = 2

/** Writes groups of lines and returns verdicts. `P` is a group that is prepared for writing. */
export interface LineWriter<T, P, V> {
  /** Awaited before the next group is written, so that groups are written in the order sent. */
  prepare(pending: readonly PendingLine<T>[]): P | Promise<P>
  /** One verdict for each line of the group, in order, when the written lines are durable. */
  write(prepared: P): Promise<readonly V[]>
  /**
   * Called once, when the stream has ended or its consumer has stopped, with the groups that are still being written.
   */
  ended?(outstanding: readonly Promise<unknown>[]): void
}

/**
 * Validates NDJSON lines as they arrive and as `inTurns` allows, writes them in groups, and yields their verdicts in
 * order.
 * - While a group is written, the next one is read. After that, reading pauses until the consumer has taken the
 *   verdicts, so memory is bounded however long the stream is.
 * - While a deferred line is parsed, the lines before it are written and the lines after it are not read.
 * - If `chunks` throws or parsing a deferred line rejects, the complete lines received before are still written, the
 *   partial line is dropped, and the iteration ends with that error after their verdicts.
 */
export async function* processLines<T, P, V>(
  chunks: AsyncIterable<Buffer>,
  group: LineGroup<T>,
  writer: LineWriter<T, P, V>,
  inTurns: InTurns,
): AsyncGenerator<readonly V[]> {
  const input = chunks[Symbol.asyncIterator]()
  const outstanding: Promise<readonly V[]>[] = []
  const submit = async () => {
    const written = writer.write(await writer.prepare(group.take()))
    // The consumer may stop before this is awaited; the promise in `outstanding` still reports the error.
    written.catch(() => undefined)
    outstanding.push(written)
  }
  const read = async () => {
    if (group.hasDeferred) return group.readDeferred()
    if (!group.hasUnread) {
      const result = await input.next()
      if (result.done === true) {
        group.end()
        await group.readDeferred()
        // Set here, not after the race: a group that is written in the same turn may win the race.
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
    writer.ended?.(outstanding)
    group.release()
    await input.return?.()
  }
}
