import { Type } from 'typebox'
import { SESSION_BODY_BYTES } from '../limits.ts'
import { Session, SessionCreate, SessionPatch } from '../schemas/session.ts'
import { JSON_BODY_ERRORS, type Operation } from './operation.ts'

/** Behind it the port of the request's `Host`, when it has one: browsers send a cookie to every port of a host. */
export const SESSION_COOKIE = 'spoor_session'

const setCookie = (description: string) => ({ 'Set-Cookie': { description, schema: Type.String() } })

export const SESSION_OPERATIONS = {
  signIn: {
    method: 'POST',
    path: '/v1/session',
    tag: 'session',
    summary: 'Sign in',
    description:
      'Begins a session, for browsers: its cookie opens what the key opens, in `<img>`, `<video>` and `EventSource` too. A session that the request carries ends. ' +
      'An `Origin` header must name this service.',
    scopes: null,
    admission: 'key_in_body',
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: SessionCreate,
      mostBytes: SESSION_BODY_BYTES,
      description: `The API key, or the token of a first start; at most ${SESSION_BODY_BYTES} bytes in all.`,
      examples: {
        key: { summary: 'A key', value: { key: `spoor_${'0'.repeat(36)}` } },
        token: { summary: 'The token of a first start', value: { sign_in_token: '0'.repeat(43) } },
      },
    },
    responses: {
      201: {
        description: 'It has begun.',
        content: { 'application/json': Session },
        headers: setCookie('The cookie: `HttpOnly`, `SameSite=Strict`, and `Secure` where TLS is used.'),
      },
    },
    errors: [...JSON_BODY_ERRORS, 'unauthorized', 'foreign_origin', 'disk_full', 'storage_unavailable'],
  },
  getSession: {
    method: 'GET',
    path: '/v1/session',
    tag: 'session',
    summary: 'Ask who is signed in',
    description: 'The session of the cookie. A request with a key has none.',
    scopes: [],
    admission: 'session',
    responses: { 200: { description: 'The session.', content: { 'application/json': Session } } },
    errors: ['not_found'],
  },
  switchProject: {
    method: 'PATCH',
    path: '/v1/session',
    tag: 'session',
    summary: 'Go on in another project',
    description:
      'From the answer on, every request of the session is one of that project, with the scopes of its key, which stays in its own. Streams that the session has open end. ' +
      'A request with a key has no session.',
    scopes: ['admin'],
    admission: 'session',
    request: {
      kind: 'json',
      contentType: 'application/json',
      schema: SessionPatch,
      mostBytes: SESSION_BODY_BYTES,
      description: `The project; at most ${SESSION_BODY_BYTES} bytes in all.`,
      examples: {
        project: { summary: 'Another project', value: { project_id: 'proj_01h2xcejqtf2nbrexx3vqjhp41' } },
      },
    },
    responses: { 200: { description: 'The session as it is now.', content: { 'application/json': Session } } },
    errors: [...JSON_BODY_ERRORS, 'not_found', 'disk_full'],
  },
  signOut: {
    method: 'DELETE',
    path: '/v1/session',
    tag: 'session',
    summary: 'Sign out',
    description:
      'Ends the session of the cookie at the service, and streams that were opened with it. A request with a key has none.',
    scopes: [],
    admission: 'session',
    responses: {
      204: { description: 'It has ended.', content: {}, headers: setCookie('Removes the cookie.') },
    },
    errors: ['not_found', 'disk_full'],
  },
} as const satisfies Record<string, Operation>
