import type { Price, PriceBody, PriceList } from '@spoor/contract/schemas/price'
import { queryOptions } from '@tanstack/react-query'
import { listAll } from './client/list-all.ts'
import { request } from './client/request.ts'

/** All prices of a project, by model. */
export function pricesQuery(projectId: string) {
  return queryOptions({
    queryKey: ['prices', projectId],
    queryFn: ({ signal }) => listAll<Price>('/v1/prices', 'prices', signal),
  })
}

/** The price that applies to steps with this model, perhaps of a shorter name; null if there is none. */
export function billedPriceQuery(projectId: string, model: string) {
  return queryOptions({
    queryKey: ['prices', projectId, 'of', model],
    queryFn: async ({ signal }) =>
      (await request<PriceList>('/v1/prices', { query: { model }, signal })).prices[0] ?? null,
  })
}

export function putPrice(model: string, body: PriceBody): Promise<Price> {
  return request(`/v1/prices/${encodeURIComponent(model)}`, { method: 'PUT', body })
}

export function deletePrice(model: string): Promise<void> {
  return request(`/v1/prices/${encodeURIComponent(model)}`, { method: 'DELETE' })
}
