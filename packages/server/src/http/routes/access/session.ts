import type { ProjectId } from '@spoor/contract/ids'
import { OPERATIONS } from '@spoor/contract/operations'
import { SessionCreate, SessionPatch } from '@spoor/contract/schemas/session'
import type { FastifyInstance } from 'fastify'
import { DomainError } from '../../../lib/domain-error.ts'
import type { AccessWatch } from '../../access/access-watch.ts'
import { credentialOf } from '../../access/authentication.ts'
import { controlBodyRules } from '../../bodies/body-rules.ts'
import { readControlBody } from '../../bodies/control-body.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { refuseForeignOrigin } from '../../access/own-origin.ts'
import type { Session } from '../../connections/ports.ts'
import { serve } from '../../kernel/route.ts'
import { printNoSessionCookie, printSessionCookie, sessionToken } from '../../access/session-cookie.ts'
import { toSession } from '../../../wire/to-wire.ts'
import { compileValidator } from '../../kernel/validate.ts'

/** A key, a token or an id, and what stands around it. Read from whoever comes, so no more than that. */
const BODY_BYTES = 4096

export function registerSessionRoutes(app: FastifyInstance, dependencies: HttpDependencies, access: AccessWatch): void {
  const { sessions, projects } = dependencies
  const rules = { ...controlBodyRules(dependencies), limitBytes: BODY_BYTES }
  const validate = compileValidator(SessionCreate)
  const validatePatch = compileValidator(SessionPatch)

  serve(app, OPERATIONS.signIn, async (request, reply) => {
    refuseForeignOrigin(request.headers)
    const { key = '', sign_in_token } = await readControlBody(request, rules, validate)
    const by = sign_in_token === undefined ? { secret: key } : { signInToken: sign_in_token }
    const replacedToken = sessionToken(request.headers) ?? null
    const { token, session } = await sessions.signIn({ ...by, replacedToken })
    if (replacedToken !== null) await access.check()
    return reply
      .code(201)
      .header('set-cookie', printSessionCookie(request.headers, token, session.expiresAt - session.createdAt))
      .header('cache-control', 'no-store')
      .send(await describe(session))
  })

  serve(app, OPERATIONS.getSession, async (request, reply) => {
    if (request.session === null) throw noSession()
    return reply.header('cache-control', 'no-store').send(await describe(request.session))
  })

  serve(app, OPERATIONS.switchProject, async (request, reply) => {
    const credential = credentialOf(request)
    if (credential.kind === 'key') throw noSession()
    const { project_id } = await readControlBody(request, rules, validatePatch)
    const session = await sessions.switchProject({ token: credential.token, projectId: project_id as ProjectId })
    await access.check()
    return reply.header('cache-control', 'no-store').send(await describe(session))
  })

  serve(app, OPERATIONS.signOut, async (request, reply) => {
    const credential = credentialOf(request)
    if (credential.kind === 'key') throw noSession()
    await sessions.signOut(credential.token)
    await access.check()
    return reply.code(204).header('set-cookie', printNoSessionCookie(request.headers)).send()
  })

  async function describe(session: Session) {
    const project = await projects.find(session.projectId)
    if (project === undefined) throw new Error('a session has no project')
    return toSession(session, project.name)
  }
}

function noSession(): DomainError {
  return new DomainError('not_found', 'The request came with a key, which has no session.')
}
