import { SenderList } from '../schemas/sender.ts'
import { MOST_SENDERS, SENDER_DAYS } from '../senders.ts'
import type { Operation } from './operation.ts'

export const SENDER_OPERATIONS = {
  listSenders: {
    method: 'GET',
    path: '/v1/senders',
    tag: 'traces',
    summary: 'What came in, and what was not understood',
    description:
      `The senders of the traces of the last ${SENDER_DAYS} days that are not deleted, by instrumentation scope and version, most spans first, at most ${MOST_SENDERS}. ` +
      'For each, how many of its spans lack what Spoor could show, and what to set. A span that comes again counts once. Names of attributes are shown, never their values.',
    scopes: ['read'],
    responses: { 200: { description: 'The senders.', content: { 'application/json': SenderList } } },
  },
} as const satisfies Record<string, Operation>
