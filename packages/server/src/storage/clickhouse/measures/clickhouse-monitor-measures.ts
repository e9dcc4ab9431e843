import type { ProjectId } from '@spoor/contract/ids'
import type { MeasureResult, MeasureQuery, MonitorMeasures } from '../../../ports/monitors/monitor-measures.ts'
import { fromRows, metricRows, settingsOf, traceRows } from '../series/aggregate-rows.ts'
import type { AggregateDependencies } from '../series/clickhouse-metric-series.ts'
import { withoutDeleted } from '../series/deleted-events.ts'
import { KeptWindows, type WindowChange } from './kept-windows.ts'
import { measureOver } from './measure-over.ts'
import { planScans, scanStatement, type WindowQuery } from './measure-plan.ts'
import { readWindows } from './read-windows.ts'
import type { SlidingTimes } from './sliding-windows.ts'

/** Answers from kept windows before yielding: a percentile takes up to a millisecond. */
const ANSWERS_IN_A_TURN = 10

/**
 * Measures of monitors, over the same rows and expressions as series. One statement at a time, so that reads of clients
 * are not delayed. Windows of traces are kept between measurements (KeptWindows); windows of metrics are scanned.
 */
export class ClickHouseMonitorMeasures implements MonitorMeasures {
  readonly #dependencies: AggregateDependencies
  readonly #kept: KeptWindows
  #last: Promise<unknown> = Promise.resolve()

  /** Windows that end at multiples of `intervalMs` are kept. */
  constructor(dependencies: AggregateDependencies, intervalMs: number) {
    this.#dependencies = dependencies
    this.#kept = new KeptWindows(intervalMs)
  }

  /** MUST be called with every commit when it becomes readable. */
  note(commit: WindowChange): void {
    this.#kept.note(commit)
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
    await readWindows(this.#dependencies, projectId, [...kept])
    const scanned = questions.filter((_, at) => windows[at] === null)
    const ofScans = (await this.#scan(projectId, scanned, deleted)).values()
    const answers: MeasureResult[] = []
    for (const [at, { aggregation }] of questions.entries()) {
      answers.push(windows[at]?.answer(aggregation) ?? (ofScans.next().value as MeasureResult))
      if (answers.length % ANSWERS_IN_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    return answers
  }

  async #scan(
    projectId: ProjectId,
    questions: readonly WindowQuery[],
    deleted: string | null,
  ): Promise<MeasureResult[]> {
    const { engine } = this.#dependencies
    const answers = Array.from(questions, (): MeasureResult => ({ value: null, samples: 0 }))
    for (const scan of planScans(questions)) {
      const { rows, columns, read } = scanStatement(projectId, scan, deleted, this.#dependencies.idLeadMs())
      const [row] = await engine.select(`SELECT ${columns.join(', ')} FROM ${fromRows(rows)}${settingsOf(rows)}`)
      if (row === undefined) throw new Error('an aggregate without groups has one row')
      read(row).forEach((answer, at) => (answers[scan.positions[at] as number] = answer))
    }
    return answers
  }

  async measureOver(
    projectId: ProjectId,
    question: MeasureQuery,
    times: SlidingTimes,
  ): Promise<readonly MeasureResult[]> {
    if (times.count === 0) return []
    const { firstAt, stepMs, count, windowMs } = times
    const span = { startTime: firstAt - windowMs + 1, endTime: firstAt + (count - 1) * stepMs + 1 }
    const deleted = await this.#begin(projectId, [question])
    const { source } = question
    const rows =
      source.kind === 'metric'
        ? metricRows({ projectId, metricId: source.metricId }, [span], deleted)
        : traceRows(projectId, [span], this.#dependencies.idLeadMs())
    return measureOver(this.#dependencies.engine, rows, question, times)
  }

  /**
   * Waits until the queried rows are in the engine. Returns the condition that leaves out events of deleted traces; for
   * traces, the latest version says whether they are deleted.
   */
  async #begin(projectId: ProjectId, questions: readonly MeasureQuery[]): Promise<string | null> {
    const { engine, settled, pendingPurges } = this.#dependencies
    await settled()
    const aboutEvents = questions.some(({ source }) => source.kind === 'metric')
    return aboutEvents ? withoutDeleted(engine, pendingPurges, projectId) : null
  }
}
