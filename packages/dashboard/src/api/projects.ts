import type { Project, ProjectList, ProjectPatch } from '@spoor/contract/schemas/project'
import { queryOptions } from '@tanstack/react-query'
import { request } from './client/request.ts'

/** All projects; without the scope `admin` only the own one. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async ({ signal }) =>
    (await request<ProjectList>('/v1/projects', { query: { limit: 1000 }, signal })).projects,
})

export function createProject(name: string): Promise<Project> {
  return request('/v1/projects', { method: 'POST', body: { name } })
}

export function changeProject(id: string, body: ProjectPatch): Promise<Project> {
  return request(`/v1/projects/${id}`, { method: 'PATCH', body })
}
