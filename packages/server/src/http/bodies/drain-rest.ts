import type { FastifyInstance } from 'fastify'
import type { Timers } from '../../lib/time/timers.ts'

/** How long the rest of a refused body is thrown away, so that its sender gets to read why. */
const DRAIN_MS = 5000

/**
 * A connection that is closed while its client still sends is reset, and the answer is lost with it. So what is left of a body when its answer has been sent
 * is read and thrown away, for a while.
 */
export function drainRest(app: FastifyInstance, timers: Timers): void {
  // Node closes the connection of a client that asked for that with the end of the answer, whatever the client still sends.
  app.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (raw.complete === false && !raw.destroyed && !reply.raw.shouldKeepAlive) {
      reply.raw.shouldKeepAlive = true
      raw.once('end', () => raw.socket.end())
    }
    done(null, payload)
  })
  app.addHook('onResponse', async ({ raw }) => {
    // A request made in memory says neither.
    if (raw.complete !== false || raw.destroyed) return
    raw.resume()
    // By then the body may have come to its end, and the connection serve another request.
    const cancel = timers.after(DRAIN_MS, () => {
      if (!raw.complete) raw.destroy()
    })
    raw.once('end', cancel)
    raw.once('close', cancel)
  })
}
