import type { MonitorTransition, TransitionCause } from '../ports/journal/monitor-transition.ts'
import type { Monitor } from '../ports/monitors/monitor.ts'

/** The monitor as JSON text in the form of the wire, without groups. */
export type PrintMonitor = (monitor: Monitor) => string

/**
 * Durable when it resolves; or refused, because the monitor has changed since it was read. Rejects as a write does:
 * nothing of it was stored then.
 */
export type CommitTransition = (transition: MonitorTransition) => Promise<void>

/** The state change that an evaluation causes, of the monitor or of a group of it. */
export function evaluationTransition(
  monitor: Monitor,
  group: string | null,
  { to, at, value, samples }: Pick<MonitorTransition, 'to' | 'at' | 'value' | 'samples'>,
  print: PrintMonitor,
): MonitorTransition {
  const standing = {
    state: to,
    stateSince: at,
    breaches: 0,
    lastValue: value,
    lastSamples: samples,
    lastEvaluatedAt: at,
  }
  return {
    ...commonParts(monitor, 'evaluation'),
    group,
    to,
    at,
    value,
    samples,
    monitor: print({ ...monitor, standing }),
  }
}

/**
 * A fired monitor that is changed, disabled or deleted resolves first, with its old definition; one with groups a fired
 * group at a time.
 */
export function endingTransition(
  monitor: Monitor,
  cause: Exclude<TransitionCause, 'evaluation'>,
  at: number,
  print: PrintMonitor,
): MonitorTransition {
  const [group, ofGroup] = [...monitor.groups].find(([, { state }]) => state === 'fired') ?? [null, monitor.standing]
  const standing = { ...ofGroup, state: 'normal' as const, stateSince: at, breaches: 0 }
  return {
    ...commonParts(monitor, cause),
    group,
    to: 'normal',
    at,
    value: null,
    samples: 0,
    monitor: print({ ...monitor, standing }),
  }
}

function commonParts({ projectId, id, revision, definition, standing }: Monitor, cause: TransitionCause) {
  return {
    projectId,
    monitorId: id,
    revision,
    cause,
    previouslyEvaluatedAt: standing.lastEvaluatedAt,
    threshold: definition.threshold,
  }
}
