import type { ProjectId } from '@spoor/contract/ids'
import { isInvalid } from '../lib/validation/validation-failed.ts'
import { type DueTimes, dueTimes, type PassedOver } from './due-times.ts'
import { neededGroups } from './evaluate-groups.ts'
import { followAnswers } from './follow-answers.ts'
import type { MeasureResult, MonitorMeasures } from '../ports/monitors/monitor-measures.ts'
import type { LeaseEpoch } from '../ports/leases/lease-store.ts'
import type { MonitorEvaluation, MonitorStore } from '../ports/monitors/monitor-store.ts'
import type { Monitor } from '../ports/monitors/monitor.ts'
import { toMeasureQuery } from '../ports/monitors/measure-query.ts'
import type { CommitTransition, PrintMonitor } from './transition.ts'

export interface RoundDependencies {
  readonly store: Pick<MonitorStore, 'listEnabled' | 'recordEvaluations'>
  readonly measures: MonitorMeasures
  readonly commitTransition: CommitTransition
  readonly print: PrintMonitor
  readonly intervalMs: number
  /** Called with what could not be evaluated or written; the next round retries it. */
  readonly onError: (error: unknown, message: string) => void
}

export interface RoundTime {
  /** The evaluation time. */
  readonly at: number
  readonly passedOver: PassedOver | null
  /** The lease under which the round runs. */
  readonly lease: LeaseEpoch
  /** Called before each group of queries: false ends the round, as if the rest had failed. */
  readonly goOn: () => Promise<boolean>
}

interface Due {
  readonly monitor: Monitor
  readonly times: DueTimes
}

/** Queries sent together. A failed answer affects all of them, until the next round sends them one by one. */
const ASKED_TOGETHER = 250

/**
 * Evaluates all monitors that are due. State changes are committed one by one, each with its event; updated counts are
 * written in one transaction at the end. A monitor whose evaluation or commit failed stays as it is: the next round
 * finds its missed time and catches up.
 */
export async function evaluateRound(dependencies: RoundDependencies, time: RoundTime): Promise<void> {
  const { store, intervalMs } = dependencies
  const due: Due[] = []
  for (const monitor of await store.listEnabled()) {
    const last = monitor.standing.lastEvaluatedAt ?? monitor.updatedAt
    const times = dueTimes(last, time.at, intervalMs, time.passedOver)
    if (times !== null) due.push({ monitor, times })
  }
  const evaluations: MonitorEvaluation[] = []
  for (const [projectId, ofProject] of Map.groupBy(due, ({ monitor }) => monitor.projectId)) {
    const [latest, behind] = [
      bySource(ofProject.filter(({ times }) => times.count === 1)),
      ofProject.filter(({ times }) => times.count > 1),
    ]
    for (let from = 0; from < latest.length; from += ASKED_TOGETHER) {
      if (!(await time.goOn())) break
      const group = latest.slice(from, from + ASKED_TOGETHER)
      evaluations.push(...(await evaluateGroup(dependencies, projectId, group)))
    }
    for (const one of behind) {
      if (!(await time.goOn())) break
      evaluations.push(...(await catchUp(dependencies, projectId, one)))
    }
  }
  // If another service has taken over meanwhile, nothing is recorded: it evaluates the same times.
  if (evaluations.length > 0) await store.recordEvaluations(evaluations, time.lease)
}

/** Monitors that read the same rows, side by side: sent together, one scan answers them. */
function bySource(due: readonly Due[]): readonly Due[] {
  const sourceOf = ({ monitor: { definition } }: Due) => {
    const { source, forEach } = definition
    return `${source.kind === 'metric' ? source.metricId : source.kind} ${forEach}`
  }
  return [...Map.groupBy(due, sourceOf).values()].flat()
}

async function evaluateGroup(
  dependencies: RoundDependencies,
  projectId: ProjectId,
  group: readonly Due[],
): Promise<MonitorEvaluation[]> {
  const questions = group.map(({ monitor: { definition, groups }, times: { firstAt } }) => ({
    ...toMeasureQuery(definition),
    from: firstAt - definition.windowMs,
    until: firstAt,
    needed: neededGroups(definition, groups),
  }))
  try {
    const answers = await dependencies.measures.measure(projectId, questions)
    const followed = await Promise.all(
      group.map((due, index) => follow(dependencies, due, answers.slice(index, index + 1))),
    )
    return followed.flat()
  } catch (error) {
    // One whose clusters have too many traces does not stop the others.
    const half = isInvalid(error) ? group.length >> 1 : 0
    if (half > 0) {
      const before = await evaluateGroup(dependencies, projectId, group.slice(0, half))
      return [...before, ...(await evaluateGroup(dependencies, projectId, group.slice(half)))]
    }
    dependencies.onError(error, 'monitors could not be evaluated; the next round tries again')
    return []
  }
}

async function catchUp(dependencies: RoundDependencies, projectId: ProjectId, due: Due): Promise<MonitorEvaluation[]> {
  const { definition } = due.monitor
  const { firstAt, count } = due.times
  const times = { ...due.times, stepMs: dependencies.intervalMs, windowMs: definition.windowMs }
  try {
    const answers = await dependencies.measures.measureOver(projectId, toMeasureQuery(definition), times)
    return await follow(dependencies, due, answers)
  } catch (error) {
    // A cluster with too many traces in all missed windows may have few enough in one.
    if (count > 1 && isInvalid(error)) {
      const newest = { firstAt: firstAt + (count - 1) * dependencies.intervalMs, count: 1 }
      return catchUp(dependencies, projectId, { ...due, times: newest })
    }
    dependencies.onError(error, 'missed evaluations of a monitor failed; the next round tries again')
    return []
  }
}

/**
 * What remains to be written of the monitor: nothing if its last evaluation changed its state, or if a change could not
 * be committed.
 */
async function follow(
  { print, commitTransition, intervalMs, onError }: RoundDependencies,
  { monitor, times }: Due,
  answers: readonly MeasureResult[],
): Promise<MonitorEvaluation[]> {
  if (answers.length !== times.count) throw new Error(`${times.count} queries got ${answers.length} answers`)
  const { transitions, last } = followAnswers(monitor, { ...times, stepMs: intervalMs }, answers, print)
  try {
    for (const transition of transitions) await commitTransition(transition)
  } catch (error) {
    onError(error, 'the state change of a monitor could not be committed; the next round tries again')
    return []
  }
  return last === null ? [] : [last]
}
