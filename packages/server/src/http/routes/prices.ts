import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance } from 'fastify'
import { toPrice } from '../../wire/to-wire.ts'
import { sendHeldJson } from '../connections/held-answer.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { serve } from '../kernel/route.ts'

export function registerPriceRoutes(app: FastifyInstance, { prices, answers }: HttpDependencies): void {
  serve(app, OPERATIONS.listPrices, async ({ projectId, query, page, reply }) =>
    sendHeldJson(reply, answers, async () => {
      const { items, nextCursor } = await prices.list({ projectId, model: query.model ?? null, ...page })
      return JSON.stringify({ prices: items.map(toPrice), next_cursor: nextCursor })
    }),
  )

  serve(app, OPERATIONS.putPrice, async ({ projectId, params, body, reply }) => {
    const price = await prices.set(projectId, params.model, {
      input: body.input_usd_per_million,
      output: body.output_usd_per_million,
      cacheRead: body.cache_read_usd_per_million ?? null,
      cacheWrite: body.cache_write_usd_per_million ?? null,
    })
    return reply.send(toPrice(price))
  })

  serve(app, OPERATIONS.deletePrice, async ({ projectId, params, reply }) => {
    await prices.remove(projectId, params.model)
    return reply.code(204).send()
  })
}
