import type { FastifyReply, FastifyRequest } from 'fastify'
import { currentRequester, onBehalfOf, signalOf } from '../../lib/flow/requester.ts'
import { ClientGone } from '../bodies/request-body.ts'

/**
 * Runs a read for the project of the request. If the client disconnects before the answer, pending work is dropped. A
 * request within the process also ends with the one that it serves.
 */
export function forClient<T>({ principal }: FastifyRequest, { raw }: FastifyReply, read: () => T): T {
  if (principal === null) return read()
  const gone = new AbortController()
  const onClose = () => {
    if (!raw.writableFinished) gone.abort(new ClientGone('the client disconnected before it had its answer'))
  }
  if (raw.destroyed) onClose()
  else raw.once('close', onClose)
  const outer = signalOf(currentRequester())
  const signal = outer === null ? gone.signal : AbortSignal.any([gone.signal, outer])
  return onBehalfOf({ kind: 'project', projectId: principal.projectId, signal }, read)
}
