import type { Session } from '@spoor/contract/schemas/session'
import { queryOptions } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { enterProject } from './current-project.ts'
import { earlyRequests } from './early-requests.ts'
import { patch, post, remove, request } from './request.ts'

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

export const signInWithKey = (key: string) => post<Session>('/v1/session', { key })
/** Signs in with the token of the URL that a first start prints. It works once. */
export const signInWithToken = (token: string) => post<Session>('/v1/session', { sign_in_token: token })
export const signOut = () => remove('/v1/session')
/** Switches the session to another project; needs scope `admin`. */
export const switchProject = (projectId: string) => patch<Session>('/v1/session', { project_id: projectId })
