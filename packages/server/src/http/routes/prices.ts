import { NAME_LENGTH } from '@spoor/contract/limits'
import { OPERATIONS } from '@spoor/contract/operations'
import { PriceBody, PriceQuery } from '@spoor/contract/schemas/price'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { principalOf } from '../access/authentication.ts'
import { controlBodyRules } from '../bodies/body-rules.ts'
import { readControlBody } from '../bodies/control-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { sendHeldJson } from '../connections/held-answer.ts'
import { compileQuery } from '../kernel/query.ts'
import { pageLimit } from '../kernel/query-values.ts'
import { serve } from '../kernel/route.ts'
import { toPrice } from '../../wire/to-wire.ts'
import { compileValidator } from '../kernel/validate.ts'

export function registerPriceRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { prices, limits, answers } = dependencies
  const rules = controlBodyRules(dependencies)
  const readQuery = compileQuery(PriceQuery)
  const validatePrice = compileValidator(PriceBody)

  serve(app, OPERATIONS.listPrices, async (request, reply) => {
    const { model, limit, cursor } = readQuery(request.url)
    const { projectId } = principalOf(request)
    const query = { projectId, model: model ?? null, limit: pageLimit(limit, limits), cursor: cursor ?? null }
    return sendHeldJson(reply, answers, async () => {
      const page = await prices.list(query)
      return JSON.stringify({ prices: page.prices.map(toPrice), next_cursor: page.nextCursor })
    })
  })

  serve(app, OPERATIONS.putPrice, async (request, reply) => {
    const model = pathModel(request)
    const body = await readControlBody(request, rules, validatePrice)
    const price = await prices.set(principalOf(request).projectId, model, {
      input: body.input_usd_per_million,
      output: body.output_usd_per_million,
      cacheRead: body.cache_read_usd_per_million ?? null,
      cacheWrite: body.cache_write_usd_per_million ?? null,
    })
    return reply.send(toPrice(price))
  })

  serve(app, OPERATIONS.deletePrice, async (request, reply) => {
    await prices.remove(principalOf(request).projectId, pathModel(request))
    return reply.code(204).send()
  })
}

/** The model of the path. What no step can name is answered like what is not there. */
function pathModel(request: FastifyRequest): string {
  const { model } = request.params as { readonly model: string }
  if (model === '' || model.length > NAME_LENGTH) throw new DomainError('not_found', 'There is no such model.')
  return model
}
