import type { Dashboard, DashboardCreate, DashboardPatch } from '@spoor/contract/schemas/dashboard'
import { allQuery } from './client/queries.ts'
import { patch, post, remove } from './client/request.ts'

export type Tile = Dashboard['tiles'][number]

/** All dashboards, oldest first: at least the first one of the project. */
export const dashboardsQuery = allQuery<Dashboard>(['dashboards'], '/v1/dashboards', 'dashboards')

export const createDashboard = (body: DashboardCreate) => post<Dashboard>('/v1/dashboards', body)
export const changeDashboard = (id: string, body: DashboardPatch) => patch<Dashboard>(`/v1/dashboards/${id}`, body)
export const deleteDashboard = (id: string) => remove(`/v1/dashboards/${id}`)
