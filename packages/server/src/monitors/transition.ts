import type { MonitorTransition, TransitionCause } from '../ports/journal/monitor-transition.ts'
import type { Monitor, MonitorState } from '../ports/monitors/monitor.ts'

/** The monitor as JSON text in the form of the wire. */
export type PrintMonitor = (monitor: Monitor) => string

/**
 * Durable when it resolves; or refused, because the monitor has changed since it was read. Rejects as a write does:
 * nothing of it was stored then.
 */
export type CommitTransition = (transition: MonitorTransition) => Promise<void>

/** The state change that an evaluation causes. */
export function evaluationTransition(
  monitor: Monitor,
  to: MonitorState,
  { at, value, samples }: { readonly at: number; readonly value: number | null; readonly samples: number },
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
    to,
    at,
    value,
    samples,
    monitor: print({ ...monitor, standing }),
  }
}

/** A fired monitor that is changed, disabled or deleted resolves first, with its old definition. */
export function endingTransition(
  monitor: Monitor,
  cause: Exclude<TransitionCause, 'evaluation'>,
  at: number,
  print: PrintMonitor,
): MonitorTransition {
  const standing = { ...monitor.standing, state: 'normal' as const, stateSince: at, breaches: 0 }
  return {
    ...commonParts(monitor, cause),
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
