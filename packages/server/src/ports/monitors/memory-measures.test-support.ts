import { isPercentile, PERCENTILES } from '@spoor/contract/aggregations'
import type { MetricId, ProjectId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { filterKey } from '@spoor/contract/trace-filters'
import {
  type MeasureFilters,
  type MeasureQuery,
  type MeasureResult,
  type MonitorMeasures,
  ofGroups,
  type WindowQuery,
} from './monitor-measures.ts'

/** One metric event or one trace, with what monitors read. */
export interface MeasuredRow {
  readonly at: number
  /** Of events; null: it is a trace. */
  readonly metricId?: MetricId
  /** Of events: the number, 1 and 0 for a boolean. Of traces: the number for each measure. */
  readonly value?: number
  readonly option?: string
  readonly failed?: boolean
  readonly recoveredErrors?: number
  readonly wastedTokens?: number
  readonly costUsd?: number | null
  readonly wastedCostUsd?: number | null
  readonly durationMs?: number | null
  readonly firstTokenMs?: number | null
  readonly totalTokens?: number
  readonly filterable?: Partial<Record<Exclude<keyof MeasureFilters, 'metadata'>, string | boolean>>
  readonly metadata?: Readonly<Record<string, string>>
}

/** A working fake: aggregates over arrays, row by row. */
export class MemoryMeasures implements MonitorMeasures {
  readonly #rows = new Map<ProjectId, MeasuredRow[]>()
  /** Number of calls, queries and times. */
  asked = { together: 0, questions: 0, over: 0, times: 0 }
  /** Thrown by the next answers while it is set. */
  failure: Error | null = null
  /** Answers wait for its promise. */
  delay: () => Promise<void> = async () => undefined

  add(projectId: ProjectId, ...rows: readonly MeasuredRow[]): void {
    this.#rows.set(projectId, [...(this.#rows.get(projectId) ?? []), ...rows])
  }

  async measure(projectId: ProjectId, questions: readonly WindowQuery[]): Promise<readonly MeasureResult[]> {
    this.asked.together += 1
    this.asked.questions += questions.length
    await this.delay()
    if (this.failure !== null) throw this.failure
    return questions.map((question) => this.#answer(projectId, question, question.from, question.until))
  }

  async measureOver(
    projectId: ProjectId,
    question: MeasureQuery,
    { firstAt, stepMs, count, windowMs, mostGroups }: Parameters<MonitorMeasures['measureOver']>[2],
  ): Promise<readonly MeasureResult[]> {
    this.asked.over += 1
    this.asked.times += count
    await this.delay()
    if (this.failure !== null) throw this.failure
    const times = Array.from({ length: count }, (_, index) => firstAt + index * stepMs)
    const end = firstAt + (count - 1) * stepMs
    const shown = this.#answer(projectId, question, firstAt - windowMs, end).groups?.slice(0, mostGroups)
    return times.map((time) => {
      const answer = this.#answer(projectId, question, time - windowMs, time)
      if (answer.groups === undefined) return answer
      return ofGroups(answer.groups.filter(({ group }) => shown?.some((one) => one.group === group)))
    })
  }

  #answer(projectId: ProjectId, question: MeasureQuery, from: number, until: number): MeasureResult {
    const { forEach } = question
    if (forEach === null) return this.#ofGroup(projectId, question, from, until, () => true)
    const groupOf = ({ filterable }: MeasuredRow) => filterable?.[filterKey(forEach as 'tool') as 'name']
    const groups = new Set((this.#rows.get(projectId) ?? []).map(groupOf).filter((group) => typeof group === 'string'))
    return ofGroups(
      [...groups].map((group) => {
        const isOfIt = (row: MeasuredRow) => groupOf(row) === group
        return Object.assign(this.#ofGroup(projectId, question, from, until, isOfIt), { group })
      }),
    )
  }

  #ofGroup(
    projectId: ProjectId,
    question: MeasureQuery,
    from: number,
    until: number,
    isOfGroup: (row: MeasuredRow) => boolean,
  ): MeasureResult {
    const rows = (this.#rows.get(projectId) ?? []).filter(
      (row) =>
        isOfGroup(row) && row.at > from && row.at <= until && isOf(question, row) && passes(question.filters, row),
    )
    if (question.aggregation === 'share') {
      const chosen = rows.filter(({ option }) => option === question.option)
      return { value: rows.length === 0 ? null : chosen.length / rows.length, samples: rows.length }
    }
    const numbers = rows.map((row) => numberOf(question, row)).filter((number) => number !== null)
    if (question.aggregation === 'count') return { value: numbers.length, samples: numbers.length }
    return { value: numbers.length === 0 ? null : aggregate(question, numbers), samples: numbers.length }
  }
}

export function storeIsGone(): DomainError {
  return new DomainError('storage_unavailable', 'The store is gone.')
}

function isOf({ source }: MeasureQuery, row: MeasuredRow): boolean {
  return source.kind === 'metric' ? row.metricId === source.metricId : row.metricId === undefined
}

/** `notModel` is the negation of `model`. */
function hasAny({ filterable = {} }: MeasuredRow, name: string, wanted: unknown): boolean {
  const own = /^not[A-Z]/.test(name) ? name.charAt(3).toLowerCase() + name.slice(4) : name
  const has = [wanted].flat().includes(filterable[own as keyof typeof filterable])
  return has === (own === name)
}

function passes({ metadata, ...filters }: MeasureFilters, row: MeasuredRow): boolean {
  const plain = Object.entries(filters).every(([name, wanted]) => wanted === null || hasAny(row, name, wanted))
  return (
    plain &&
    metadata.every(({ key, value }) => {
      const found = row.metadata?.[key]
      return found !== undefined && (value === null || found === value)
    })
  )
}

function numberOf({ source, aggregation }: MeasureQuery, row: MeasuredRow): number | null {
  if (source.kind === 'metric') return row.value ?? 0
  const unknownCost = aggregation === 'sum' ? 0 : null
  switch (source.measure) {
    case 'count':
      return 1
    case 'error_rate':
      return row.failed === true ? 1 : 0
    case 'recovered_errors':
      return row.recoveredErrors ?? 0
    case 'duration_ms':
      return row.durationMs ?? null
    case 'time_to_first_token_ms':
      return row.firstTokenMs ?? null
    case 'total_tokens':
      return row.totalTokens ?? 0
    case 'wasted_tokens':
      return row.wastedTokens ?? 0
    case 'cost_usd':
      return row.costUsd ?? unknownCost
    case 'wasted_cost_usd':
      return row.wastedCostUsd ?? unknownCost
  }
}

function aggregate({ aggregation }: MeasureQuery, numbers: readonly number[]): number {
  const sum = numbers.reduce((total, number) => total + number, 0)
  switch (aggregation) {
    case 'sum':
      return sum
    case 'min':
      return Math.min(...numbers)
    case 'max':
      return Math.max(...numbers)
    default:
      return isPercentile(aggregation) ? percentile(numbers, PERCENTILES[aggregation].fraction) : sum / numbers.length
  }
}

function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const rank = share * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(rank)] ?? 0, sorted[Math.ceil(rank)] ?? 0]
  return below + (above - below) * (rank % 1)
}
