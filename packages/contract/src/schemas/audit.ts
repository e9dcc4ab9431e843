import { Type, type Static } from 'typebox'
import { AUDIT_ACTIONS, AUDIT_ACTORS, AUDIT_TARGETS } from '../audit.ts'
import { ListQuery } from './list-query.ts'
import { closed, idString, nullableText, optional, pageOf, parameters, printedTime, requestTime } from './primitives.ts'

const actor = closed('Who did it.', {
  kind: Type.Enum(AUDIT_ACTORS, {
    description:
      '`key` or `session` (of a key): a request. `system`: the command line, or Spoor itself. `unknown`: a refused request without a valid key.',
  }),
  id: nullableText('The key, also of a session; null if there is none.'),
  name: nullableText('The name of the key.'),
})

export const AuditEntry = closed('An entry of the audit log.', {
  id: idString('aud', 'The entry.'),
  at: printedTime('When it was done.'),
  actor,
  action: Type.Enum(AUDIT_ACTIONS, { description: 'What was done.' }),
  target: closed('What it was done to.', {
    kind: Type.Enum(AUDIT_TARGETS, { description: 'The kind.' }),
    id: nullableText('Its id or name; null if it has none.'),
  }),
  detail: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description:
      'Depends on the action: the fields that were sent. `other_fields` names those whose values are not kept.',
  }),
  request_id: nullableText('The id of the request, as in the log; null without a request.'),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditList = pageOf('entries', AuditEntry, 'newest first')
export type AuditList = Static<typeof AuditList>

/** An entry must match all filters that are given. */
export const AuditQuery = parameters({
  ...optional({
    action: Type.Enum(AUDIT_ACTIONS, { description: 'Entries of this action.' }),
    actor: Type.String({ minLength: 1, description: 'Entries of this key and its sessions, by its id.' }),
    target: Type.String({ minLength: 1, description: 'Entries about this id or name.' }),
    start_time: requestTime('Done at this time or later: RFC 3339, or a date alone for its midnight UTC.'),
    end_time: requestTime('Done before this time: RFC 3339, or a date alone for its midnight UTC.'),
  }),
  ...ListQuery.properties,
})
export type AuditQuery = Static<typeof AuditQuery>
