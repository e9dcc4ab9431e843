import { isId, type ProjectId, type TraceId } from '@spoor/contract/ids'
import type { PageRequest } from '../../lib/list-page.ts'
import { encodeFields, fingerprint, invalidCursor, isCount, readFields, requireQuery } from '../../lib/cursor-fields.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type { FoundStep, PlaceInList, StepInList, StepListStore, StepSort } from '../../ports/traces/step-list.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'
import type { FilteredRequest } from '../use-cases.ts'
import { type FilterDependencies, lookUpFilters } from './list-summaries.ts'

interface StepSearchRequest extends FilteredRequest, PageRequest {
  readonly sort: StepSort
  readonly order: 'asc' | 'desc'
}

export interface StepOfTrace extends FoundStep {
  readonly traceName: string
}

interface StepSearchPage {
  readonly steps: readonly StepOfTrace[]
  readonly nextCursor: string | null
}

export interface StepSearchDependencies extends FilterDependencies {
  readonly store: StepListStore
  readonly traces: Pick<TraceReads, 'findTraces'>
}

/**
 * Steps of all traces. Throws DomainError `validation_failed`, `invalid_cursor`, `cursor_expired`,
 * `full_text_disabled`.
 */
export type SearchSteps = (request: StepSearchRequest) => Promise<StepSearchPage>

/** A page ends early when the bodies of its steps exceed this, bytes. */
const PAGE_BYTES = 2 * 1024 * 1024

export function searchStepsBy(dependencies: StepSearchDependencies): SearchSteps {
  return async (request) => {
    const { projectId, sort, order, limit, cursor } = request
    const walk = cursor === null ? null : decodeCursor(cursor, request)
    const found = await lookUpFilters(dependencies, request, walk?.throughId ?? null)
    if (found === null) return { steps: [], nextCursor: null }
    const rates = found.rates ?? (sort === 'cost_usd' ? await dependencies.ratesOf(projectId) : null)
    const prices = sort === 'cost_usd' ? (rates?.fingerprint ?? null) : null
    if (walk !== null && walk.prices !== prices)
      throw new DomainError('cursor_expired', 'A walk by cost ends when a price of the project changes.')
    const query = { ...found, rates, sort, order, after: walk?.after ?? null, limit: limit + 1 }
    const places = await dependencies.store.findPlaces(query)
    const read = await dependencies.store.readSteps(projectId, places.slice(0, limit), PAGE_BYTES)
    const page = places.slice(0, read.placeCount)
    const last = page.at(-1)
    const more = places.length > page.length && last !== undefined
    return {
      steps: await inOrder(dependencies, projectId, page, read.steps),
      nextCursor: more ? encodeCursor({ throughId: found.throughId, after: last, prices }, request) : null,
    }
  }
}

/** In the order of the places, with the names of their traces. Steps of traces that are gone meanwhile are left out. */
async function inOrder(
  { traces, watermark }: StepSearchDependencies,
  projectId: ProjectId,
  places: readonly PlaceInList[],
  found: readonly FoundStep[],
): Promise<readonly StepOfTrace[]> {
  const steps = new Map(found.map((one) => [`${one.traceId} ${one.step.position}`, one]))
  const ids = [...new Set(places.flatMap((place) => (place.traceName === null ? [place.traceId] : [])))]
  const newest = await traces.findTraces(projectId, ids, watermark().version)
  const names = new Map(newest.filter(({ deleted }) => !deleted).map(({ id, name }) => [id, name]))
  return places.flatMap(({ traceId, position, ...place }) => {
    const step = steps.get(`${traceId} ${position}`)
    const traceName = place.traceName ?? names.get(traceId)
    return step === undefined || traceName === undefined ? [] : [{ ...step, traceName }]
  })
}

interface Walk {
  /** The last trace when the walk began. */
  readonly throughId: TraceId
  readonly after: StepInList
  /** Of a walk by cost the fingerprint of the prices, with which it ends; else null. */
  readonly prices: string | null
}

function encodeCursor({ throughId, after, prices }: Walk, request: StepSearchRequest): string {
  const { traceId, position, key } = after
  return encodeFields([throughId, traceId, position, key, fingerprint(request), prices])
}

function decodeCursor(text: string, request: StepSearchRequest): Walk {
  const [throughId, traceId, position, key, print, prices] = readFields(text)
  if (!isId('tr', throughId) || !isId('tr', traceId) || !isCount(position)) throw invalidCursor()
  if (!Number.isSafeInteger(key) || (prices !== null && typeof prices !== 'string')) throw invalidCursor()
  requireQuery(print, request)
  return { throughId, after: { traceId, position, key: key as number }, prices }
}
