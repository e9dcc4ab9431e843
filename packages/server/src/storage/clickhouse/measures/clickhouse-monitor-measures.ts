import type { ProjectId } from '@spoor/contract/ids'
import { dependOnMoreThanRows } from '@spoor/contract/trace-filters'
import type { ProjectFilter } from '../../../ports/traces/trace-store.ts'
import type { TimeSpan } from '../../../lib/time/time-buckets.ts'
import {
  type GroupResult,
  type MeasureFilters,
  type MeasureQuery,
  type MeasureResult,
  type MeasureSource,
  type MeasureTimes,
  type MonitorMeasures,
  ofGroups as toGroupsResult,
  type WindowQuery,
} from '../../../ports/monitors/monitor-measures.ts'
import { integer } from '../engine/literal.ts'
import { type AggregateRows, fromRows, settingsOf } from '../series/aggregate-rows.ts'
import { withoutDeleted } from '../series/deleted-events.ts'
import { KeptWindows, type WindowChange } from './kept-windows.ts'
import { measuredGroups } from './measure-expressions.ts'
import { measureGroupsOver, measureOver } from './measure-over.ts'
import { type LookUpDependencies, toLookedUp, withGroup } from './looked-up-rows.ts'
import type { RowField } from '../series/series-groups.ts'
import { planScans, rowsOf, scanColumns, spanOf } from './measure-plan.ts'
import { withCost } from './priced-rows.ts'
import { MOST_GROUPS_OF_BUCKET, readWindows } from './read-windows.ts'

/** Answers from kept windows before yielding: a percentile takes up to a millisecond. */
const ANSWERS_IN_A_TURN = 10

/**
 * Measures of monitors, over the same rows and expressions as series. One statement at a time, so that reads of clients
 * are not delayed. Windows of traces and steps are kept between measurements (KeptWindows). Windows of
 * metrics, those of costs, and those with filters or groups by clusters, metric events or costs, are scanned.
 */
export class ClickHouseMonitorMeasures implements MonitorMeasures {
  readonly #dependencies: LookUpDependencies
  readonly #kept: KeptWindows
  #last: Promise<unknown> = Promise.resolve()

  /** Windows that end at multiples of `intervalMs` are kept. */
  constructor(dependencies: LookUpDependencies, intervalMs: number) {
    this.#dependencies = dependencies
    this.#kept = new KeptWindows(intervalMs)
  }

  /** MUST be called with every commit when it becomes readable. */
  note(commit: WindowChange): void {
    this.#kept.note(commit)
  }

  forget(isOf: ProjectFilter): void {
    this.#kept.forget(isOf)
  }

  /** One call after the other. */
  async measure(projectId: ProjectId, questions: readonly WindowQuery[]): Promise<readonly MeasureResult[]> {
    const answers = this.#last.then(() => this.#measure(projectId, questions))
    this.#last = Promise.allSettled([answers])
    return answers
  }

