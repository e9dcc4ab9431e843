import { MONITOR_GROUPS_MAX } from '@spoor/contract/limits'
import type { MeasureResult } from '../ports/monitors/monitor-measures.ts'
import type { Groups, MonitorDefinition, MonitorStanding, MonitorState } from '../ports/monitors/monitor.ts'
import { applyAnswer, breachesWithoutRows, valueOf } from './monitor-machine.ts'

const NO_ROWS: MeasureResult = { value: null, samples: 0 }

interface GroupChange {
  readonly group: string
  readonly to: MonitorState
  readonly value: number | null
  readonly samples: number
}

export interface EvaluatedGroups {
  /** At most MONITOR_GROUPS_MAX, those that had to be evaluated first. */
  readonly groups: Groups
  readonly changes: readonly GroupChange[]
}

/**
 * One evaluation of a monitor with groups: each by itself, as a monitor without groups. A group without rows is
 * evaluated if it has fired, is in a run of breaches, or breaches without rows; otherwise it is dropped. `isEvaluated`:
 * groups whose evaluation at `at` was committed by a round that did not end.
 */
export function evaluateGroups(
  definition: MonitorDefinition,
  before: Groups,
  answer: MeasureResult,
  at: number,
  isEvaluated: (standing: MonitorStanding) => boolean = () => false,
): EvaluatedGroups {
  const answers = new Map((answer.groups ?? []).map(({ group, ...result }) => [group, result]))
  const groups = new Map<string, MonitorStanding>()
  const changes: GroupChange[] = []
  for (const group of [...new Set([...neededGroups(definition, before), ...answers.keys()])].slice(
    0,
    MONITOR_GROUPS_MAX,
  )) {
    const old = before.get(group) ?? unevaluatedAt(at)
    if (isEvaluated(old)) {
      groups.set(group, old)
      continue
    }
    const result = answers.get(group) ?? NO_ROWS
    const [value, { samples }] = [valueOf(definition, result), result]
    const { state, breaches } = applyAnswer(definition, old, result)
    const stateSince = state === old.state ? old.stateSince : at
    groups.set(group, { state, stateSince, breaches, lastValue: value, lastSamples: samples, lastEvaluatedAt: at })
    if (state !== old.state) changes.push({ group, to: state, value, samples })
  }
  return { groups, changes }
}

/** Those that are evaluated even without rows. */
export function neededGroups(definition: MonitorDefinition, groups: Groups): readonly string[] {
  const isEach = breachesWithoutRows(definition)
  return [...groups].flatMap(([group, { state, breaches }]) =>
    isEach || state === 'fired' || breaches > 0 ? [group] : [],
  )
}

function unevaluatedAt(at: number): MonitorStanding {
  return { state: 'normal', stateSince: at, breaches: 0, lastValue: null, lastSamples: null, lastEvaluatedAt: null }
}
