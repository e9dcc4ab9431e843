import type { FastifyInstance } from 'fastify'
import type { Timers } from '../../lib/time/timers.ts'

/** How long the rest of a refused body is discarded, so that its sender can read the answer. */
const DRAIN_MS = 5000

/**
 * If a connection is closed while its client still sends, it is reset and the answer is lost. So the rest of a body is
 * read and discarded for a while after the answer was sent.
 */
export function drainRest(app: FastifyInstance, timers: Timers): void {
  // If the client requested `connection: close`, Node closes it after the answer, even if the client still sends.
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (raw.complete === false && !raw.destroyed && !reply.raw.shouldKeepAlive) {
      reply.raw.shouldKeepAlive = true
      raw.once('end', () => raw.socket.end())
    }
    done(null, payload)
  })
  app.addHook('onResponse', async ({ raw }) => {
    // An injected request has neither value.
    if (raw.complete !== false || raw.destroyed) return
    // The listener keeps it flowing after a reader that still waits for the body has left.
    raw.on('data', () => undefined).resume()
    // By then the body may be complete, and the connection may serve another request.
    const cancel = timers.after(DRAIN_MS, () => {
      if (!raw.complete) raw.destroy()
    })
    raw.once('end', cancel)
    raw.once('close', cancel)
  })
}
