import type { MeasureResult } from '../ports/monitors/monitor-measures.ts'
import type { Comparison, MonitorDefinition, MonitorState } from '../ports/monitors/monitor.ts'

/**
 * What can happen to a monitor. `last_breach` is the breach that completes the run of `consecutive`; other evaluations
 * have events of their own. docs/design/monitors.md specifies states, events and moves.
 */
export type MonitorEvent =
  'breach' | 'last_breach' | 'between' | 'clear' | 'too_few' | 'no_data' | 'change' | 'disable' | 'delete'

interface Move {
  readonly to: MonitorState
  /** The new run of breaches. */
  readonly run: 'longer' | 'ended' | 'kept'
}

const MOVES: Readonly<Record<MonitorState, Readonly<Record<MonitorEvent, Move>>>> = {
  normal: {
    breach: { to: 'normal', run: 'longer' },
    last_breach: { to: 'fired', run: 'ended' },
    between: { to: 'normal', run: 'ended' },
    clear: { to: 'normal', run: 'ended' },
    too_few: { to: 'normal', run: 'kept' },
    no_data: { to: 'normal', run: 'kept' },
    change: { to: 'normal', run: 'ended' },
    disable: { to: 'normal', run: 'ended' },
    delete: { to: 'normal', run: 'ended' },
  },
  fired: {
    breach: { to: 'fired', run: 'ended' },
    last_breach: { to: 'fired', run: 'ended' },
    between: { to: 'fired', run: 'ended' },
    clear: { to: 'normal', run: 'ended' },
    too_few: { to: 'fired', run: 'ended' },
    no_data: { to: 'fired', run: 'ended' },
    change: { to: 'normal', run: 'ended' },
    disable: { to: 'normal', run: 'ended' },
    delete: { to: 'normal', run: 'ended' },
  },
}

/** The state with its run of breaches: all that the next evaluation depends on. */
export interface MonitorTally {
  readonly state: MonitorState
  readonly breaches: number
}

export type MonitorRules = Pick<
  MonitorDefinition,
  'aggregation' | 'comparison' | 'threshold' | 'resolveThreshold' | 'minSamples' | 'consecutive' | 'noData'
>

export function applyEvent({ state, breaches }: MonitorTally, event: MonitorEvent): MonitorTally {
  const { to, run } = MOVES[state][event]
  return { state: to, breaches: run === 'longer' ? breaches + 1 : run === 'kept' ? breaches : 0 }
}

/** The tally after an evaluation with the result `answer`. */
export function applyAnswer(rules: MonitorRules, tally: MonitorTally, answer: MeasureResult): MonitorTally {
  return applyEvent(tally, judge(rules, tally, answer))
}

function judge(rules: MonitorRules, { breaches }: MonitorTally, answer: MeasureResult): MonitorEvent {
  const outcome = compareAnswer(rules, answer)
  return outcome === 'breach' && breaches + 1 >= rules.consecutive ? 'last_breach' : outcome
}

function compareAnswer(rules: MonitorRules, answer: MeasureResult): MonitorEvent {
  const { comparison, threshold, resolveThreshold, minSamples, noData } = rules
  const value = valueOf(rules, answer)
  if (value === null) return noData === 'fire' ? 'breach' : noData === 'ok' ? 'clear' : 'no_data'
  // A count of no rows is 0, and as valid as any other.
  if (rules.aggregation !== 'count' && answer.samples < minSamples) return 'too_few'
  if (holds(comparison, value, threshold)) return 'breach'
  return holds(comparison, value, resolveThreshold ?? threshold) ? 'between' : 'clear'
}

/** Whether a window without rows is a breach. */
export function breachesWithoutRows(rules: MonitorRules): boolean {
  return compareAnswer(rules, { value: null, samples: 0 }) === 'breach'
}

/** The result of an evaluation: always finite; null when there was nothing to aggregate. */
export function valueOf({ aggregation }: Pick<MonitorRules, 'aggregation'>, answer: MeasureResult): number | null {
  const value = aggregation === 'count' ? (answer.value ?? 0) : answer.samples === 0 ? null : answer.value
  if (value === null || Number.isNaN(value)) return null
  // A sum may overflow; it is still on one side of the threshold.
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value))
}

export function holds(comparison: Comparison, value: number, threshold: number): boolean {
  switch (comparison) {
    case 'gt':
      return value > threshold
    case 'gte':
      return value >= threshold
    case 'lt':
      return value < threshold
    case 'lte':
      return value <= threshold
  }
}
