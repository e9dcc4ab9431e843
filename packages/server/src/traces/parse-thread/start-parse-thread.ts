import { Worker } from 'node:worker_threads'
import type { FromThread } from './messages.ts'
import type { ParseThread } from './large-bodies.ts'

/** Starts a thread in this process. It does not keep the process alive. */
export function startParseThread(): ParseThread {
  const worker = new Worker(new URL('./parse-thread.ts', import.meta.url), { name: 'large bodies' })
  let sent: PromiseWithResolvers<FromThread> | null = null
  let failure: Error | null = null
  worker.on('message', (message: FromThread) => {
    const { resolve } = sent!
    sent = null
    resolve(message)
  })
  const fail = (error: Error) => {
    failure ??= error
    sent?.reject(failure)
  }
  worker.on('error', (cause) => fail(new Error('the thread that parses large bodies died', { cause })))
  worker.on('exit', () => fail(new Error('the thread that parses large bodies ended')))
  worker.unref()
  return {
    exchange(message, transferred = []) {
      if (failure !== null) return Promise.reject(failure)
      sent = Promise.withResolvers()
      worker.postMessage(message, [...transferred])
      return sent.promise
    },
    async end() {
      await worker.terminate()
    },
  }
}
