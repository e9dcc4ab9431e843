import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AccessWatch } from '../access/access-watch.ts'
import { credentialOf } from '../access/authentication.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import type { OperationInput } from '../kernel/operation-input.ts'
import { serve } from '../kernel/route.ts'
import { TailHub, type TailSink } from './tail-hub.ts'

const EVENT_STREAM = 'text/event-stream'

export function registerTailRoute(app: FastifyInstance, dependencies: HttpDependencies, access: AccessWatch): void {
  const { feed, timers, instruments, logger, work } = dependencies
  const hub = new TailHub({
    feed,
    timers,
    opened: instruments.requests.tailOpened,
    closed: instruments.requests.tailClosed,
    onError: (error) => logger.error({ error }, 'tails were ended: the journal could not be read'),
  })
  // Before the server waits until its connections have closed.
  app.addHook('preClose', async () => hub.close())

  const follow = ({ projectId, headers, request, reply }: OperationInput<typeof OPERATIONS.tailTraces>) => {
    const { position, lostFrom } = startOf(headers['last-event-id'], feed.publishedPosition())
    reply.hijack()
    const sink = openStream(reply)
    const leave = hub.open(projectId, position, sink, lostFrom)
    const unwatch = access.watch(credentialOf(request), projectId, () => {
      close()
      sink.end()
    })
    function close() {
      unwatch()
      leave()
    }
    if (reply.raw.destroyed) close()
    else reply.raw.once('close', close)
  }
  // In turns, so that a thousand clients that connect at once do not hold the event loop.
  const followInTurn = (input: OperationInput<typeof OPERATIONS.tailTraces>) =>
    work.run(input.projectId, () => follow(input))
  serve(app, OPERATIONS.tailTraces, followInTurn, { endless: true })
}

interface TailStart {
  readonly position: number
  readonly lostFrom: number | null
}

/** After the last event that the client received; by default the head. */
function startOf(lastEventId: string | undefined, head: number): TailStart {
  // EventSource sends an empty header if it has received no id.
  if (lastEventId === undefined || lastEventId === '') return { position: head, lostFrom: null }
  const position = Number(lastEventId)
  // A backup was restored. After an error, an EventSource would never reconnect.
  if (position > head) return { position: head, lostFrom: position }
  return { position, lostFrom: null }
}

/** Framed by the end of the connection, not in chunks, so that all readers get the same bytes. */
function openStream(reply: FastifyReply): TailSink {
  const { raw } = reply
  raw.removeHeader('transfer-encoding')
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': `${EVENT_STREAM}; charset=utf-8`,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  raw.flushHeaders()
  return {
    write(bytes, taken) {
      // Written to the socket: the response would defer the write, and its cost would not be measured.
      raw.socket?.write(bytes, (error) => {
        if (error === null || error === undefined) taken()
      })
    },
    end: () => raw.end(),
    destroy: () => raw.destroy(),
  }
}
