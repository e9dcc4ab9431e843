import type { PartialTrace, StepBody, Trace, TraceBody, TracePatch } from './generated/api-types.ts'
import type { Call, Query } from './call.ts'
import type { Connection } from './connection.ts'
import { rowsOf } from './pages.ts'
import { tail, type TailOptions } from './tail.ts'

/** Traces. An id is the service's (`tr_…`) or the 32 hex digits of OpenTelemetry. */
export function traceRequests(call: Call, connection: Connection) {
  function get(id: string): Promise<Trace>
  function get(id: string, query: Query<'getTrace'>): Promise<PartialTrace>
  function get(id: string, query: Query<'getTrace'> = {}): Promise<PartialTrace> {
    return call('getTrace', { path: { id }, query })
  }
  return {
    /** Commits a trace: durable and readable when it resolves. Repeated attempts commit it once. */
    commit: (body: TraceBody, { idempotencyKey = crypto.randomUUID() as string } = {}) =>
      call('commitTrace', { body }, { headers: { 'idempotency-key': idempotencyKey }, repeatable: true }),
    /** A page of traces, the newest first. */
    list: (query?: Query<'listTraces'>) => call('listTraces', { query: query ?? {} }),
    /** Every trace that passes the filters, page after page. */
    all: (query?: Query<'listTraces'>) =>
      rowsOf(
        (cursor) => call('listTraces', { query: { ...query, cursor } }),
        (page) => page.traces,
      ),
    /** All of a trace, or the parts that `include` names. */
    get,
    /** Two traces, step by step. */
    compare: (left: string, right: string) => call('compareTraces', { query: { left, right } }),
    /** What failed traces have that others have not, of those that pass the filters. */
    patterns: (query?: Query<'findPatterns'>) => call('findPatterns', { query: query ?? {} }),
    /** Versions with their failure rates, each compared with the one before it. */
    versions: (query?: Query<'listVersions'>) => call('listVersions', { query: query ?? {} }),
    /** Where a run first leaves what successful runs do. */
    divergence: (id: string, query?: Query<'findDivergence'>) =>
      call('findDivergence', { path: { id }, query: query ?? {} }),
    /** Traces like this one, the most similar first. */
    similar: (id: string, query?: Query<'findSimilarTraces'>) =>
      call('findSimilarTraces', { path: { id }, query: query ?? {} }),
    /** Where the arguments of a step came from. */
    origins: (id: string, stepId: string) => call('findOrigins', { path: { id }, query: { step_id: stepId } }),
    update: (id: string, body: TracePatch) => call('patchTrace', { path: { id }, body }),
    /** With `grace_seconds` it can be restored for so long. */
    delete: (id: string, query?: Query<'deleteTrace'>) => call('deleteTrace', { path: { id }, query: query ?? {} }),
    restore: (id: string) => call('restoreTrace', { path: { id } }),
    series: (query: Query<'getTraceSeries'>) => call('getTraceSeries', { query }),
    facets: (query: Query<'getTraceFacets'>) => call('getTraceFacets', { query }),
    /** Committed traces as they come, across restarts of the service. */
    tail: (options?: TailOptions) => tail(connection, options),
  }
}

export function stepRequests(call: Call) {
  return {
    /**
     * Appends steps and answers with a result for each. A step without an idempotency key gets one, so that repeated
     * attempts append it once.
     */
    append: (id: string, steps: readonly StepBody[]) => {
      const body = steps.map((step) => ({ idempotency_key: crypto.randomUUID(), ...step }))
      return call('appendSteps', { path: { id }, body }, { as: 'ndjson', repeatable: true })
    },
    /** A page of steps of all traces, the newest first. */
    search: (query?: Query<'searchSteps'>) => call('searchSteps', { query: query ?? {} }),
    /** Every step of all traces that passes the filters, page after page. */
    searchAll: (query?: Query<'searchSteps'>) =>
      rowsOf(
        (cursor) => call('searchSteps', { query: { ...query, cursor } }),
        (page) => page.steps,
      ),
    series: (query: Query<'getStepSeries'>) => call('getStepSeries', { query }),
    facets: (query: Query<'getStepFacets'>) => call('getStepFacets', { query }),
    /** The trace of a step, by the step's id alone. */
    find: (id: string) => call('findStep', { path: { id } }),
    list: (id: string, query?: Query<'listSteps'>) => call('listSteps', { path: { id }, query: query ?? {} }),
    /** Every step of a trace in order of arrival, page after page. */
    all: (id: string, query?: Query<'listSteps'>) =>
      rowsOf(
        (cursor) => call('listSteps', { path: { id }, query: { ...query, cursor } }),
        (page) => page.steps,
      ),
  }
}
