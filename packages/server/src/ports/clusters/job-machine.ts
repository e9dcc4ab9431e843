/** The states of a discovery. Documented in docs/design/clusters.md. */
export type JobStatus = 'queued' | 'running' | 'succeeded' | 'failed'

/** `interrupt`: the process ended while the job ran; its next start or another process notices that. */
export type JobMove = 'start' | 'interrupt' | 'succeed' | 'fail'

const MOVES: Readonly<Record<JobStatus, Partial<Readonly<Record<JobMove, JobStatus>>>>> = {
  queued: { start: 'running' },
  running: { interrupt: 'queued', succeed: 'succeeded', fail: 'failed' },
  succeeded: {},
  failed: {},
}

/** The state after a move. Throws Error for a move that the state does not allow: a bug of the caller. */
export function moveJob(from: JobStatus, move: JobMove): JobStatus {
  const to = MOVES[from][move]
  if (to === undefined) throw new Error(`a job that is ${from} does not ${move}`)
  return to
}

/** Whether the job is queued or running: a project has at most one such job. */
export function isOpen(status: JobStatus): boolean {
  return Object.keys(MOVES[status]).length > 0
}
