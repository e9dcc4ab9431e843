import { MONITOR_PREVIEW_GROUPS_MAX, MONITOR_PREVIEW_MAX } from '@spoor/contract/limits'
import type { ProjectId } from '@spoor/contract/ids'
import type { Clock } from '../lib/time/clock.ts'
import type { DomainError } from '../lib/domain-error.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import { checkDefinition } from './check-definition.ts'
import type { DefinitionChecks } from './metric-lookup.ts'
import { evaluateGroups } from './evaluate-groups.ts'
import { applyAnswer, type MonitorTally, valueOf } from './monitor-machine.ts'
import type { MeasureResult, MonitorMeasures } from '../ports/monitors/monitor-measures.ts'
import { toMeasureQuery } from '../ports/monitors/measure-query.ts'
import type { Groups, MonitorDefinition } from '../ports/monitors/monitor.ts'
import type { Preview, PreviewEvaluation, PreviewRequest, PreviewTransition } from './use-cases.ts'

export interface PreviewDependencies extends DefinitionChecks {
  readonly measures: Pick<MonitorMeasures, 'measureOver'>
  readonly clock: Clock
  readonly intervalMs: number
}

const DAY_MS = 24 * 3600 * 1000

/** The changes of state that the monitor would have had between two times, by the machine that evaluates it later. */
export async function previewMonitor(
  dependencies: PreviewDependencies,
  projectId: ProjectId,
  { draft, startTime, endTime }: PreviewRequest,
): Promise<Preview> {
  const { measures, clock, intervalMs } = dependencies
  const definition = await checkDefinition(dependencies, projectId, draft)
  const times = timesBetween(startTime, endTime, clock.now(), intervalMs)
  const question = toMeasureQuery(definition)
  const answers =
    times.count === 0
      ? []
      : await measures.measureOver(projectId, question, {
          ...times,
          windowMs: definition.windowMs,
          mostGroups: MONITOR_PREVIEW_GROUPS_MAX,
        })
  const evaluate = definition.forEach === null ? evaluateWhole : evaluateEach
  return { ...evaluate(definition, times, answers), stepMs: times.stepMs }
}

type Evaluate = (
  definition: MonitorDefinition,
  times: { readonly firstAt: number; readonly stepMs: number },
  answers: readonly MeasureResult[],
) => Omit<Preview, 'stepMs'>

const evaluateWhole: Evaluate = (definition, { firstAt, stepMs }, answers) => {
  let tally: MonitorTally = { state: 'normal', breaches: 0 }
  const evaluations: PreviewEvaluation[] = []
  const transitions: PreviewTransition[] = []
  answers.forEach((answer, index) => {
    const place = { at: firstAt + index * stepMs, group: null }
    const value = valueOf(definition, answer)
    const next = applyAnswer(definition, tally, answer)
    if (next.state !== tally.state) transitions.push({ ...place, to: next.state, value })
    evaluations.push({ ...place, value, samples: answer.samples, state: next.state })
    tally = next
  })
  return { evaluations, transitions }
}

const evaluateEach: Evaluate = (definition, { firstAt, stepMs }, answers) => {
  let groups: Groups = new Map()
  const evaluations: PreviewEvaluation[] = []
  const transitions: PreviewTransition[] = []
  answers.forEach((answer, index) => {
    const at = firstAt + index * stepMs
    const evaluated = evaluateGroups(definition, groups, answer, at)
    groups = evaluated.groups
    for (const { group, to, value } of evaluated.changes) transitions.push({ at, group, to, value })
    for (const [group, { state, lastValue: value, lastSamples }] of groups)
      evaluations.push({ at, group, value, samples: lastSamples ?? 0, state })
  })
  return { evaluations, transitions }
}

/** Times at which a monitor is evaluated, or every n-th of them. */
function timesBetween(startTime: number | null, endTime: number | null, now: number, intervalMs: number) {
  const end = endTime ?? now
  const start = startTime ?? end - DAY_MS
  if (end > now) throw outside('/end_time', 'It must not be in the future.')
  if (start >= end) throw outside('/start_time', 'It must be before the end.')
  const stepMs = intervalMs * Math.max(1, Math.ceil((end - start) / intervalMs / MONITOR_PREVIEW_MAX))
  const firstAt = Math.ceil(start / stepMs) * stepMs
  const count = Math.min(MONITOR_PREVIEW_MAX, Math.max(0, Math.floor((end - firstAt) / stepMs) + 1))
  return { firstAt, stepMs, count }
}

function outside(pointer: string, detail: string): DomainError {
  return invalid({ pointer, code: 'out_of_range', detail })
}
