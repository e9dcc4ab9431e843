import { OPERATIONS } from '@spoor/contract/operations'
import { isMetadataField, type MetadataField, metadataKey } from '@spoor/contract/schemas/traces/metadata-field'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import { queryPairs } from '../../kernel/query.ts'
import { metadataFilters } from '../../kernel/query-values.ts'
import { serve } from '../../kernel/route.ts'
import { toMetricSeries, toStepSeries, toTraceSeries } from '../../../wire/series-to-wire.ts'
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

  serve(app, OPERATIONS.getStepSeries, async ({ projectId, query, request, reply }) => {
    const { measure, group_by, start_time: _from, end_time: _to, ...filters } = query
    const { startTime: _start, endTime: _end, ...found } = toFeedFilters(filters, queryPairs(request.url))
    const asked = { ...found, projectId, measure, times: times(query), groupBy: group_by ?? null }
    return sendHeldJson(reply, answers, async () => JSON.stringify(toStepSeries(measure, await series.ofSteps(asked))))
  })

  serve(app, OPERATIONS.getTraceSeries, async ({ projectId, query, request, reply }) => {
    const { measure } = query
    const { cluster, withoutMetric, metric, passed, minValue, maxValue, option, ...filters } = toTraceFilters(
      'series',
      query,
    )
    const asked = {
      projectId,
      measure,
      times: times(query),
      groupBy: groupBy(query.group_by),
      text: query.q ?? null,
      cluster,
      withoutMetric,
      scores: { metric, passed, minValue, maxValue, option },
      filters: {
        ...filters,
        metadata: metadataFilters(queryPairs(request.url)),
      },
    }
    return sendHeldJson(reply, answers, async () =>
      JSON.stringify(toTraceSeries(measure, await series.ofTraces(asked))),
    )
  })
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
