import type { View, ViewCreate, ViewPatch } from '@spoor/contract/schemas/view'
import { allQuery } from './client/queries.ts'
import { patch, post, remove } from './client/request.ts'

/** All saved views, oldest first. */
export const viewsQuery = allQuery<View>(['views'], '/v1/views', 'views')

export const createView = (body: ViewCreate) => post<View>('/v1/views', body)
export const changeView = (id: string, body: ViewPatch) => patch<View>(`/v1/views/${id}`, body)
export const deleteView = (id: string) => remove(`/v1/views/${id}`)