  async #measure(projectId: ProjectId, questions: readonly WindowQuery[]): Promise<readonly MeasureResult[]> {
    const windows = await this.#kept.begin(projectId, questions)
    const deleted = await this.#begin(projectId, questions)
    const kept = new Set(windows.filter((window) => window !== null))
    await readWindows(this.#dependencies, projectId, [...kept], deleted.steps)
    const scanned = questions.filter((_, at) => windows[at] === null)
    const ofScans = (await this.#scan(projectId, scanned, deleted)).values()
    const answers: MeasureResult[] = []
    for (const [at, { aggregation, needed }] of questions.entries()) {
      answers.push(windows[at]?.result(aggregation, needed) ?? (ofScans.next().value as MeasureResult))
      if (answers.length % ANSWERS_IN_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    return answers
  }

  async #scan(projectId: ProjectId, questions: readonly WindowQuery[], deleted: Deleted): Promise<MeasureResult[]> {
    const { engine } = this.#dependencies
    const answers = Array.from(questions, (): MeasureResult => ({ value: null, samples: 0 }))
    for (const { questions: planned, positions } of planScans(questions)) {
      const found = await this.#rowsOf(projectId, planned[0] as WindowQuery, spanOf(planned), deleted)
      const { rows, filters } = found
      const together = filters === null ? planned : planned.map((question) => Object.assign({}, question, { filters }))
      const { columns, read } = scanColumns(together, rows)
      const first = together[0] as WindowQuery
      if (found.group === null) {
        const [row] = await engine.select(`SELECT ${columns.join(', ')} FROM ${fromRows(rows)}${settingsOf(rows)}`)
        if (row === undefined) throw new Error('an aggregate without groups has one row')
        read(row).forEach((answer, at) => (answers[positions[at] as number] = answer))
        continue
      }
      const { expression, from, toLabel } = measuredGroups(first, rows, found.group)
      const values = await engine.select(
        `SELECT toString(${expression}) AS g, ${columns.join(', ')} FROM ${from} GROUP BY g ORDER BY count() DESC, g ` +
          `LIMIT ${integer(MOST_GROUPS_OF_BUCKET)}${settingsOf(rows)}`,
      )
      const ofGroups = together.map((): GroupResult[] => [])
      for (const [stored, ...numbers] of values) {
        const group = toLabel(stored as string)
        if (group !== null) read(numbers).forEach((answer, at) => ofGroups[at]?.push({ ...answer, group }))
      }
      ofGroups.forEach((groups, at) => (answers[positions[at] as number] = toGroupsResult(groups)))
    }
    return answers
  }

  async measureOver(
    projectId: ProjectId,
    question: MeasureQuery,
    times: MeasureTimes,
  ): Promise<readonly MeasureResult[]> {
    if (times.count === 0) return []
    const { firstAt, stepMs, count, windowMs } = times
    const span = { startTime: firstAt - windowMs + 1, endTime: firstAt + (count - 1) * stepMs + 1 }
    const deleted = await this.#begin(projectId, [question])
    const { rows, filters, group } = await this.#rowsOf(projectId, question, span, deleted)
    const narrowed = filters === null ? question : { ...question, filters }
    return group === null
      ? measureOver(this.#dependencies.engine, rows, narrowed, times)
      : measureGroupsOver(this.#dependencies.engine, rows, narrowed, group, times)
  }

  /** The rows of a query, what groups them, and the filters that remain to be applied; null: all of the query. */
  async #rowsOf(projectId: ProjectId, question: MeasureQuery, span: TimeSpan, deleted: Deleted): Promise<RowsToScan> {
    const rows = rowsOf(question, projectId, [span], {
      deleted: question.source.kind === 'steps' ? deleted.steps : deleted.events,
      idLeadMs: this.#dependencies.idLeadMs(),
    })
    const found = dependOnMoreThanRows(question.filters)
      ? await toLookedUp(this.#dependencies, projectId, question, rows, span)
      : { rows, filters: null }
    const { rows: grouped, group } = await withGroup(this.#dependencies, projectId, question, found.rows, span)
    const priced = await withCost(this.#dependencies, projectId, question, grouped, span)
    return { filters: found.filters, rows: priced, group }
  }

  /**
   * Waits until the queried rows are in the engine. Returns the conditions that leave out events and steps of deleted
   * traces; for traces, the latest version says whether they are deleted.
   */
  async #begin(projectId: ProjectId, questions: readonly MeasureQuery[]): Promise<Deleted> {
    await this.#dependencies.settled()
    const isAbout = (kind: MeasureSource['kind']) => questions.some(({ source }) => source.kind === kind)
    return {
      events: isAbout('metric') ? await withoutDeleted(this.#dependencies, projectId) : null,
      steps: isAbout('steps') ? await withoutDeleted(this.#dependencies, projectId, 'steps') : null,
    }
  }
}

interface RowsToScan {
  readonly rows: AggregateRows
  readonly filters: MeasureFilters | null
  readonly group: RowField | null
}

/** Conditions on rows; null if no deleted trace has rows. */
interface Deleted {
  readonly events: string | null
  readonly steps: string | null
}
