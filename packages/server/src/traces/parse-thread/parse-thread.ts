import { once } from 'node:events'
import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { answerBody } from './answer-body.ts'
import type { FromThread, ToThread } from './messages.ts'

/** The thread's program: parses one body at a time. */
const port = parentPort
if (port === null) throw new Error('this module is run as a thread')

/**
 * Short requests of the main thread go first. On Linux a priority belongs to one thread; elsewhere it would apply to
 * the whole process.
 */
if (process.platform === 'linux' && getPriority() < 5) setPriority(0, 5)

async function next(): Promise<ToThread> {
  return ((await once(port!, 'message')) as [ToThread])[0]
}

function exchange(message: FromThread, transferred: readonly ArrayBuffer[] = []): Promise<ToThread> {
  const answered = next()
  port!.postMessage(message, [...transferred])
  return answered
}

let request = await next()
for (;;) {
  if (request.kind !== 'parse') throw new Error(`${request.kind} requests nothing`)
  request = await answerBody(request, exchange)
}
