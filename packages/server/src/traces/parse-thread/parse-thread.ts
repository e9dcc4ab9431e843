import { once } from 'node:events'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { answerBody } from './answer-body.ts'
import type { FromThread, ToThread } from './messages.ts'

/** The thread's program: one body after the other. */
const port = parentPort
if (port === null) throw new Error('this module is run as a thread')

/**
 * Requests that are short go first. On Linux a priority is a thread's own; elsewhere it would be that of the whole
 * service.
 */
if (process.platform === 'linux') setPriority(0, 5)

async function next(): Promise<ToThread> {
  return ((await once(port!, 'message')) as [ToThread])[0]
}

function ask(message: FromThread, given: readonly ArrayBuffer[] = []): Promise<ToThread> {
  const answered = next()
  port!.postMessage(message, [...given])
  return answered
}

let request = await next()
for (;;) {
  if (request.kind !== 'parse') throw new Error(`${request.kind} asks for nothing`)
  request = await answerBody(request, ask)
}
