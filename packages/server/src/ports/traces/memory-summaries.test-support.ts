import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { traceBounds } from '@spoor/contract/trace-filters'
import { durationOf } from '../../traces/rules/rollup.ts'
import { hasQueryWords, searchedWords } from '../../traces/rules/search-text.ts'
import { filterTerms, metadataFilterTerms, nameWords, traceTerms, wordTerm } from '../../traces/rules/terms.ts'
import { isWithin } from '../../traces/rules/trace-bounds.ts'
import type { TraceRecord } from './trace-record.ts'
import type { NewStep } from './trace-store.ts'
import {
  comparePlaces,
  meanDuration,
  MOST_USERS,
  type SummaryField,
  summaryKey,
  type SummaryPageQuery,
  type SummaryQuery,
  type TraceSummaryStore,
} from './trace-summaries.ts'

/** A working fake: a plain fold over the latest versions of traces and steps. */
export class MemorySummaries implements TraceSummaryStore {
  readonly #traces = new Map<TraceId, TraceRecord>()
  readonly #steps = new Map<string, NewStep>()

  add(traces: readonly TraceRecord[], steps: readonly NewStep[] = []): void {
    for (const trace of traces) {
      if ((this.#traces.get(trace.id)?.version ?? 0) <= trace.version) this.#traces.set(trace.id, trace)
    }
    for (const step of steps) {
      const place = `${step.projectId} ${step.traceId} ${step.position}`
      if ((this.#steps.get(place)?.version ?? 0) <= step.version) this.#steps.set(place, step)
    }
  }

  /** Of any project. */
  get lastTraceId(): TraceId | null {
    return [...this.#traces.keys()].sort().at(-1) ?? null
  }

  async findSummaries(query: SummaryPageQuery) {
    const { by, sort, order, after, limit, prices } = query
    const found = [...this.#grouped(query)].map(([value, traces]) => {
      const sum = (of: (trace: TraceRecord) => number) => traces.reduce((all, trace) => all + of(trace), 0)
      const users = [...new Set(traces.flatMap(({ userId }) => userId ?? []))]
      users.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      const sessions = new Set(traces.flatMap(({ sessionId }) => sessionId ?? []))
      const summary = {
        value,
        firstAt: Math.min(...traces.map(({ createdAt }) => createdAt)),
        lastAt: Math.max(...traces.map(({ createdAt }) => createdAt)),
        traceCount: traces.length,
        stepCount: sum(({ stepCount }) => stepCount),
        errorCount: sum(({ status }) => (status === 'error' ? 1 : 0)),
        tokenUsage: {
          input: sum(({ tokenUsage }) => tokenUsage.input),
          output: sum(({ tokenUsage }) => tokenUsage.output),
          cacheRead: sum(({ tokenUsage }) => tokenUsage.cacheRead),
          cacheWrite: sum(({ tokenUsage }) => tokenUsage.cacheWrite),
          reasoning: sum(({ tokenUsage }) => tokenUsage.reasoning),
        },
        costKey: prices.costKey(traces.flatMap(({ digest }) => digest.usage ?? [])),
        meanDurationMs: meanDuration(
          sum((trace) => durationOf(trace) ?? 0),
          sum((trace) => (durationOf(trace) === null ? 0 : 1)),
        ),
        userIds: by === 'session_id' ? users.slice(0, MOST_USERS) : [],
        sessionCount: by === 'user_id' ? sessions.size : 0,
      }
      return Object.assign(summary, { key: summaryKey(summary, sort) })
    })
    const behind = found.filter((each) => after === null || comparePlaces(each, after, order) > 0)
    return behind.sort((a, b) => comparePlaces(a, b, order)).slice(0, limit)
  }

  #stepsOf({ projectId, id }: { readonly projectId: ProjectId; readonly id: TraceId }): readonly NewStep[] {
    return [...this.#steps.values()].filter((step) => step.projectId === projectId && step.traceId === id)
  }

  /** The passing traces of each session or user, by their ids. */
  #grouped(query: SummaryQuery): Map<string, TraceRecord[]> {
    const grouped = new Map<string, TraceRecord[]>()
    const passing = [...this.#traces.values()].filter((trace) => this.#passes(trace, query))
    for (const trace of passing.sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const value = idOf(trace, query.by)
      if (value !== null) grouped.set(value, [...(grouped.get(value) ?? []), trace])
    }
    return grouped
  }

  #passes(trace: TraceRecord, query: SummaryQuery): boolean {
    const { filters, words, among, startTime, endTime, throughId } = query
    if (trace.projectId !== query.projectId || trace.deleted || trace.id > throughId) return false
    if (trace.createdAt < (startTime ?? -Infinity) || trace.createdAt >= (endTime ?? Infinity)) return false
    if (among?.includes(trace.id) === false) return false
    if (!isWithin(trace, { bounds: traceBounds(filters), rates: query.rates })) return false
    const terms = new Set([...traceTerms(trace), ...nameWords(trace.name)])
    const { groups, none } = filterTerms(filters)
    if (!groups.every((group) => group.some((term) => terms.has(term)))) return false
    if (none.some((term) => terms.has(term))) return false
    for (const { key, value } of filters.metadata) {
      if (!metadataFilterTerms(key, value).some((term) => terms.has(term))) return false
    }
    if (words === null || hasQueryWords(terms, words.map(wordTerm))) return true
    return this.#stepsOf(trace).some(({ prepared }) => hasQueryWords(searchedWords(prepared), words))
  }
}

function idOf(trace: TraceRecord, by: SummaryField): string | null {
  return by === 'session_id' ? trace.sessionId : trace.userId
}
