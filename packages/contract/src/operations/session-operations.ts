import { Type } from 'typebox'
import { SESSION_BODY_BYTES } from '../limits.ts'
import { Session, SessionCreate, SessionPatch } from '../schemas/session.ts'
import { jsonBody, type Operation } from './operation.ts'

/** Followed by the port of the request's `Host`, if any: browsers send a cookie to every port of a host. */
export const SESSION_COOKIE = 'spoor_session'

const setCookie = (description: string) => ({ 'Set-Cookie': { description, schema: Type.String() } })

export const SESSION_OPERATIONS = {
  signIn: {
    method: 'POST',
    path: '/v1/session',
    summary: 'Sign in',
    description:
      'Starts a session for a browser. Its cookie allows what the key allows, also for `<img>`, `<video>` and `EventSource`. A session that the request already has ends. ' +
      'An `Origin` header must name this service.',
    scopes: null,
    admission: 'key_in_body',
    request: {
      ...jsonBody(
        SessionCreate,
        `The API key, or the token of a first start; at most ${SESSION_BODY_BYTES} bytes in total.`,
        {
          key: { summary: 'A key', value: { key: `spoor_${'0'.repeat(36)}` } },
          token: { summary: 'The token of a first start', value: { sign_in_token: '0'.repeat(43) } },
        },
      ),
      mostBytes: SESSION_BODY_BYTES,
    },
    audit: { action: 'session.started', target: 'session', shows: [] },
    responses: {
      201: {
        description: 'The session has started.',
        content: { 'application/json': Session },
        headers: setCookie('The cookie: `HttpOnly`, `SameSite=Strict`, and `Secure` if TLS is used.'),
      },
    },
    errors: ['unauthorized', 'foreign_origin', 'disk_full', 'storage_unavailable'],
  },
  getSession: {
    method: 'GET',
    path: '/v1/session',
    summary: 'Read the current session',
    description: 'The session of the cookie. A request with a key has no session.',
    scopes: [],
    admission: 'session',
    responses: { 200: { description: 'The session.', content: { 'application/json': Session } } },
    errors: ['not_found'],
  },
  switchProject: {
    method: 'PATCH',
    path: '/v1/session',
    summary: 'Switch to another project',
    description:
      'After the answer, every request of the session applies to that project, with the scopes of its key. The key itself stays in its own project. Open streams of the session end. ' +
      'A request can also name its project itself, by `/p/:project_id` in front of its path, and then applies to that one: so two tabs can show two projects. ' +
      'A request with a key has no session.',
    scopes: ['admin'],
    admission: 'session',
    request: {
      ...jsonBody(SessionPatch, `The project; at most ${SESSION_BODY_BYTES} bytes in total.`, {
        project: { summary: 'Another project', value: { project_id: 'proj_01h2xcejqtf2nbrexx3vqjhp41' } },
      }),
      mostBytes: SESSION_BODY_BYTES,
    },
    audit: { action: 'session.changed', target: 'session', shows: ['project_id'] },
    responses: { 200: { description: 'The session after the change.', content: { 'application/json': Session } } },
    errors: ['not_found', 'disk_full'],
  },
  signOut: {
    method: 'DELETE',
    path: '/v1/session',
    summary: 'Sign out',
    description:
      'Ends the session of the cookie and the streams that were opened with it. A request with a key has no session.',
    scopes: [],
    admission: 'session',
    audit: { action: 'session.ended', target: 'session', shows: [] },
    responses: {
      204: { description: 'The session has ended.', content: {}, headers: setCookie('Removes the cookie.') },
    },
    errors: ['not_found', 'disk_full'],
  },
} as const satisfies Record<string, Operation>
