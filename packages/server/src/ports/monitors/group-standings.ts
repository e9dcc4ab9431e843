import type { MonitorTransition } from '../journal/monitor-transition.ts'
import type { Groups, MonitorState } from './monitor.ts'

/** The state of a monitor with groups. */
export function stateOfGroups(groups: Groups): MonitorState {
  return [...groups.values()].some(({ state }) => state === 'fired') ? 'fired' : 'normal'
}

/**
 * The groups after a transition of one of them; null if it is refused, because the group has that state already or was
 * evaluated again since.
 */
export function groupsAfter(groups: Groups, transition: MonitorTransition): Groups | null {
  const { group, to, cause, at, value, samples, previouslyEvaluatedAt } = transition
  const before = group === null ? undefined : groups.get(group)
  if (group === null || (before?.state ?? 'normal') === to) return null
  const moved = { state: to, stateSince: at, breaches: 0 }
  if (cause !== 'evaluation') return before === undefined ? null : new Map(groups).set(group, { ...before, ...moved })
  if ((before?.lastEvaluatedAt ?? null) !== previouslyEvaluatedAt) return null
  return new Map(groups).set(group, { ...moved, lastValue: value, lastSamples: samples, lastEvaluatedAt: at })
}
