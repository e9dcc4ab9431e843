import type { Price, PriceBody, PriceList } from '@spoor/contract/schemas/price'
import { queryOptions } from '@tanstack/react-query'
import { listAll } from './client/list-all.ts'
import { request } from './client/request.ts'

/** Every price that holds in a project, by model. */
export function pricesQuery(projectId: string) {
  return queryOptions({
    queryKey: ['prices', projectId],
    queryFn: ({ signal }) => listAll<Price>('/v1/prices', 'prices', signal),
  })
}

/** What steps with this model are billed with now, perhaps under a shorter name; null: nothing. */
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
