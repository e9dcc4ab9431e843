import type { FastifyReply, FastifyRequest } from 'fastify'
import { onBehalfOf } from '../../lib/flow/requester.ts'
import { ClientGone } from '../bodies/request-body.ts'

/** Runs a read for the project of the request. If the client disconnects before the answer, pending work is dropped. */
export function forClient<T>({ principal }: FastifyRequest, { raw }: FastifyReply, read: () => T): T {
  if (principal === null) return read()
  const gone = new AbortController()
  const onClose = () => {
    if (!raw.writableFinished) gone.abort(new ClientGone('the client disconnected before it had its answer'))
  }
  if (raw.destroyed) onClose()
  else raw.once('close', onClose)
  return onBehalfOf({ kind: 'project', projectId: principal.projectId, signal: gone.signal }, read)
}
