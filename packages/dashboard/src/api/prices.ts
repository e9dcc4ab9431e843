import type { Price, PriceBody, PriceList } from '@spoor/contract/schemas/price'
import { queryOptions } from '@tanstack/react-query'
import { allQuery } from './client/queries.ts'
import { put, remove, request } from './client/request.ts'

const pathOf = (model: string) => `/v1/prices/${encodeURIComponent(model)}`

/** All prices of a project, by model. */
export const pricesQuery = (projectId: string) => allQuery<Price>(['prices', projectId], '/v1/prices', 'prices')

/** The price that applies to steps with this model, perhaps of a shorter name; null if there is none. */
export function billedPriceQuery(projectId: string, model: string) {
  return queryOptions({
    queryKey: ['prices', projectId, 'of', model],
    queryFn: async ({ signal }) =>
      (await request<PriceList>('/v1/prices', { query: { model }, signal })).prices[0] ?? null,
  })
}

export const putPrice = (model: string, body: PriceBody) => put<Price>(pathOf(model), body)
export const deletePrice = (model: string) => remove(pathOf(model))
