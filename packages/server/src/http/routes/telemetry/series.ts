import { OPERATIONS } from '@spoor/contract/operations'
import { isMetadataField, type MetadataField, metadataKey } from '@spoor/contract/schemas/traces/metadata-field'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { ProjectId } from '@spoor/contract/ids'
import type { TraceSeriesQuery } from '@spoor/contract/schemas/series-query'
import type { SeriesFieldText, SeriesRows } from '@spoor/contract/series-fields'
import type { FastifyInstance } from 'fastify'
import type { WithTimes } from '../../kernel/request-times.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import { queryPairs } from '../../kernel/query.ts'
import { metadataFilters } from '../../kernel/query-values.ts'
import { serve } from '../../kernel/route.ts'
import { toExploredSeries, toMetricSeries } from '../../../wire/series-to-wire.ts'
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

  serve(app, OPERATIONS.getTraceSeries, async ({ projectId, query, request, reply }) =>
    sendHeldJson(reply, answers, () => explore('traces', projectId, query, queryPairs(request.url))),
  )
}

type SeriesQuery = WithTimes<typeof TraceSeriesQuery>

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
