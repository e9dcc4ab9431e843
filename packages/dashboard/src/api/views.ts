import type { View, ViewCreate, ViewPatch } from '@spoor/contract/schemas/view'
import { queryOptions } from '@tanstack/react-query'
import { listAll } from './client/list-all.ts'
import { request } from './client/request.ts'

/** All saved views, oldest first. */
export const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: ({ signal }) => listAll<View>('/v1/views', 'views', signal),
})

export function createView(body: ViewCreate): Promise<View> {
  return request<View>('/v1/views', { method: 'POST', body })
}

export function changeView(id: string, body: ViewPatch): Promise<View> {
  return request<View>(`/v1/views/${id}`, { method: 'PATCH', body })
}

export function deleteView(id: string): Promise<void> {
  return request(`/v1/views/${id}`, { method: 'DELETE' })
}
