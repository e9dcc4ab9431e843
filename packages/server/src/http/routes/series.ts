import { OPERATIONS } from '@spoor/contract/operations'
import { METADATA_GROUP, METRIC_GROUPS, TRACE_GROUPS } from '@spoor/contract/schemas/series-query'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { FastifyInstance } from 'fastify'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { sendHeldJson } from '../connections/held-answer.ts'
import { queryPairs } from '../kernel/query.ts'
import { metadataFilters, queryTime } from '../kernel/query-values.ts'
import { serve } from '../kernel/route.ts'
import { toMetricSeries, toTraceSeries } from '../../wire/series-to-wire.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'

export function registerSeriesRoutes(app: FastifyInstance, { series, answers }: HttpDependencies): void {
  serve(app, OPERATIONS.getMetricSeries, async ({ projectId, params, query, request, reply }) => {
    const { name } = params
    const asked = {
      projectId,
      name,
      times: times(query),
      groupBy: groupBy(query.group_by, METRIC_GROUPS),
      filters: {
        ...toTraceFilters('events', query),
        source: query.source ?? null,
        metadata: metadataFilters(queryPairs(request.url)),
      },
    }
    return sendHeldJson(reply, answers, async () => JSON.stringify(toMetricSeries(name, await series.ofMetric(asked))))
  })

  serve(app, OPERATIONS.getTraceSeries, async ({ projectId, query, request, reply }) => {
    const { measure } = query
    const { cluster, ...filters } = toTraceFilters('series', query)
    const asked = {
      projectId,
      measure,
      times: times(query),
      groupBy: groupBy(query.group_by, TRACE_GROUPS),
      text: query.q ?? null,
      cluster,
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

function times(query: { readonly start_time?: string; readonly end_time?: string; readonly bucket?: string }) {
  return {
    startTime: queryTime('start_time', query.start_time),
    endTime: queryTime('end_time', query.end_time),
    bucket: query.bucket ?? null,
  }
}

type Group<By extends string> = { readonly by: By } | { readonly by: 'metadata'; readonly key: string }

function groupBy<By extends string>(text: string | undefined, fields: readonly By[]): Group<By> | null {
  if (text === undefined) return null
  const field = fields.find((name) => name === text)
  if (field !== undefined) return { by: field }
  const key = text.startsWith(METADATA_GROUP) ? text.slice(METADATA_GROUP.length) : ''
  if (key !== '') return { by: 'metadata', key }
  const detail = `It must be one of ${fields.join(', ')}, or ${METADATA_GROUP} and a key.`
  throw invalid({ pointer: '?group_by', code: 'invalid_value', detail })
}
