import { inContext } from './runtime.ts'

/** Is notified of the end of a result. */
interface Ending {
  end(): void
  fail(error: unknown): void
}

type Method = (...sent: unknown[]) => unknown

/**
 * Ends the span when the result has ended: a promise is settled, a generator or a stream is read to its end or
 * abandoned. Steps within a generator have the span as their parent, steps between two values do not.
 */
function followResult<T>(result: T, span: Ending): T {
  if (isThenable(result)) return followPromise(result, span)
  if (typeof ReadableStream === 'function' && result instanceof ReadableStream) return followStream(result, span) as T
  if (!followIterable(result, span)) span.end()
  return result
}

/** Runs it within the span. Its error is the span's error and is rethrown to the caller. */
export function runIn<T>(span: Ending, run: () => T): T {
  try {
    return followResult(inContext(span, run), span)
  } catch (error) {
    span.fail(error)
    throw error
  }
}

function followPromise<T>(promise: T & PromiseLike<unknown>, span: Ending): T {
  const failed = (error: unknown): never => {
    span.fail(error)
    throw error
  }
  if (promise instanceof Promise && promise.constructor === Promise) {
    return promise.then((value) => followResult(value, span), failed) as T
  }
  // A promise with methods of its own must stay itself; so a stream in it is followed only where it is.
  promise.then(
    (value) => {
      if (!followIterable(value, span)) span.end()
    },
    (error: unknown) => span.fail(error),
  )
  return promise
}

/** Changes the object itself, which may have more methods. False if it is nothing to iterate, or cannot be changed. */
function followIterable(value: unknown, span: Ending): boolean {
  if (typeof value !== 'object' || value === null) return false
  try {
    const object = value as Record<PropertyKey, unknown>
    const isAsync = typeof object[Symbol.asyncIterator] === 'function'
    if (!isAsync && typeof object[Symbol.iterator] !== 'function') return false
    if (typeof object['next'] === 'function') return followIterator(object, span)
    if (!isAsync) return false
    const iterate = object[Symbol.asyncIterator] as Method
    define(object, Symbol.asyncIterator, () => {
      const iterator = iterate.call(object) as Record<PropertyKey, unknown>
      followIterator(iterator, span)
      return iterator
    })
    return true
  } catch {
    return false
  }
}

function followIterator(iterator: Record<PropertyKey, unknown>, span: Ending): boolean {
  for (const name of ['next', 'return', 'throw']) {
    const method = iterator[name] as Method | undefined
    if (typeof method !== 'function') continue
    define(iterator, name, (...sent: unknown[]) => {
      try {
        const step = inContext(span, () => method.apply(iterator, sent))
        if (isThenable(step)) step.then(ended, (error: unknown) => span.fail(error))
        else ended(step)
        return step
      } catch (error) {
        span.fail(error)
        throw error
      }
    })
  }
  return true

  function ended(step: unknown): void {
    if ((step as IteratorResult<unknown> | undefined)?.done === true) span.end()
  }
}

function define(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, writable: true })
}

function followStream(stream: ReadableStream<unknown>, span: Ending): ReadableStream<unknown> {
  const end = (error: unknown) => (error === null ? span.end() : span.fail(error))
  return observedStream(
    stream,
    () => undefined,
    end,
    (read) => inContext(span, read),
  )
}

/**
 * The same chunks. `end` is called once, with null when the stream has ended or was given up. Reads no more than its
 * reader does.
 */
export function observedStream<T>(
  stream: ReadableStream<T>,
  onChunk: (chunk: T) => void,
  end: (error: unknown) => void,
  around: <R>(read: () => R) => R = (read) => read(),
): ReadableStream<T> {
  const reader = stream.getReader()
  return new ReadableStream<T>(
    {
      async pull(controller) {
        try {
          const { done, value } = await around(() => reader.read())
          if (done) {
            end(null)
            controller.close()
          } else {
            onChunk(value)
            controller.enqueue(value)
          }
        } catch (error) {
          end(error)
          controller.error(error)
        }
      },
      cancel(reason) {
        end(null)
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
