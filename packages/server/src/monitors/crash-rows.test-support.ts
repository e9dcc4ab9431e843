import { INTERVAL_MS, NOON } from './monitor-world.test-support.ts'

export const SCORE_NUMBER = 3

/** High for four evaluation times, low for the next four, and so on. */
export function scoreAt(at: number): number {
  return Math.floor((at - NOON) / INTERVAL_MS / 4) % 2 === 0 ? 20 : 0
}
