import type { SessionStore } from '../ports/access/session-store.ts'

const DROPPED_TOGETHER = 1000

/** One round of housekeeping: the rest waits for the next. */
export async function pruneSessions(sessions: Pick<SessionStore, 'prune'>, now: number): Promise<void> {
  await sessions.prune(now, DROPPED_TOGETHER)
}
