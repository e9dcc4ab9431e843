import type { Session } from '@spoor/contract/schemas/session'
import { queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { enterProject } from './current-project.ts'
import { earlyRequests } from './early-requests.ts'
import { request } from './request.ts'

/**
 * The session of the cookie, in the project of the address; null if there is none. Throws ApiError 404 if the session
 * cannot use that project.
 */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: Infinity,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      const session = await request<Session>('/v1/session', { signal })
      enterProject(session.project_id)
      return session
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        earlyRequests.forget()
        return null
      }
      throw error
    }
  },
})

export function signInWithKey(key: string): Promise<Session> {
  return request<Session>('/v1/session', { method: 'POST', body: { key } })
}

/** Signs in with the token of the URL that a first start prints. It works once. */
export function signInWithToken(token: string): Promise<Session> {
  return request<Session>('/v1/session', { method: 'POST', body: { sign_in_token: token } })
}

export function signOut(): Promise<void> {
  return request('/v1/session', { method: 'DELETE' })
}

/** Switches the session to another project; needs scope `admin`. */
export function switchProject(projectId: string): Promise<Session> {
  return request<Session>('/v1/session', { method: 'PATCH', body: { project_id: projectId } })
}
