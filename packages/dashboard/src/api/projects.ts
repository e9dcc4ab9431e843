import type { Masking, MaskingPreview } from '@spoor/contract/schemas/masking'
import type { Expired, Project, ProjectList, ProjectPatch, Retention } from '@spoor/contract/schemas/project'
import { queryOptions } from '@tanstack/react-query'
import { patch, post, request } from './client/request.ts'

/** All projects; without the scope `admin` only the own one. */
export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async ({ signal }) =>
    (await request<ProjectList>('/v1/projects', { query: { limit: 1000 }, signal })).projects,
})

/** What this retention would delete now. */
export const expiredQuery = (projectId: string, retention: Retention) =>
  queryOptions({
    queryKey: ['projects', projectId, 'expired', retention],
    queryFn: ({ signal }) => request<Expired>(`/v1/projects/${projectId}/expired`, { query: retention, signal }),
    retry: false,
  })

/** What these rules would mask in the newest traces. */
export const previewMasking = (projectId: string, masking: Masking) =>
  post<MaskingPreview>(`/v1/projects/${projectId}/masking/preview`, { masking })

export const createProject = (name: string) => post<Project>('/v1/projects', { name })
export const changeProject = (id: string, body: ProjectPatch) => patch<Project>(`/v1/projects/${id}`, body)
