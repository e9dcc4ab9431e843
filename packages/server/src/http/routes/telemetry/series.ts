import { OPERATIONS } from '@spoor/contract/operations'
import { isMetadataField, type MetadataField, metadataKey } from '@spoor/contract/schemas/traces/metadata-field'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { ProjectId } from '@spoor/contract/ids'
import type { TraceSeriesQuery } from '@spoor/contract/schemas/series-query'
import type { SeriesFieldText, SeriesRows } from '@spoor/contract/series-fields'
import type { FastifyInstance } from 'fastify'
import { KEPT_GROUPS, KEPT_MEASURES } from '../../../ports/traces/trace-series.ts'
import type { WithTimes } from '../../kernel/request-times.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import { queryPairs } from '../../kernel/query.ts'
import { metadataFilters } from '../../kernel/query-values.ts'
import { serve } from '../../kernel/route.ts'
import { toExploredSeries, toMetricSeries, toTraceSeries } from '../../../wire/series-to-wire.ts'
import { toFeedFilters } from './feed-filters.ts'

export function registerSeriesRoutes(app: FastifyInstance, { series, answers }: HttpDependencies): void {
  serve(app, OPERATIONS.getMetricSeries, async ({ projectId, params, query, request, reply }) => {
    const { name } = params
    const asked = {
      projectId,
      name,
      times: times(query),
      groupBy: groupBy(query.group_by),
      filters: {
        ...toTraceFilters('events', query),
        source: query.source ?? null,
        metadata: metadataFilters(queryPairs(request.url)),
      },
    }
    return sendHeldJson(reply, answers, async () => JSON.stringify(toMetricSeries(name, await series.ofMetric(asked))))
  })

  const explore = async (rows: SeriesRows, projectId: ProjectId, query: SeriesQuery, pairs: URLSearchParams) => {
    const { measure, stat, group_by, order, limit, compare, start_time: _from, end_time: _to, ...filters } = query
    const { startTime: _start, endTime: _end, ...found } = toFeedFilters(filters, pairs)
    const explored = await series.explore({
      ...found,
      projectId,
      rows,
      measure,
      stat: stat ?? null,
      groupBy: fieldsOf(group_by),
      order: order ?? null,
      limit: limit ?? null,
      comparesPrevious: compare !== undefined,
      times: times(query),
    })
    return JSON.stringify(toExploredSeries(measure, explored))
  }

  serve(app, OPERATIONS.getStepSeries, async ({ projectId, query, request, reply }) =>
    sendHeldJson(reply, answers, () => explore('steps', projectId, query, queryPairs(request.url))),
  )

  serve(app, OPERATIONS.getTraceSeries, async ({ projectId, query, request, reply }) => {
    const pairs = queryPairs(request.url)
    const kept = toKept(query)
    if (kept === null) return sendHeldJson(reply, answers, () => explore('traces', projectId, query, pairs))
    const { cluster, withoutMetric, metric, passed, minValue, maxValue, option, ...filters } = toTraceFilters(
      'series',
      query,
    )
    const asked = {
      ...kept,
      projectId,
      times: times(query),
      text: query.q ?? null,
      cluster,
      withoutMetric,
      scores: { metric, passed, minValue, maxValue, option },
      filters: { ...filters, metadata: metadataFilters(pairs) },
    }
    return sendHeldJson(reply, answers, async () =>
      JSON.stringify(toTraceSeries(kept.measure, await series.ofTraces(asked))),
    )
  })
}

type SeriesQuery = WithTimes<typeof TraceSeriesQuery>

/** The measure and field of a series whose buckets are kept; null for any other. */
function toKept({ measure, stat, group_by, order, limit, compare }: SeriesQuery) {
  const [first, second] = fieldsOf(group_by)
  const isPlain = [stat, order, limit, compare, second].every((given) => given === undefined)
  if (!isPlain || !isOneOf(KEPT_MEASURES, measure)) return null
  if (first === undefined) return { measure, groupBy: null }
  if (isMetadataField(first)) return { measure, groupBy: { by: 'metadata' as const, key: metadataKey(first) } }
  return isOneOf(KEPT_GROUPS, first) ? { measure, groupBy: { by: first } } : null
}

function isOneOf<Text extends string>(texts: readonly Text[], text: string): text is Text {
  return (texts as readonly string[]).includes(text)
}

function fieldsOf(given: SeriesQuery['group_by']): readonly SeriesFieldText[] {
  return given === undefined ? [] : typeof given === 'string' ? [given] : given
}

interface TimesQuery {
  readonly start_time?: number
  readonly end_time?: number
  readonly bucket?: string
  readonly tz?: string
}

function times({ start_time, end_time, bucket, tz }: TimesQuery) {
  return { startTime: start_time ?? null, endTime: end_time ?? null, bucket: bucket ?? null, zone: tz ?? null }
}

type Group<By extends string> = { readonly by: By } | { readonly by: 'metadata'; readonly key: string }

function groupBy<By extends string>(field: By | MetadataField | undefined): Group<By> | null {
  if (field === undefined) return null
  return isMetadataField(field) ? { by: 'metadata', key: metadataKey(field) } : { by: field }
}
