import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../../lib/domain-error.ts'
import { toSession } from '../../../wire/to-wire.ts'
import type { AccessWatch } from '../../access/access-watch.ts'
import { credentialOf } from '../../access/authentication.ts'
import { refuseForeignOrigin } from '../../access/own-origin.ts'
import { printNoSessionCookie, printSessionCookie, sessionToken } from '../../access/session-cookie.ts'
import type { Session } from '../../connections/ports.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'

export function registerSessionRoutes(app: FastifyInstance, dependencies: HttpDependencies, access: AccessWatch): void {
  const { sessions, projects } = dependencies

  serve(
    app,
    OPERATIONS.signIn,
    async ({ body, request, reply }) => {
      const { key = '', sign_in_token } = body
      const by = sign_in_token === undefined ? { secret: key } : { signInToken: sign_in_token }
      const replacedToken = sessionToken(request.headers) ?? null
      const { token, session } = await sessions.signIn({ ...by, replacedToken })
      if (replacedToken !== null) await access.check()
      request.principal = request.session = session
      return reply
        .code(201)
        .header('set-cookie', printSessionCookie(request.headers, token, session.expiresAt - session.createdAt))
        .header('cache-control', 'no-store')
        .send(await describe(session))
    },
    { authorize: ({ request }) => refuseForeignOrigin(request.headers) },
  )

  serve(app, OPERATIONS.getSession, async ({ request, reply }) => {
    if (request.session === null) throw noSession()
    return reply.header('cache-control', 'no-store').send(await describe(request.session))
  })

  serve(
    app,
    OPERATIONS.switchProject,
    async ({ body, request, reply }) => {
      const session = await sessions.switchProject({ token: tokenOf(request), projectId: body.project_id })
      await access.check()
      return reply.header('cache-control', 'no-store').send(await describe(session))
    },
    { authorize: ({ request }) => void tokenOf(request) },
  )

  serve(app, OPERATIONS.signOut, async ({ request, reply }) => {
    await sessions.signOut(tokenOf(request))
    await access.check()
    return reply.code(204).header('set-cookie', printNoSessionCookie(request.headers)).send()
  })

  async function describe(session: Session) {
    const project = await projects.find(session.projectId)
    if (project === undefined) throw new Error('a session has no project')
    return toSession(session, project.name)
  }
}

function tokenOf(request: FastifyRequest): string {
  const credential = credentialOf(request)
  if (credential.kind === 'key') throw noSession()
  return credential.token
}

function noSession(): DomainError {
  return new DomainError('not_found', 'The request has a key, and a key has no session.')
}
