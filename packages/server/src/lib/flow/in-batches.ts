import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Calls `drop` until it drops less than its limit of `size`, at most `most` times. Other work gets a turn between two
 * calls.
 */
export async function inBatches(size: number, most: number, drop: (limit: number) => Promise<number>): Promise<void> {
  for (let batch = 1; (await drop(size)) === size && batch < most; batch++) await nextTurn()
}
