import type { ProjectId } from '@spoor/contract/ids'
import { type DueTimes, dueTimes, type PassedOver } from './due-times.ts'
import { followAnswers } from './follow-answers.ts'
import type { MeasureAnswer, MonitorMeasures } from '../ports/monitors/monitor-measures.ts'
import type { LeaseEpoch } from '../ports/leases/lease-store.ts'
import type { MonitorEvaluation, MonitorStore } from '../ports/monitors/monitor-store.ts'
import type { Monitor } from '../ports/monitors/monitor.ts'
import { toQuestion } from '../ports/monitors/question.ts'
import type { CommitTransition, PrintMonitor } from './transition.ts'

export interface RoundDependencies {
  readonly store: Pick<MonitorStore, 'listEnabled' | 'recordEvaluations'>
  readonly measures: MonitorMeasures
  readonly commitTransition: CommitTransition
  readonly print: PrintMonitor
  readonly intervalMs: number
  /** Told of what could not be evaluated or written; it is tried again in the next round. */
  readonly onError: (error: unknown, message: string) => void
}

export interface RoundTime {
  /** The evaluation time. */
  readonly at: number
  readonly passedOver: PassedOver | null
  /** Under which the round is run. */
  readonly lease: LeaseEpoch
  /** Called before each group of queries: false ends the round, as if the rest had failed. */
  readonly goOn: () => Promise<boolean>
}

interface Due {
  readonly monitor: Monitor
  readonly times: DueTimes
}

/**
 * Questions asked together: an answer that fails takes this many with it, until the next round asks them one by one.
 */
const ASKED_TOGETHER = 250

/**
 * Evaluates all monitors that are due. Changes of state are committed one by one, each with its event; what only was
 * counted is written in one transaction at the end. A monitor whose evaluation or commit failed stays as it is: the
 * next round finds it with a time missed, and makes up for it.
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
  // When another has taken over meanwhile, nothing is recorded: it evaluates the same times.
  if (evaluations.length > 0) await store.recordEvaluations(evaluations, time.lease)
}

/** Those that look at the same rows side by side: asked for together, they are answered by one scan. */
function bySource(due: readonly Due[]): readonly Due[] {
  const sourceOf = ({ monitor: { definition } }: Due) =>
    definition.source.kind === 'metric' ? definition.source.metricId : 'traces'
  return [...Map.groupBy(due, sourceOf).values()].flat()
}

async function evaluateGroup(
  dependencies: RoundDependencies,
  projectId: ProjectId,
  group: readonly Due[],
): Promise<MonitorEvaluation[]> {
  const questions = group.map(({ monitor: { definition }, times: { firstAt } }) => ({
    ...toQuestion(definition),
    from: firstAt - definition.windowMs,
    until: firstAt,
  }))
  try {
    const answers = await dependencies.measures.measure(projectId, questions)
    const followed = await Promise.all(
      group.map((due, index) => follow(dependencies, due, answers.slice(index, index + 1))),
    )
    return followed.flat()
  } catch (error) {
    dependencies.onError(error, 'monitors could not be evaluated; they are tried again')
    return []
  }
}

async function catchUp(dependencies: RoundDependencies, projectId: ProjectId, due: Due): Promise<MonitorEvaluation[]> {
  const { definition } = due.monitor
  const times = { ...due.times, stepMs: dependencies.intervalMs, windowMs: definition.windowMs }
  try {
    const answers = await dependencies.measures.measureOver(projectId, toQuestion(definition), times)
    return await follow(dependencies, due, answers)
  } catch (error) {
    dependencies.onError(error, 'what a monitor missed could not be evaluated; it is tried again')
    return []
  }
}

/**
 * What is still to be written of the monitor: nothing when its last evaluation changed its state, or when a change
 * could not be committed.
 */
async function follow(
  { print, commitTransition, intervalMs, onError }: RoundDependencies,
  { monitor, times }: Due,
  answers: readonly MeasureAnswer[],
): Promise<MonitorEvaluation[]> {
  if (answers.length !== times.count) throw new Error(`${times.count} questions got ${answers.length} answers`)
  const { transitions, last } = followAnswers(monitor, { ...times, stepMs: intervalMs }, answers, print)
  try {
    for (const transition of transitions) await commitTransition(transition)
  } catch (error) {
    onError(error, 'the change of a monitor could not be committed; it is tried again')
    return []
  }
  return last === null ? [] : [last]
}
