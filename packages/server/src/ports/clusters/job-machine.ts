/** Where a discovery stands. Documented in docs/design/clusters.md. */
export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed'

/** `interrupt`: the process ended while it ran, which is noticed by its next start or by another process. */
export type JobMove = 'start' | 'interrupt' | 'succeed' | 'fail'

const MOVES: Readonly<Record<JobStatus, Partial<Readonly<Record<JobMove, JobStatus>>>>> = {
  queued: { start: 'running' },
  running: { interrupt: 'queued', succeed: 'succeeded', fail: 'failed' },
  succeeded: {},
  failed: {},
}

/** Where a move leads. Throws Error for one that the state does not have: a bug of the caller. */
export function moveJob(from: JobStatus, move: JobMove): JobStatus {
  const to = MOVES[from][move]
  if (to === undefined) throw new Error(`a job that is ${from} does not ${move}`)
  return to
}

/** Whether it waits or runs: a project has at most one such job. */
export function isOpen(status: JobStatus): boolean {
  return Object.keys(MOVES[status]).length > 0
}
