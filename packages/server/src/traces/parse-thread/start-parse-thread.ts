import { Worker } from 'node:worker_threads'
import type { FromThread } from './messages.ts'
import type { ParseThread } from './large-bodies.ts'

/** A thread of the process. It does not keep the process alive. */
export function startParseThread(): ParseThread {
  const worker = new Worker(new URL('./parse-thread.ts', import.meta.url), { name: 'large bodies' })
  let asked: PromiseWithResolvers<FromThread> | null = null
  let failure: Error | null = null
  worker.on('message', (message: FromThread) => {
    const { resolve } = asked!
    asked = null
    resolve(message)
  })
  const fail = (error: Error) => {
    failure ??= error
    asked?.reject(failure)
  }
  worker.on('error', (cause) => fail(new Error('the thread that parses large bodies died', { cause })))
  worker.on('exit', () => fail(new Error('the thread that parses large bodies ended')))
  worker.unref()
  return {
    ask(message, given = []) {
      if (failure !== null) return Promise.reject(failure)
      asked = Promise.withResolvers()
      worker.postMessage(message, [...given])
      return asked.promise
    },
    async end() {
      await worker.terminate()
    },
  }
}
